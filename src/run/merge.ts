import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { type LabelledResult, mergeResults } from '../checks/merged-check.ts';
import type { OpenReport } from '../client/open.ts';
import {
  type CheckResult,
  InterruptedError,
  isInterruption,
  RefusedReportError,
} from '../errors.ts';
import { createSpool, type Spool } from '../output/file/spool.ts';
import type { Part } from '../query/query.ts';
import { readRows } from '../rows/read-rows.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import { anySignal } from '../signals.ts';
import type { Context } from './context.ts';
import { prepareReportOutput } from './job-output.ts';
import { mergeReports } from './merge-reports.ts';
import { labelOfPart, nameFiles, type PlannedQuery } from './plan-run.ts';
import { fetchReport, setUpFetch } from './report-fetch.ts';
import { markDownloaded, type ReportTools } from './request.ts';
import { type PreparedOutput, type WrittenReport, writeReport } from './run-report.ts';

/** Reports downloaded ahead of the one being written; each keeps a temporary file open. */
const maxAhead = 32;

/** Begins the work on a part when it is its turn, and throws its error. */
export type RunInTurn = <T>(
  tools: ReportTools,
  part: Part,
  work: (tools: ReportTools) => Promise<T>,
) => Promise<T>;

/** A job whose parts go into one output. */
export interface MergedJob {
  readonly job: PlannedQuery;
  readonly tools: ReportTools;

  /** Set if the output is already prepared. */
  readonly output: PreparedOutput | undefined;

  /** Works on a part once `--concurrency` allows it. */
  readonly inTurn: RunInTurn;
}

/** A report in a temporary file, waiting to be written in time order. */
interface SpooledReport {
  readonly spool: Spool;
  readonly id: string | undefined;
  readonly contentType: string | undefined;
  readonly result: CheckResult;
}

/** A part that is being downloaded, or is waiting to be written. */
interface StartedPart {
  readonly part: Part;
  readonly spooled: Promise<SpooledReport>;
}

/** Collected while reports are merged. */
interface MergedReports {
  /** Ids of the reports that were read. */
  readonly ids: string[];
  readonly results: LabelledResult[];
}

/** Writes all parts of a job into one output. Throws as `inTurn` and `writeReport`. */
export async function mergeParts(context: Context, merged: MergedJob): Promise<WrittenReport> {
  const { job, tools } = merged;
  const reports: MergedReports = { ids: [], results: [] };
  const markAllDownloaded = () => Promise.all(reports.ids.map((id) => markDownloaded(tools, id)));
  const output = merged.output ?? (await prepareReportOutput(context, tools, job));

  try {
    const rows = rowsInOrder(merged, reports);
    const written = await writeReport(tools, output, {
      batches: () => mergeReports(rows, { isWeekly: job.query.breakdowns.includes('WEEKLY') }),
      get result() {
        return mergeResults(reports.results);
      },
      reportIds: reports.ids,
      createdMs: tools.host.wallClock(),
    });
    // Not earlier: until the output is complete, the same command can download them again.
    await markAllDownloaded();
    return written;
  } catch (error) {
    // The error of one report names it, and the others can still be resumed.
    const isWholeRefused = error instanceof RefusedReportError && error.reportId === undefined;
    if (isWholeRefused) await markAllDownloaded();
    throw error;
  }
}

/** Yields the parts in time order; the reports are downloaded concurrently into temporary files. */
async function* rowsInOrder(
  { job, tools, inTurn }: MergedJob,
  { ids, results }: MergedReports,
): AsyncGenerator<RowBatches> {
  const cancel = new AbortController();
  const ofMerge = { ...tools, signal: anySignal(tools.signal, cancel.signal) };
  const folder = spoolFolder(tools, job);
  const ahead = Math.max(maxAhead, job.options.concurrency);
  const started: StartedPart[] = [];

  const startUntil = (end: number): void => {
    for (const part of job.parts.slice(started.length, end)) {
      const spooled = inTurn(ofMerge, part, (ofPart) => {
        // One command goes on with all parts.
        const setup = { ...setUpFetch(ofPart, job, { part }), resumeHint: undefined };
        return fetchReport(ofPart, setup, (report) => spoolReport(report, folder));
      });
      // It may fail before it is awaited.
      spooled.catch(() => {});
      started.push({ part, spooled });
    }
  };

  try {
    startUntil(ahead);
    // `started` grows during the loop.
    for (const [index, { part, spooled }] of started.entries()) {
      const { spool, id, contentType, result } = await awaitSpooledReport(spooled, started);
      if (id !== undefined) ids.push(id);
      results.push({ label: labelOfPart(job, part), result });
      yield readRows(spool.read(), { contentType });
      await spool.close();
      startUntil(index + 1 + ahead);
    }
  } finally {
    // Downloads still run if the output failed or its reader is gone (`| head`).
    cancel.abort(new InterruptedError(143));
    for (const outcome of await settleSpools(started)) {
      if (outcome.status === 'fulfilled') await outcome.value.spool.close();
    }
  }
}

/**
 * Waits for a report. If it fails, the others are still downloaded, so that the service has them
 * ready for the next run.
 */
async function awaitSpooledReport(
  spooled: Promise<SpooledReport>,
  started: readonly StartedPart[],
): Promise<SpooledReport> {
  try {
    return await spooled;
  } catch (error) {
    if (!isInterruption(error)) {
      await settleSpools(started);
      throw error;
    }
    // If another report's error cancelled this one, that error is thrown.
    for (const outcome of await settleSpools(started)) {
      const isCause = outcome.status === 'rejected' && !isInterruption(outcome.reason);
      if (isCause) throw outcome.reason;
    }
    throw error;
  }
}

function settleSpools(
  started: readonly StartedPart[],
): Promise<PromiseSettledResult<SpooledReport>[]> {
  return Promise.allSettled(started.map(({ spooled }) => spooled));
}

/**
 * Writes a report to a temporary file. Its rows are read on the way, so that a damaged body is
 * downloaded again.
 */
async function spoolReport(report: OpenReport, folder: string): Promise<SpooledReport> {
  const spool = await createSpool(folder);
  async function* spooling(): AsyncGenerator<Buffer> {
    for await (const piece of report.bytes()) {
      await spool.write(piece);
      yield piece;
    }
  }

  try {
    for await (const _batch of report.batches(spooling()));
    const { id, contentType, result } = report;
    return { spool, id, contentType, result };
  } catch (error) {
    await spool.close();
    throw error;
  }
}

/** Returns the output's folder, whose disk has room; the system's for stdout and devices. */
function spoolFolder({ host }: ReportTools, job: PlannedQuery): string {
  const [file] = nameFiles(job);
  if (file === undefined) return tmpdir();
  const path = resolve(host.cwd, file);
  return path.startsWith('/dev/') ? tmpdir() : dirname(path);
}
