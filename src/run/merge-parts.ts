import { tmpdir } from 'node:os';
import { type LabelledResult, mergeResults } from '../checks/merged-check.ts';
import type { OpenReport } from '../client/open.ts';
import { AdreportError, type CheckResult, InterruptedError, isInterruption } from '../errors.ts';
import { createSpool, type Spool } from '../output/file/spool.ts';
import { withoutOutput } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import { mergeReports } from '../rows/merge-reports.ts';
import { readRows } from '../rows/read-rows.ts';
import { emptyTail, type RowBatch, type RowBatches } from '../rows/row-batch.ts';
import { anySignal } from '../signals.ts';
import { silentProgress } from '../ui/progress.ts';
import type { Context } from './context.ts';
import { type Downloads, labelPart, PartsFailedError } from './downloads.ts';

/** Reports downloaded ahead of the one being read; each keeps a temporary file open. */
const maxAhead = 32;

/** A report in a temporary file, waiting to be read in time order. */
export interface SpooledReport extends Pick<OpenReport, 'id' | 'contentType' | 'result'> {
  readonly spool: Spool;
}

/** Downloads a part into a temporary file. */
type SpoolPart = (context: Context, part: Part) => Promise<SpooledReport>;

export interface PartsToMerge {
  /** Parts in time order. */
  readonly parts: readonly Part[];

  /** Label of the report, if the run has several. */
  readonly label?: string | undefined;
  readonly downloads: Downloads;
}

/** A part that is being downloaded, or is waiting to be read. */
interface StartedPart {
  readonly label: string;
  readonly spooled: Promise<SpooledReport>;
}

/**
 * Several reports that are read as one. Their rows come in time order. The reports are downloaded
 * concurrently into temporary files.
 */
export class MergedReport {
  readonly id = undefined;

  /** Ids of the reports that were read. */
  readonly reportIds: string[] = [];

  /** Milliseconds since 1970. */
  readonly createdMs: number;

  /** The facts that follow the rows; complete once all rows were read. */
  tail = emptyTail;
  readonly #context: Context;
  readonly #merged: PartsToMerge;
  readonly #spool: SpoolPart;
  readonly #results: LabelledResult[] = [];

  constructor(context: Context, merged: PartsToMerge, spool: SpoolPart) {
    this.#spool = spool;
    this.#context = { ...context, progress: async () => silentProgress };
    this.#merged = merged;
    this.createdMs = context.host.wallClock();
  }

  /** Warnings and notes, each with the days of its part. */
  get result(): CheckResult {
    return mergeResults(this.#results);
  }

  /** Yields the rows of all parts. Throws `PartsFailedError` if parts failed. */
  async *batches(): AsyncGenerator<RowBatch> {
    const [first] = this.#merged.parts;
    const isWeekly = first?.query.breakdowns.includes('WEEKLY') === true;
    this.tail = yield* mergeReports(this.#reportsInOrder(), { isWeekly });
  }

  async *#reportsInOrder(): AsyncGenerator<RowBatches> {
    const { parts, label: reportLabel, downloads } = this.#merged;
    const { account } = this.#context;
    const cancel = new AbortController();
    const context = {
      ...this.#context,
      signal: anySignal(this.#context.signal, cancel.signal),
    };
    const ahead = Math.max(maxAhead, downloads.size);
    const started: StartedPart[] = [];
    const startUntil = (end: number): void => {
      for (const part of parts.slice(started.length, end)) {
        const label = labelPart(reportLabel, part);
        const spooled = downloads.take({ label, since: part.since, account }, () => {
          return this.#spool(context, withoutOutput(part));
        });
        // It may fail before it is awaited.
        spooled.catch(() => {});
        started.push({ label, spooled });
      }
    };

    try {
      startUntil(ahead);
      // `started` grows during the loop.
      for (const [index, one] of started.entries()) {
        const { spool, id, contentType, result } = await awaitPart(one, started);
        if (id !== undefined) this.reportIds.push(id);
        this.#results.push({ label: one.label, result });
        yield readRows(spool.read(), { contentType });
        await spool.close();
        startUntil(index + 1 + ahead);
      }
    } finally {
      // If the output failed or its reader is gone (`| head`), downloads may still be running.
      cancel.abort(new InterruptedError(143));
      for (const { spooled } of started) {
        const report = await spooled.catch(() => undefined);
        await report?.spool.close();
      }
    }
  }
}

/**
 * Waits for a part. If it fails, the other parts are still downloaded. The service then has them
 * ready for the next run.
 */
async function awaitPart(
  { spooled }: StartedPart,
  started: readonly StartedPart[],
): Promise<SpooledReport> {
  try {
    return await spooled;
  } catch (error) {
    if (!(error instanceof AdreportError) || isInterruption(error)) throw error;
    await Promise.allSettled(started.map((part) => part.spooled));
    throw new PartsFailedError(error, {});
  }
}

/**
 * Writes a report to a temporary file. The rows are read at the same time, so that a damaged body
 * is downloaded again.
 */
export async function spoolRows(report: OpenReport): Promise<SpooledReport> {
  const spool = await createSpool(tmpdir());
  try {
    for await (const _batch of report.batches(spool.copy(report.bytes())));
    const { id, contentType, result } = report;
    return { spool, id, contentType, result };
  } catch (error) {
    await spool.close();
    throw error;
  }
}
