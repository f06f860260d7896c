import type { OpenReport } from '../client/open.ts';
import { isReportFailure, isTooLarge, RefusedReportError } from '../errors.ts';
import { splitToRetry } from '../query/parts.ts';
import type { Context } from './context.ts';
import { MergedReport, type PartsToMerge } from './merge-parts.ts';
import { type ReportToOpen, recordedAttempts } from './recorded-attempts.ts';
import { recordFailure, updateLedger } from './request.ts';
import { RequestQueue } from './request-queue.ts';

/** A report whose rows are pulled. */
export type ReportRows = OpenReport | MergedReport;

export interface ReportToRead extends ReportToOpen {
  /** Reports to merge; absent to request one. */
  readonly merged?: PartsToMerge | undefined;

  /** Set if the report may be requested in parts if it fails. */
  readonly mayBeSplit?: boolean;

  /** Of the report, if the run has several. */
  readonly label?: string | undefined;
  readonly options: PartsToMerge['options'];
}

/**
 * Reads the rows of a report: of one request, once more if it fails, and then of its parts, merged.
 * After a failure `use` begins anew. Throws as the client and `use`, and `PartsFailed`.
 */
export async function readReportRows<Result>(
  context: Context,
  request: ReportToRead,
  use: (rows: ReportRows) => Promise<Result>,
): Promise<Result> {
  if (request.merged) return readMerged(context, request.merged, use);
  const attempts = await recordedAttempts(context, request);
  try {
    return await attempts.read(async (report) => {
      const result = await use(report);
      // Not earlier: until the files are in place, the same command can download it again.
      await recordDownloads(context, report.id === undefined ? [] : [report.id]);
      return result;
    });
  } catch (error) {
    if (!isReportFailure(error) && !isTooLarge(error)) throw error;
    const { part, mayBeSplit, options, label } = request;
    const isAllowed = mayBeSplit && options.retries !== 0;
    const parts = part && isAllowed ? splitToRetry(part) : [];
    if (parts.length < 2) throw error;

    const { console, account, progress } = context;
    console.note(`${error.message} Requesting it as ${parts.length} shorter reports instead.`);
    const meter = (await progress()).parts(parts.length);
    const { concurrency: size = 1 } = options;
    const queue = new RequestQueue({ size, client: account.client, meter });
    try {
      return await readMerged(context, { parts, label, options, queue }, use);
    } finally {
      meter.stop();
    }
  }
}

/** Reads the rows of several reports as those of one. */
async function readMerged<Result>(
  context: Context,
  merged: PartsToMerge,
  use: (rows: ReportRows) => Promise<Result>,
): Promise<Result> {
  const rows = new MergedReport(context, merged);
  try {
    const result = await use(rows);
    await recordDownloads(context, rows.reportIds);
    return result;
  } catch (error) {
    // The error of one report names it, and the others can still be resumed.
    const isWholeRefused = error instanceof RefusedReportError && error.reportId === undefined;
    for (const id of isWholeRefused ? rows.reportIds : []) {
      await recordFailure(context, id, error);
    }
    throw error;
  }
}

/** Records that reports are in their files: the same command requests them anew. */
async function recordDownloads(context: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) await updateLedger(context, id, { status: 'downloaded' });
}
