import { dirname, relative, resolve } from 'node:path';
import type { ServiceAccount } from '../account/account.ts';
import { ownerOf } from '../account/owner.ts';
import {
  findProjectFile,
  type ProjectFile,
  projectFileName,
  readProjectFile,
} from '../account/project-file.ts';
import { type ProjectChoice, splitChoice } from '../account/settings.ts';
import { findNames } from '../contract/aliases.ts';
import { breakdowns, derivedBreakdowns } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { expectValidOnWindows, pathKey } from '../output/file/file-name.ts';
import { isUrl } from '../output/file/url.ts';
import { buildQuery } from '../query/build-query.ts';
import { formatDays } from '../query/calendar.ts';
import { expandName, nameValues, placeholdersOf, safeName } from '../query/file-name.ts';
import { type RunFlags, runFlagsByName, type ThisRunFlags } from '../query/flags/run-flags.ts';
import { formatOfFile } from '../query/format-names.ts';
import {
  hasFilePerPart,
  keepsFolder,
  partsOf,
  partsOfShard,
  unitOfParts,
  wholePart,
} from '../query/parts.ts';
import { isPeriod } from '../query/period.ts';
import type { Part, Query } from '../query/query.ts';
import {
  flagsByKey,
  locateMistakes,
  periodOptions,
  readSavedOptions,
  type SavedOptions,
} from '../query/saved-report.ts';
import { fileError, type LineMistake, type YamlSection } from '../query/yaml-file.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { printable, quoted } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { expectNoUrls, expectTargets, stdoutFormat } from './choose-outputs.ts';
import type { Context } from './context.ts';

/** One query of a run, its account, and the reports to request. */
export interface PlannedQuery {
  readonly query: Query;
  readonly account: ServiceAccount;
  readonly accountName: string;

  /** Flags of this run alone. */
  readonly options: ThisRunFlags;

  /** Distinguishes the queries of a run: the saved report, and the account if there are several. */
  readonly label: string | undefined;

  /** The whole period. */
  readonly whole: Part;

  /** All parts of the period, and those to download, in time order. */
  readonly allParts: readonly Part[];
  readonly parts: readonly Part[];

  /** All parts go into one output. */
  readonly isMerged: boolean;
}

export interface RunCommandLine {
  readonly options: RunFlags;

  /** Names of saved reports. */
  readonly names: readonly string[];

  /** Option names on the command line; the others have their defaults. */
  readonly typedOptions: ReadonlySet<string>;
}

/**
 * Plans the report of the flags, or those of `run NAME…` or `run --all`, for each account. Throws
 * `UsageError`, with file and line for a mistake in `adreport.yaml`.
 */
export async function planRun(tools: Context, command: RunCommandLine): Promise<PlannedQuery[]> {
  expectEffect(command);
  const { options, names } = command;
  const areSaved = names.length > 0 || options.all || options.file !== undefined;
  return areSaved ? planSavedReports(tools, command) : planForAccounts(tools, { options });
}

/** Throws `UsageError` for flags that do nothing with the others. */
function expectEffect({ options, names, typedOptions }: RunCommandLine): void {
  const { direct, split, all, account = '', by = [], shard } = options;
  const isWeekly = by.some((name) => findNames(name, ['WEEKLY']).length > 0);
  const isInParts = split !== undefined || isWeekly;
  const hasSeveral = isInParts || all || names.length > 0 || /,|^all$/.test(account);
  if (direct && typedOptions.has('waitTimeout')) {
    throw needless('--wait-timeout', 'With --direct nothing is waited for.');
  }
  if (direct && typedOptions.has('pollInterval')) {
    throw needless('--poll-interval', 'With --direct nothing is waited for.');
  }
  if (typedOptions.has('concurrency') && !hasSeveral) {
    throw needless('--concurrency', 'This run requests one report. Add --split for several.');
  }
  if (shard && !isInParts && names.length === 0 && !all) {
    throw needless('--shard', 'It selects some of the days, weeks or months of --split.');
  }
}

function needless(flag: string, why: string): UsageError {
  return new UsageError(`${flag} does nothing here.`, {
    about: { flag },
    hint: `${why} Otherwise remove ${flag}.`,
  });
}

/** Options of one report. */
interface ReportSource {
  readonly options: RunFlags;

  /** Set for a saved report. */
  readonly name?: string;

  /** Account settings of the saved report. */
  readonly choice?: ProjectChoice;
}

/** Plans a report for each account of `--account a,b` or `all`, otherwise for a single one. */
async function planForAccounts(tools: Context, report: ReportSource): Promise<PlannedQuery[]> {
  const { options, name, choice } = report;
  expectNoUrls(tools, { paths: options.output, format: options.format });
  const accountNames = await tools.accounts.names(options, choice);
  if (!accountNames) return [await planReport(tools, report, name)];

  expectAccountInOutput(options);
  const planned: PlannedQuery[] = [];
  for (const account of accountNames) {
    const label = name === undefined ? account : `${name} ${account}`;
    const ofAccount = { ...report, options: { ...options, account } };
    planned.push(
      await planReport(tools, ofAccount, label).catch((error: unknown) => {
        throw nameAccount(error, account);
      }),
    );
  }
  return planned;
}

/** Adds the account to a mistake that others may not have. */
function nameAccount(error: unknown, account: string): unknown {
  if (!(error instanceof UsageError) || error.message.includes(`“${account}”`)) return error;
  const { message, hint, about } = error;
  return new UsageError(`${message} (Account “${account}”.)`, {
    hint,
    ...(about && { about }),
  });
}

async function planReport(
  tools: Context,
  { options, name, choice }: ReportSource,
  label: string | undefined,
): Promise<PlannedQuery> {
  const account = tools.accounts.choose(options, choice);
  const settings = await account.settings();
  const nowMs = tools.host.wallClock();
  const query = buildQuery(options, {
    ...ownerOf(account, settings),
    ...(name !== undefined && { report: name }),
    profile: settings.profile.value,
    encoding: settings.encoding.value,
    windowClock: settings.windowClock.value,
    stdoutFormat: stdoutFormat(tools),
    nowMs,
    platform: tools.host.platform,
  });
  expectTargets(tools, query.outputs);
  if (options.clobber === false && keepsFolder(query)) {
    throw new UsageError('--no-clobber does not go with a folder.', {
      about: { flag: '--no-clobber' },
      hint: 'A folder replaces files that are not final. Remove --no-clobber.',
    });
  }

  const allParts = partsOf(query, nowMs);
  const { shard } = options;
  return {
    query,
    account,
    accountName: await account.name(),
    options,
    label,
    whole: wholePart(query, nowMs),
    allParts,
    parts: shard ? partsOfShard(allParts, shard) : allParts,
    isMerged: unitOfParts(query) !== undefined && !hasFilePerPart(query),
  };
}

/** Throws `UsageError` if several accounts would write to one file. */
function expectAccountInOutput({ output: paths = ['-'] }: RunFlags): void {
  for (const output of paths) {
    if (output === '-') {
      throw new UsageError('Cannot write several accounts to stdout.', {
        about: { flag: '--account' },
        hint: "Write one file per account: -o '{account}/{date}.csv'",
      });
    }
    if (placeholdersOf(output).includes('account')) continue;
    throw new UsageError(`-o ${output} is one file, but the run has several accounts.`, {
      about: { flag: '--output' },
      hint: "Put {account} in the name: -o '{account}/{date}.csv'",
    });
  }
}

async function planSavedReports(tools: Context, command: RunCommandLine): Promise<PlannedQuery[]> {
  const { cwd } = tools.host;
  const path = findFile(tools, command);
  const file = await readProjectFile(path, relative(cwd, path));
  const planned: PlannedQuery[] = [];
  for (const name of chooseReports(file, command, tools)) {
    const section = file.report(name);
    const saved = readReport(file, section, command);
    const { choice, others } = splitChoice(withOwnPaths(saved, file, cwd));
    const all = { ...command.options, ...others };
    const options = withoutUnfit(tools, all, readDefaults(file, section, command));
    try {
      planned.push(...(await planForAccounts(tools, { name, options, choice })));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw fileError(file.shownPath, locateMistakes(error, saved, section.line));
    }
  }
  return planned;
}

/** Lists the options that only the defaults have. */
function readDefaults(
  { defaults }: ProjectFile,
  section: YamlSection,
  { typedOptions }: Pick<RunCommandLine, 'typedOptions'>,
): string[] {
  const keys = [...defaults.entries.keys()].filter((key) => !section.entries.has(key));
  const options = keys.flatMap((key) => flagsByKey.get(key)?.[0] ?? []);
  return options.filter((option) => !typedOptions.has(option));
}

/** Drops defaults that no format of a report knows: a label applies to its pages, not to its CSV. */
function withoutUnfit(tools: Context, options: RunFlags, defaults: readonly string[]): RunFlags {
  const { output = ['-'], format } = options;
  const formats = output.map((path) => format ?? formatOfFile(path) ?? stdoutFormat(tools));
  const isUnfit = (option: string): boolean => {
    const known = runFlagsByName.get(option)?.formats;
    return known !== undefined && !formats.some((name) => known.includes(name));
  };
  const unfit = defaults.filter(isUnfit);
  const kept = Object.entries(options).filter(([option]) => !unfit.includes(option));
  return Object.fromEntries(kept) as unknown as RunFlags;
}

/** Reads a report and the defaults, without what the command line has. */
function readReport(
  file: ProjectFile,
  section: YamlSection,
  { typedOptions }: Pick<RunCommandLine, 'typedOptions'>,
): SavedOptions {
  const mistakes: LineMistake[] = [];
  const { values, lines } = readSavedOptions([section, file.defaults], mistakes);
  if (mistakes.length > 0) throw fileError(file.shownPath, mistakes);

  const isPeriodTyped = periodOptions.some((option) => typedOptions.has(option));
  const isTyped = (option: string) =>
    typedOptions.has(option) || (isPeriodTyped && periodOptions.includes(option));
  const kept = Object.entries(values).filter(([option]) => !isTyped(option));
  return { values: Object.fromEntries(kept), lines };
}

/** Throws `UsageError` with all mistakes in the reports of a file. */
export function checkSavedReports(file: ProjectFile): void {
  for (const name of file.lines.keys()) {
    readReport(file, file.report(name), { typedOptions: new Set() });
  }
}

/** Makes the paths of a saved report relative to the folder of its file. */
function withOwnPaths({ values }: SavedOptions, file: ProjectFile, cwd: string): Partial<RunFlags> {
  if (!values.output) return values;
  const output = values.output.map((path) => {
    const isPath = path !== '-' && path !== '' && !isUrl(path);
    return isPath ? relative(cwd, resolve(dirname(file.path), path)) : path;
  });
  return { ...values, output };
}

/** Finds `--file`, or the nearest `adreport.yaml`. Throws `UsageError` if there is none. */
function findFile(tools: Context, command: RunCommandLine): string {
  const { cwd } = tools.host;
  const { file } = command.options;
  const path = file === undefined ? findProjectFile(cwd) : resolve(cwd, file);
  if (path !== undefined) return path;

  const [name] = command.names;
  if (name !== undefined) expectReportName(command, tools);
  const what = name === undefined ? 'There is' : `Cannot run ${quoted(name)}: there is`;
  const hint = 'Create one with adreport init, or name a file with --file.';
  const hintOnValues = 'If it belongs to a flag, leave no blanks: --metrics displays,clicks';
  throw new UsageError(`${what} no ${projectFileName} in this folder or its parents.`, {
    hint: name === undefined ? hint : `${hint}\n${hintOnValues}`,
  });
}

const breakdownNames = [...breakdowns, ...derivedBreakdowns].map(({ name }) => name);

/** Throws `UsageError` for words that were probably meant as the value of a flag. */
function expectReportName(
  { names, options: { period, by = [] } }: RunCommandLine,
  { host: { platform, wallClock } }: Context,
): void {
  const nowMs = wallClock();
  const words = names.join('-');
  const meant = period === undefined ? words : `${period}-${words}`;
  const listed = [...by, ...names.flatMap((name) => name.split(',')).filter(Boolean)];
  const areBreakdowns = listed.every((name) => findNames(name, breakdownNames).length > 0);
  if (!isPeriod(meant, nowMs) && !areBreakdowns) return;

  const flag = isPeriod(meant, nowMs) ? `--period ${meant}` : `--by ${listed.join(',')}`;
  throw new UsageError(`“${printable(names.join(' '))}” is not a saved report.`, {
    hint: `Use: adreport run ${flag
      .split(' ')
      .map((word) => shellWord(word, platform))
      .join(' ')}`,
  });
}

/**
 * Returns the names of the reports to run, without duplicates. Throws `UsageError` if none is
 * named, if one does not exist, or if another one would have the same file name.
 */
function chooseReports(file: ProjectFile, command: RunCommandLine, tools: Context): string[] {
  const { options, names } = command;
  const allNames = [...file.lines.keys()];
  const list = `Choose from ${allNames.join(', ')}.`;
  const refusal = (message: string, hint: string) => new UsageError(message, { hint });
  if (allNames.length === 0) {
    throw refusal(`${file.shownPath} has no reports.`, 'Add one under reports:');
  }
  if (options.all && names.length > 0) {
    throw refusal('--all cannot be used with names of reports.', 'Remove one of them.');
  }
  if (!options.all && names.length === 0) {
    throw refusal(`Which report of ${file.shownPath}?`, `${list} To run every one: --all`);
  }

  const chosen = [...new Set(options.all ? allNames : names)];
  for (const name of chosen) {
    if (file.lines.has(name)) continue;
    expectReportName(command, tools);
    const hint = didYouMean(nearest(name, allNames), list);
    throw refusal(`Unknown report ${quoted(name)} in ${file.shownPath}.`, hint);
  }
  for (const name of chosen) expectOwnFileName(name, file);
  return chosen;
}

/** Throws `UsageError` for a name that is the same in the name of a file: `A/B` and `A_B`. */
function expectOwnFileName(name: string, file: ProjectFile): void {
  const key = safeName(name).toLowerCase();
  const same = [...file.lines.keys()].filter((one) => safeName(one).toLowerCase() === key);
  const [first, second] = same;
  if (first === undefined || second === undefined) return;

  const line = file.lines.get(second) ?? 1;
  const message = `The reports ${quoted(first)} and ${quoted(second)} have the same file name.`;
  throw fileError(file.shownPath, [{ line, message, hint: 'Rename one of them.' }]);
}

/** Replaces the query of the parts to download. */
export function withQuery<Planned extends PlannedQuery>(planned: Planned, query: Query): Planned {
  const changed = new Map(planned.allParts.map((part) => [part, { ...part, query }]));
  return {
    ...planned,
    whole: { ...planned.whole, query },
    allParts: [...changed.values()],
    parts: planned.parts.map((part) => changed.get(part) ?? { ...part, query }),
  };
}

/** A report that writes to a place, and the name it uses. */
interface PlaceOwner {
  readonly report: PlannedQuery;
  readonly file: string;
}

/** Names the files of a part, or without `part` of the whole report; `undefined` for stdout. */
export function nameFiles(
  { query, whole, isMerged }: Pick<PlannedQuery, 'query' | 'whole' | 'isMerged'>,
  part: Part = whole,
): (string | undefined)[] {
  const values = { ...nameValues(isMerged ? whole : part), id: '{id}' };
  return query.outputs.map(({ path }) => (path === '-' ? undefined : expandName(path, values)));
}

/**
 * Throws `UsageError` if two outputs of a run have the same name, or if the system does not allow a
 * name.
 */
export function expectDistinctFiles(
  reports: readonly PlannedQuery[],
  { cwd, platform }: { readonly cwd: string; readonly platform: NodeJS.Platform },
): void {
  const owners = new Map<string, PlaceOwner>();
  for (const report of reports) {
    const files = new Set(report.parts.flatMap((part) => nameFiles(report, part)));
    for (const name of files) {
      if (name !== undefined) expectValidOnWindows(name, platform);
      const place = name === undefined ? 'stdout' : pathKey(resolve(cwd, name));
      const owner = owners.get(place);
      const file = name ?? 'stdout';
      if (owner && owner.report !== report) throw sharedFile(owner, { report, file });
      owners.set(place, { report, file });
    }
  }
}

function sharedFile(first: PlaceOwner, second: PlaceOwner): UsageError {
  const { label: one } = first.report;
  const { label: other } = second.report;
  return new UsageError(
    `The reports ${one} and ${other} would both be written to ${second.file}.`,
    {
      hint: 'Use a separate output for each, for example with {report} or {account} in the name.',
    },
  );
}

/** Adds the days to the label of a report in parts; the days alone without a label. */
export function labelOfPart(
  { label, allParts }: Pick<PlannedQuery, 'label' | 'allParts'>,
  part: Part,
): string {
  const days = formatDays(part);
  if (label === undefined) return days;
  return allParts.length > 1 ? `${label} ${days}` : label;
}
