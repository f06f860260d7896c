import { dirname, relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import {
  findProjectFile,
  type ProjectFile,
  type ProjectFileError,
  projectError,
  projectFileName,
  readProjectFile,
  type SavedEntry,
  type SavedSection,
} from '../account/project-file.ts';
import { splitChoice } from '../account/settings.ts';
import type { Context } from '../context.ts';
import { findAnyBreakdown } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { isAddress } from '../output/file/address.ts';
import { isPeriod } from '../report/window-flags.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { printable, quoted } from '../text/printable.ts';
import { planForAccounts } from './accounts.ts';
import { type Flag, isNegation, isSwitch, longNameOf, readValue } from './flags/flag.ts';
import { type RunFlags, runFlags } from './flags/run-flags.ts';
import type { Job } from './plan.ts';

/** What `run` was called with. */
export interface RunCommandLine {
  readonly options: RunFlags;

  /** The names of saved reports. */
  readonly names: readonly string[];

  /** The names of the options that stand on the command line; the others have their defaults. */
  readonly typedOptions: ReadonlySet<string>;
}

/**
 * The jobs of the saved reports that `run NAME…` or `run --all` means. Throws `UsageError` for a
 * file or a name that is not there, and with file and line for what is wrong in the file.
 */
export async function planSavedReports(
  context: Context,
  { options, names, typedOptions }: RunCommandLine,
): Promise<Job[]> {
  const { cwd } = context.host;
  const path = findFile(context, { options, names });
  const file = await readProjectFile(path, relative(cwd, path), savedKeys());

  const jobs: Job[] = [];
  const unknown = names.find((name) => !file.reports.has(name));
  if (unknown !== undefined) expectReportName(unknown, context.host.wallClock());
  for (const { name, section } of chooseReports(file, options, names)) {
    const saved = savedOptions(file, section, { typedOptions, cwd });
    try {
      const { choice, others } = splitChoice(saved.values);
      const report = { name, options: { ...options, ...others }, choice };
      jobs.push(...(await planForAccounts(context, report)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const errors = fileErrorsOf(error, section.line, saved.origins);
      throw projectError(file.shownPath, errors);
    }
  }
  return jobs;
}

/**
 * The file of saved reports that is named, or the nearest one. Throws `UsageError` where there is
 * none.
 */
function findFile(
  { host }: Pick<Context, 'host'>,
  { options, names }: Pick<RunCommandLine, 'options' | 'names'>,
): string {
  const { cwd } = host;
  const path = options.file === undefined ? findProjectFile(cwd) : resolve(cwd, options.file);
  if (path !== undefined) return path;

  const [firstName] = names;
  if (firstName !== undefined) expectReportName(firstName, host.wallClock());
  const what = firstName === undefined ? '--all' : `The report ${quoted(firstName)}`;
  throw new UsageError(
    `${what} needs a file of saved reports, and there is no ${projectFileName} here or in a folder above.`,
    { hint: 'Write one with: adreport init (or name it with --file).' },
  );
}

/**
 * Throws `UsageError` for a word that is the value of a flag, and no name of a report that anybody
 * would give.
 */
function expectReportName(name: string, nowMs: number): void {
  const isWindow = isPeriod(name, nowMs);
  if (!isWindow && !findAnyBreakdown(name)) return;

  const flag = isWindow ? '--period' : '--by';
  throw new UsageError(`“${printable(name)}” is no saved report.`, {
    hint: `Use: adreport run ${flag} ${name}`,
  });
}

/** A report of the file, by its name. */
interface ChosenReport {
  readonly name: string;
  readonly section: SavedSection;
}

/**
 * The reports that the command line names, each once. Throws `UsageError` where it names none, or
 * one that is not there.
 */
function chooseReports(
  { reports, shownPath }: ProjectFile,
  { all }: RunFlags,
  names: readonly string[],
): ChosenReport[] {
  const allNames = [...reports.keys()];
  const list = `It has ${allNames.join(', ')}.`;
  const refuse = (message: string, hint: string) => new UsageError(message, { hint });

  if (allNames.length === 0) {
    throw refuse(`${shownPath} has no reports.`, 'Add one under reports:');
  }
  if (all && names.length > 0) {
    throw refuse('--all and names exclude each other.', 'Leave one out.');
  }
  if (!all && names.length === 0) {
    throw refuse(`Which report of ${shownPath}?`, `${list} Or give --all.`);
  }

  const chosenNames = new Set(all ? allNames : names);
  return [...chosenNames].map((name) => {
    const section = reports.get(name);
    if (section) return { name, section };
    const hint = didYouMean(nearest(name, allNames), list);
    throw refuse(`${shownPath} has no report ${quoted(name)}.`, hint);
  });
}

/** The mistakes of an error, each with the line of the value that it is about. */
function fileErrorsOf(
  error: UsageError,
  reportLine: number,
  origins: readonly Origin[],
): ProjectFileError[] {
  const { mistakes = [error] } = error;
  return mistakes.map(({ message, hint, about }) => {
    const origin = origins.find(({ option }) => option === optionOf(about?.flag));
    return { line: origin?.line ?? reportLine, message, hint };
  });
}

/** The option of a flag, by its long name. */
function optionOf(name: string | undefined): string | undefined {
  for (const [, { option, flag }] of savedKeyTable()) {
    if (longNameOf(flag) === name) return mainName(option);
  }
  return undefined;
}

/** What a key of a saved report stands for. */
interface SavedKey {
  readonly flag: Flag;

  /** The name of its option. */
  readonly option: string;

  /** Whether `true` turns something off: `no-header: true`. */
  readonly turnsOff: boolean;
}

/** The keys of saved reports: a flag that turns something off has its positive key too. */
function savedKeyTable(): ReadonlyMap<string, SavedKey> {
  const keys = new Map<string, SavedKey>();

  for (const { flags } of runFlags) {
    for (const [option, flag] of Object.entries<Flag>(flags)) {
      if (flag.isNeverSaved) continue;

      const key = longNameOf(flag).slice('--'.length);
      keys.set(key, { flag, option, turnsOff: isNegation(flag) });
      if (isNegation(flag)) keys.set(option, { flag, option, turnsOff: false });
    }
  }
  return keys;
}

/** The keys that a saved report may have: those of the flags of `run` that describe a report. */
export function savedKeys(): string[] {
  return [...savedKeyTable().keys()];
}

/** Where an option is in the project file. */
interface Origin extends SavedEntry {
  readonly option: string;
}

/** The options of a saved report, and where each of them stands. */
interface SavedOptions {
  readonly values: Partial<RunFlags>;
  readonly origins: readonly Origin[];
}

/** What a command line says itself, and where it is run. */
interface CommandLinePlace {
  /** The names of the options that stand on it. */
  readonly typedOptions: ReadonlySet<string>;
  readonly cwd: string;
}

const windowOptions = ['period', 'since', 'until'];

/** The options that name a file. */
const fileOptions = ['output', 'logo'];

/** Breakdowns have two names, of which one is enough. */
function mainName(option: string): string {
  return option === 'breakdowns' ? 'by' : option;
}

/**
 * The options of a saved report under those of the command line, as one, and where each stands: the
 * command line wins, then the report, then `defaults`. A window that is named anew replaces the old
 * one whole. Throws `UsageError` with the lines of all values that their flags would not take.
 */
export function savedOptions(
  file: ProjectFile,
  report: SavedSection,
  { typedOptions, cwd }: CommandLinePlace,
): SavedOptions {
  const keys = savedKeyTable();
  const errors: ProjectFileError[] = [];
  const values: Record<string, unknown> = {};
  const origins: Origin[] = [];
  const taken = new Set([...typedOptions].map(mainName));

  for (const section of [report, file.defaults]) {
    const beaten = new Set(taken);
    if (windowOptions.some((option) => taken.has(option))) {
      for (const option of windowOptions) beaten.add(option);
    }

    for (const [key, entry] of section.entries) {
      const savedKey = keys.get(key);
      if (!savedKey) continue;

      const option = mainName(savedKey.option);
      const value = readEntry(key, savedKey, entry, errors);
      if (beaten.has(option)) continue;
      taken.add(option);

      // A place is reckoned from the file's own folder, wherever the command is run.
      const isPath = value !== '-' && !isAddress(String(value));
      const isFile = fileOptions.includes(option) && isPath;
      const ownPath = relative(cwd, resolve(dirname(file.path), String(value)));
      values[option] = isFile ? ownPath : value;
      origins.push({ option, ...entry });
    }
  }

  if (errors.length > 0) throw projectError(file.shownPath, errors);
  // The flags have read them, so that each is what its flag gives.
  return { values: values as Partial<RunFlags>, origins };
}

/** The value of a key, as its flag reads it; what is wrong with it becomes an error. */
function readEntry(
  key: string,
  { flag, turnsOff }: SavedKey,
  { texts, isList, line }: SavedEntry,
  errors: ProjectFileError[],
): unknown {
  const refuse = (reason: string): void => void errors.push({ line, message: `${key} ${reason}` });
  const joined = texts.join(',');

  if (isSwitch(flag)) {
    if (isList || !/^(true|false)$/i.test(joined)) return refuse('is true or false.');
    const isTrue = joined.toLowerCase() === 'true';
    return turnsOff ? !isTrue : isTrue;
  }

  if (flag.isRepeatable) return texts;
  if (isList && !flag.flags.includes(',')) return refuse('takes one value, and not a list.');
  try {
    return readValue(flag, joined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return refuse(`${JSON.stringify(joined)}: ${error.message}`);
  }
}
