import type { ServiceAccount } from '../account/account.ts';
import { describeAccount } from '../account/owner.ts';
import {
  type ReportFlags,
  type RunCommandLine,
  readSavedReports,
} from '../account/saved-reports.ts';
import { findIds } from '../client/find-ids.ts';
import { type AdreportError, UsageError } from '../errors.ts';
import { openFolder } from '../folder/open-folder.ts';
import type { OutputFolder } from '../folder/record-download.ts';
import { buildQuery } from '../query/build-query.ts';
import { fixedPeriod } from '../query/command-for.ts';
import { listPlaceholders } from '../query/file-name.ts';
import type { ThisRunFlags } from '../query/flags/run-flags.ts';
import { fillsFolder, planParts, selectShard, toWholePart } from '../query/parts.ts';
import type { PeriodInput } from '../query/period.ts';
import type { Part, Query } from '../query/query.ts';
import type { Context } from './context.ts';
import { requireTargets, stdoutFormat } from './prepare-files.ts';

/** A report of a run: its query, its account, and the parts to request. */
export interface ReportPlan {
  readonly query: Query;
  readonly account: ServiceAccount;

  /** Flags that apply to this run only. */
  readonly options: ThisRunFlags;

  /**
   * Name of the saved report, with the account if there are several. Not set if the run has only
   * one report.
   */
  readonly label: string | undefined;

  /** The whole period as one part. */
  readonly whole: Part;

  /** Period of all parts, including those of other shards, for the command that resumes the run. */
  readonly period: PeriodInput;

  /** Reports to download, in time order. */
  readonly parts: readonly Part[];

  /** Folder that the report fills, if any. */
  readonly outputFolder?: OutputFolder;

  /** Why the folder cannot be filled. */
  readonly refusal?: AdreportError;
}

/**
 * Plans the report given by flags, or the saved reports of `run NAME…` or `run --all`, for each
 * account. Throws `UsageError`, with file and line for a mistake in `adreport.yaml`.
 */
export async function planRun(context: Context, command: RunCommandLine): Promise<ReportPlan[]> {
  const { options, names } = command;
  const areSaved = names.length > 0 || options.all || options.file !== undefined;
  const here = { cwd: context.host.cwd, stdoutFormat: stdoutFormat(context) };
  const reports: ReportFlags[] = areSaved ? await readSavedReports(command, here) : [{ options }];
  const planned: ReportPlan[] = [];
  for (const report of reports) {
    try {
      planned.push(...(await planForAccounts(context, report)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw report.locate?.(error) ?? error;
    }
  }
  const [only, ...others] = planned;
  return only && others.length === 0 ? [{ ...only, label: undefined }] : planned;
}

/** Plans one report for each account of `--account a,b` or `all`, otherwise a single report. */
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
  const target = path === '-' ? 'stdout' : `-o ${path}`;
  throw new UsageError(`Cannot write several accounts to ${target}.`, {
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
  const nowMs = context.host.wallClock();
  const query = buildQuery(options, {
    ...(await describeAccount(account)),
    report: name,
    stdoutFormat: stdoutFormat(context),
    nowMs,
  });
  requireTargets(context, query.outputs);
  if (options.clobber === false && fillsFolder(query)) {
    throw new UsageError('--no-clobber cannot be used with a folder.', {
      about: { flag: '--no-clobber' },
      hint: 'A folder replaces files that are not final. Remove --no-clobber.',
    });
  }

  const whole = toWholePart(query, nowMs);
  const all = planParts(query, nowMs);
  // The end comes from the last part, which may not have ended.
  const period = fixedPeriod(all[0] ?? whole, all.at(-1) ?? whole);
  const { shard } = options;
  const parts = shard ? selectShard(all, shard) : all;
  return { query, account, options, label, whole, period, parts };
}

/**
 * Replaces names in the filters of a query with IDs, and prints the selected names. Called after
 * all other checks, because it calls the service. Rejects like `findIds`.
 */
export async function resolveNames(
  { console }: Context,
  { client }: ServiceAccount,
  input: Query,
): Promise<Query> {
  const { query, selections, warnings } = await findIds(client, input);
  for (const selection of selections) console.note(selection);
  for (const { message } of warnings) console.warn(message);
  return query;
}

/** Replaces the query in the requests only. Messages and files keep the original query. */
export function withRequestQuery(planned: ReportPlan, query: Query): ReportPlan {
  const { whole, parts } = planned;
  return {
    ...planned,
    whole: { ...whole, query },
    parts: parts.map((part) => ({ ...part, query })),
  };
}

/**
 * Declares each report in its folder, and limits it to the parts that are due. If `shouldDeclare` is
 * false, nothing is written.
 *
 * @throws OutputError if a folder cannot be written
 */
export async function declareFolders(
  context: Context,
  reports: readonly ReportPlan[],
  { shouldDeclare }: { readonly shouldDeclare: boolean },
): Promise<ReportPlan[]> {
  const declared: ReportPlan[] = [];
  for (const report of reports) {
    try {
      const isFolder = fillsFolder(report.query);
      declared.push(isFolder ? await declareFolder(context, report, shouldDeclare) : report);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      declared.push({ ...report, parts: [], refusal: error });
    }
  }
  return declared;
}

async function declareFolder(
  { console, host }: Context,
  planned: ReportPlan,
  shouldDeclare: boolean,
): Promise<ReportPlan> {
  const { fresh: isFresh = false, shard } = planned.options;
  const run = { cwd: host.cwd, host, shard, nowMs: host.wallClock(), isFresh, shouldDeclare };
  const { query, parts, outputFolder, warnings, notes } = await openFolder(planned, run);
  for (const warning of warnings) console.warn(warning);
  for (const note of notes) console.note(note);
  return withRequestQuery({ ...planned, query, parts, outputFolder }, query);
}
