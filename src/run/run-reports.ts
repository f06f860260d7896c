import type { ServiceAccount } from '../account/account.ts';
import {
  AdreportError,
  ErrorInContext,
  IncompleteDataError,
  InterruptedError,
  isClosedPipe,
} from '../errors.ts';
import { requireAppendable } from '../folder/history.ts';
import { listPlaceholders, nameValues } from '../query/file-name.ts';
import { mergesParts, unitOfParts } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import { type PartsProgress, silentProgress } from '../ui/progress.ts';
import { Announcer } from './announce.ts';
import { type Context, forAccount } from './context.ts';
import { combineFailures, type Failure, labelPart, PartsFailed } from './failures.ts';
import { type ReportPlan, withIds } from './plan-run.ts';
import { RequestQueue } from './request-queue.ts';
import { nextCommand, withNextCommand } from './resume-command.ts';
import { type ReportToWrite, runReport, type WrittenReport } from './run-report.ts';

/** What the reports of a command share. */
interface Run {
  readonly context: Context;
  readonly queues: ReadonlyMap<ServiceAccount, RequestQueue>;
  readonly announcer: Announcer;
  readonly failures: Failure[];
}

/**
 * Downloads reports, `--concurrency` at a time. After a failure the others continue; at the end the
 * error of the earliest failure is thrown, and names all of them.
 *
 * @param again command to print after an error; by default that of the report
 */
export async function runReports(
  context: Context,
  planned: readonly ReportPlan[],
  again?: string,
): Promise<void> {
  const reports = planned.filter(({ parts, refusal }) => parts.length > 0 || refusal);
  const [first, ...others] = reports;
  if (!first) return;

  const isSingle = planned.length === 1 && unitOfParts(first.query) === undefined;
  const partCount = reports.reduce((count, { parts }) => count + parts.length, 0);
  const meter = isSingle ? undefined : (await context.progress()).parts(partCount);
  const run: Run = {
    context: isSingle ? context : { ...context, progress: async () => silentProgress },
    queues: queuesByAccount(reports, meter),
    announcer: new Announcer(context),
    failures: [],
  };
  try {
    await settleAll(
      reports.map((report) => {
        return downloadReport(run, isSingle ? { ...report, label: undefined } : report);
      }),
    );
  } finally {
    meter?.stop();
  }

  const isTypable = again === undefined && others.length === 0 && !first.account.isLocal;
  throwFailures(run, { again, report: isTypable ? first : undefined, reportCount: partCount });
  run.announcer.end({ isOneReport: planned.length === 1 });
}

/** Lets the smallest `--concurrency` of its reports apply to an account. */
function queuesByAccount(
  reports: readonly ReportPlan[],
  meter: PartsProgress | undefined,
): Map<ServiceAccount, RequestQueue> {
  const queues = new Map<ServiceAccount, RequestQueue>();
  for (const { account } of reports) {
    const own = reports.filter((report) => report.account === account);
    const size = Math.min(...own.map(({ options }) => options.concurrency));
    queues.set(account, new RequestQueue({ size, client: account.client, meter }));
  }
  return queues;
}

/** Waits until all tasks have ended. Throws the first of their errors. */
async function settleAll(tasks: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(tasks);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Downloads one report: as a whole, in parts with a file each, or in parts that are merged. */
async function downloadReport(run: Run, planned: ReportPlan): Promise<void> {
  const { label, whole, filled } = planned;
  await recordFailures(run, { label, since: whole.since }, async () => {
    if (planned.refusal) throw planned.refusal;
    const context = forAccount(run.context, planned.account);
    if (filled) await requireAppendable(filled);
    const report = await withIds(context, planned);
    if (mergesParts(report.query)) {
      await announce(run, await runReport(context, await toReportToWrite(run, report, whole)));
      return;
    }

    const hasParts = unitOfParts(report.query) !== undefined;
    const downloads = report.parts.map((part) => {
      const place = { label: hasParts ? labelPart(label, part) : label, since: part.since };
      return recordFailures(run, place, () =>
        queueOf(run, report).take(async () => {
          await announce(run, await runReport(context, await toReportToWrite(run, report, part)));
        }),
      );
    });
    await settleAll(downloads);
  });
}

function queueOf({ queues }: Run, { account }: ReportPlan): RequestQueue {
  const queue = queues.get(account);
  if (!queue) throw new Error('Each account of a run has a queue.');
  return queue;
}

async function toReportToWrite(run: Run, report: ReportPlan, part: Part): Promise<ReportToWrite> {
  const { query, options, label, filled, parts, account } = report;
  const queue = queueOf(run, report);
  // The one output of several reports has no id.
  const hasId = query.outputs.some(({ path }) => listPlaceholders(path).includes('id'));
  return {
    query,
    part,
    options,
    output: { ...options, ...query },
    names: nameValues(part),
    title: { report: query.report ?? null, account: await account.name() },
    label,
    filled,
    merged: mergesParts(query) ? { parts, label, options, queue } : undefined,
    mayBeSplit: !hasId && unitOfParts(query) === undefined,
  };
}

/** Announces a report. Throws an error for a file that was kept although it is of another one. */
async function announce({ announcer }: Run, written: WrittenReport): Promise<void> {
  await announcer.add(written);
  const { files, recorded } = written;
  if (!recorded?.kept || recorded.kept.isOfReport) return;
  throw new IncompleteDataError(`${files[0]?.name} was kept, but it is not of this report.`, {
    hint: 'Delete the file to accept that the new report has no numbers, and run again.',
  });
}

/** Records the error of some work. A bug or a closed pipe ends the run, and is thrown. */
async function recordFailures(
  { context, failures }: Run,
  place: Omit<Failure, 'error'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof PartsFailed) failures.push(...error.failures);
    else if (error instanceof AdreportError && !isClosedPipe(error)) {
      failures.push({ ...place, error });
    } else {
      context.stopper.abort(new InterruptedError(143));
      throw error;
    }
  }
}

interface NextCommand {
  /** Known to the caller. */
  readonly again: string | undefined;

  /** The one report of the run, whose command can be typed. */
  readonly report: ReportPlan | undefined;

  /** All reports of the run, with the parts of merged ones. */
  readonly reportCount: number;
}

/** Throws the error of a run, if there is one, with the command to run next. */
function throwFailures(
  { context, failures }: Run,
  { again, report, reportCount }: NextCommand,
): void {
  const [first] = failures;
  if (!first) return;

  const { signal, platform } = context.host;
  const command = again ?? (report && nextCommand(report, first.error, platform));
  if (first.label === undefined) {
    throw withNextCommand(first.error, { resume: command, again: command });
  }

  const error = signal.aborted ? signal.reason : combineFailures(failures, reportCount);
  if (!(error instanceof AdreportError)) throw error;
  // What was refused would be refused again.
  const isRefused =
    !signal.aborted && failures.every(({ error: { exitCode } }) => [2, 4].includes(exitCode));
  const next = command === undefined ? 'Run the same command again.' : `To resume: ${command}`;
  const hints = [error.hint, isRefused ? undefined : next].filter((hint) => hint !== undefined);
  throw new ErrorInContext(error, { hint: hints.join('\n') });
}
