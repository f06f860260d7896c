import { resolve } from 'node:path';
import type { ServiceAccount } from '../account/account.ts';
import { identifyOwner } from '../account/owner.ts';
import {
  type ReportFlags,
  type RunCommandLine,
  readSavedReports,
} from '../account/saved-reports.ts';
import { findIds } from '../client/find-ids.ts';
import { findNames } from '../contract/aliases.ts';
import { UsageError } from '../errors.ts';
import type { FolderToFill } from '../folder/record-download.ts';
import { pathKey, requireValidOnWindows } from '../output/file/file-name.ts';
import { buildQuery } from '../query/build-query.ts';
import { expandName, listPlaceholders, nameValues } from '../query/file-name.ts';
import type { ThisRunFlags } from '../query/flags/run-flags.ts';
import { keepsFolder, mergesParts, planParts, selectShard, wholePart } from '../query/parts.ts';
import type { Part, Query } from '../query/query.ts';
import { requireTargets, stdoutFormat } from './choose-outputs.ts';
import type { Context } from './context.ts';

/** One query of a run, its account, and the reports to request. */
export interface ReportPlan {
  readonly query: Query;
  readonly account: ServiceAccount;

  /** Flags of this run alone. */
  readonly options: ThisRunFlags;

  /** Distinguishes the reports of a run: the saved report, and the account if there are several. */
  readonly label: string | undefined;

  /** The whole period. */
  readonly whole: Part;

  /** All parts of the period, and those to download, in time order. */
  readonly allParts: readonly Part[];
  readonly parts: readonly Part[];

  /** Folder that the report fills, if it fills one. */
  readonly filled?: FolderToFill;

  /** Why its folder lets none of its parts be requested; an error of the run. */
  readonly refusal?: UsageError;
}

/**
 * Plans the report of the flags, or those of `run NAME…` or `run --all`, for each account. Throws
 * `UsageError`, with file and line for a mistake in `adreport.yaml`.
 */
export async function planRun(context: Context, command: RunCommandLine): Promise<ReportPlan[]> {
  requireEffect(command);
  const { options, names } = command;
  const areSaved = names.length > 0 || options.all || options.file !== undefined;
  const reports = areSaved ? await readSaved(context, command) : [{ options }];
  const planned: ReportPlan[] = [];
  for (const report of reports) {
    try {
      planned.push(...(await planForAccounts(context, report)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw report.locate?.(error) ?? error;
    }
  }
  return planned;
}

function readSaved(context: Context, command: RunCommandLine): Promise<ReportFlags[]> {
  const { cwd, wallClock } = context.host;
  const nowMs = wallClock();
  return readSavedReports(command, { cwd, nowMs, stdoutFormat: stdoutFormat(context) });
}

/** Throws `UsageError` for flags that do nothing with the others. */
function requireEffect({ options, names, typedOptions }: RunCommandLine): void {
  const { direct, split, all, account = '', by = [], shard } = options;
  const isWeekly = by.some((name) => findNames(name, ['WEEKLY']).length > 0);
  const isInParts = split !== undefined || isWeekly;
  const areSaved = all || names.length > 0;
  const hasSeveral = isInParts || areSaved || /,|^all$/.test(account);
  const waitFlag = [
    { option: 'waitTimeout', flag: '--wait-timeout' },
    { option: 'pollInterval', flag: '--poll-interval' },
  ].find(({ option }) => typedOptions.has(option));
  if (direct && waitFlag) {
    throw needless(waitFlag.flag, 'To wait, remove --direct.');
  }
  if (typedOptions.has('concurrency') && !hasSeveral) {
    throw needless('--concurrency', 'To request several reports, add --split.');
  }
  if (shard && !isInParts && !areSaved) {
    throw needless('--shard', 'To select from days, weeks or months, add --split.');
  }
}

function needless(flag: string, why: string): UsageError {
  return new UsageError(`${flag} has no effect here.`, {
    about: { flag },
    hint: `${why} Otherwise remove ${flag}.`,
  });
}

/** Plans a report for each account of `--account a,b` or `all`, otherwise for a single one. */
async function planForAccounts(context: Context, report: ReportFlags): Promise<ReportPlan[]> {
  const { options, name, choice } = report;
  const accountNames = await context.accounts.names(options, choice);
  if (!accountNames) return [await planReport(context, report, name)];

  for (const path of options.output ?? ['-']) requireAccountInName(path);
  const planned: ReportPlan[] = [];
  for (const account of accountNames) {
    const label = name === undefined ? account : `${name} ${account}`;
    const ofAccount = { ...report, options: { ...options, account } };
    planned.push(await planReport(context, ofAccount, label));
  }
  return planned;
}

/** Throws `UsageError` if several accounts would write to one file. */
function requireAccountInName(path: string): void {
  if (listPlaceholders(path).includes('account')) return;
  const place = path === '-' ? 'stdout' : `-o ${path}`;
  throw new UsageError(`Cannot write several accounts to ${place}.`, {
    about: { flag: '--output' },
    hint: "Put {account} in the name: -o '{account}/{date}.csv'",
  });
}

async function planReport(
  context: Context,
  { options, name, choice }: ReportFlags,
  label: string | undefined,
): Promise<ReportPlan> {
  const account = context.accounts.choose(options, choice);
  const settings = await account.settings();
  const nowMs = context.host.wallClock();
  const query = buildQuery(options, {
    ...identifyOwner(account, settings),
    ...(name !== undefined && { report: name }),
    profile: settings.profile.value,
    encoding: settings.encoding.value,
    windowClock: settings.windowClock.value,
    stdoutFormat: stdoutFormat(context),
    nowMs,
    platform: context.host.platform,
  });
  requireTargets(context, query.outputs);
  if (options.clobber === false && keepsFolder(query)) {
    throw new UsageError('--no-clobber does not go with a folder.', {
      about: { flag: '--no-clobber' },
      hint: 'A folder replaces files that are not final. Remove --no-clobber.',
    });
  }

  const allParts = planParts(query, nowMs);
  const { shard } = options;
  const parts = shard ? selectShard(allParts, shard) : allParts;
  return { query, account, options, label, whole: wholePart(query, nowMs), allParts, parts };
}

/**
 * Looks up the names in the filters of a report, and prints what they select. Called after all
 * checks, because it calls the service. Throws `UsageError` as `findIds`.
 */
export async function withIds({ console }: Context, planned: ReportPlan): Promise<ReportPlan> {
  const { query, selections, warnings } = await findIds(planned.account.client, planned.query);
  for (const selection of selections) console.note(selection);
  for (const { message } of warnings) console.warn(message);
  return withRequestQuery(planned, query);
}

/** Replaces the query of what is requested; messages and files have that of the report. */
export function withRequestQuery(planned: ReportPlan, query: Query): ReportPlan {
  const replace = (part: Part): Part => ({ ...part, query });
  const { whole, allParts, parts } = planned;
  return {
    ...planned,
    whole: replace(whole),
    allParts: allParts.map(replace),
    parts: parts.map(replace),
  };
}

/** Names the files of a part, or of the whole report if its parts are merged; stdout is `-`. */
export function nameFiles({ query, whole }: ReportPlan, part: Part): string[] {
  const values = { ...nameValues(mergesParts(query) ? whole : part), id: '{id}' };
  return query.outputs.map(({ path }) => expandName(path, values));
}

/**
 * Throws `UsageError` if two reports of a run write to the same place, or if the system does not
 * allow a name.
 */
export function requireDistinctFiles(
  reports: readonly ReportPlan[],
  { cwd, platform }: { readonly cwd: string; readonly platform: NodeJS.Platform },
): void {
  const owners = new Map<string, ReportPlan>();
  for (const report of reports) {
    const names = new Set(report.parts.flatMap((part) => nameFiles(report, part)));
    for (const name of names) {
      if (name !== '-') requireValidOnWindows(name, platform);
      const place = name === '-' ? name : pathKey(resolve(cwd, name));
      const owner = owners.get(place) ?? report;
      owners.set(place, owner);
      if (owner === report) continue;

      const shown = name === '-' ? 'stdout' : name;
      const message = `The reports ${owner.label} and ${report.label} would both be written to ${shown}.`;
      throw new UsageError(message, {
        hint: 'Use a separate output for each, for example with {report} or {account} in the name.',
      });
    }
  }
}
