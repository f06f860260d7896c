import { AdreportError, ErrorInContext, isNotSignedIn } from '../errors.ts';
import { requireAppendable } from '../folder/history.ts';
import { requireDeclaredReport } from '../folder/record-download.ts';
import { commandFor, downloadCommandFor } from '../query/command-for.ts';
import { expandExceptDates, listPlaceholders, placeholderValues } from '../query/file-name.ts';
import { isBareToken } from '../query/owner.ts';
import { findPartUnit, mergesParts } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import { silentProgress } from '../ui/progress.ts';
import { Announcer } from './announce.ts';
import { type Context, forAccount } from './context.ts';
import { combineFailures, Downloads, labelPart, settleAll, withNextCommand } from './downloads.ts';
import { type ReportPlan, resolveNames, withRequestQuery } from './plan-run.ts';
import { runReport } from './run-report.ts';

/** State that the reports of a command share. */
interface Run {
  readonly context: Context;
  readonly downloads: Downloads;
  readonly announcer: Announcer;
}

/**
 * Downloads reports, `--concurrency` at a time. A failure does not stop the others. At the end,
 * throws the earliest failure with a message that lists all of them.
 *
 * @param again command to print after an error; default: the command of the report
 */
export async function runReports(
  context: Context,
  planned: readonly ReportPlan[],
  again?: string,
): Promise<void> {
  const reports = planned.filter(({ parts, refusal }) => parts.length > 0 || refusal);
  const [first] = reports;
  if (!first) return;

  const isSingle = planned.length === 1 && findPartUnit(first.query) === undefined;
  const reportCount = reports.reduce((count, { parts }) => count + parts.length, 0);
  const meter = isSingle ? undefined : (await context.progress()).parts(reportCount);
  const size = Math.min(...reports.map(({ options }) => options.concurrency));
  const run: Run = {
    context: isSingle ? context : { ...context, progress: async () => silentProgress },
    downloads: new Downloads(context, { size, meter }),
    announcer: new Announcer(context),
  };
  try {
    const errors = await settleAll(reports.map((report) => downloadReport(run, report)));
    const commands = again === undefined ? listResumeCommands(run, reports, errors) : [again];
    throwFailures(run, { commands, reportCount });
  } finally {
    meter?.stop();
  }
  run.announcer.end({ isOneReport: planned.length === 1 });
}

/**
 * Downloads one report: as a whole, with a file per part, or in parts that are merged. Throws its
 * first error, which is recorded like the others.
 */
async function downloadReport(shared: Run, planned: ReportPlan): Promise<void> {
  const { label, whole, outputFolder, account, refusal } = planned;
  const download = { label, since: whole.since, account };
  const errors = await shared.downloads.record(download, async () => {
    if (refusal) throw refusal;
    const run = { ...shared, context: forAccount(shared.context, account) };
    if (outputFolder) await requireAppendable(outputFolder);
    const query = await resolveNames(run.context, account, planned.query);
    const report = withRequestQuery(planned, query);
    if (mergesParts(report.query)) {
      await writeReport(run, report, report.whole);
      return [];
    }

    const hasParts = findPartUnit(report.query) !== undefined;
    const downloads = report.parts.map((part) => {
      const { since } = part;
      const partLabel = hasParts ? labelPart(label, part) : label;
      return run.downloads.take({ label: partLabel, since, account }, () => {
        return writeReport(run, report, part);
      });
    });
    return settleAll(downloads);
  });
  const first = errors.find((error) => error !== undefined);
  if (first) throw first;
}

/**
 * Writes and announces a part or a merged report. Throws if a file with a different report had to
 * be kept.
 */
async function writeReport(run: Run, report: ReportPlan, part: Part): Promise<void> {
  const { context, downloads, announcer } = run;
  const { query, options, label, outputFolder, parts } = report;
  // A report that is split into several has no single ID for `{id}`.
  const hasId = query.outputs.some(({ path }) => listPlaceholders(path).includes('id'));
  const mayBeSplit = !hasId && findPartUnit(query) === undefined;
  const written = await runReport(context, {
    query,
    part,
    options,
    output: { ...options, ...query, names: placeholderValues(part) },
    label,
    outputFolder,
    merged: mergesParts(query) ? { parts, label, downloads } : undefined,
    downloads: mayBeSplit ? downloads : undefined,
  });
  await announcer.add(written);
  if (written.recorded) requireDeclaredReport(written.recorded, written.files[0]?.name);
}

/** Lists the commands that resume the reports that failed. Reports of `--local` have none. */
function listResumeCommands(
  { context }: Run,
  reports: readonly ReportPlan[],
  errors: readonly (AdreportError | undefined)[],
): string[] {
  const { platform } = context.host;
  return reports.flatMap((report, index) => {
    const error = errors[index];
    return error && !report.account.isLocal ? [resumeCommand(report, error, platform)] : [];
  });
}

/** Throws the error of a failed run, with the commands to run next. */
function throwFailures(
  { context, downloads: { failures } }: Run,
  { commands, reportCount }: { commands: readonly string[]; reportCount: number },
): void {
  const [first] = failures;
  if (!first) return;

  const { signal } = context.host;
  const [command] = commands;
  if (first.label === undefined) {
    throw withNextCommand(first.error, { resume: command, again: command });
  }

  const error = signal.aborted ? signal.reason : combineFailures(failures, reportCount);
  if (!(error instanceof AdreportError)) throw error;
  // A refused request would be refused again.
  const isRefused =
    !signal.aborted && failures.every(({ error: { exitCode } }) => [2, 4].includes(exitCode));
  const next = isRefused ? undefined : formatNext(commands);
  const hints = [error.hint, next].filter((hint) => hint !== undefined);
  throw new ErrorInContext(error, { hint: hints.join('\n') });
}

function formatNext(commands: readonly string[]): string {
  if (commands.length === 0) return 'Run the same command again.';
  const separator = commands.length > 1 ? '\n  ' : ' ';
  return `To resume:${separator}${commands.join('\n  ')}`;
}

/** Formats the command that resumes a report or requests it again. */
function resumeCommand(
  { query: planned, whole, period, options }: ReportPlan,
  error: AdreportError,
  platform: NodeJS.Platform,
): string {
  // The command does not mention the saved report, so its outputs must.
  const [output, ...others] = planned.outputs.map(({ path, format }) => ({
    format,
    path: path.replaceAll('{report}', () =>
      expandExceptDates('{report}', placeholderValues(whole)),
    ),
  }));
  const query = output ? { ...planned, outputs: [output, ...others] as const } : planned;
  const { reportId } = error;
  const queryContext = { platform, flags: options };
  // A new unnamed token counts as a different account, which cannot resume the report.
  const isLost = isBareToken(query) && isNotSignedIn(error);
  if (isLost && reportId !== undefined) return downloadCommandFor(query, reportId, queryContext);
  return commandFor(query, period, queryContext);
}
