import { tmpdir } from 'node:os';
import { type LabelledResult, mergeResults } from '../checks/merged-check.ts';
import type { OpenReport } from '../client/open.ts';
import type { CheckResult } from '../errors.ts';
import { createSpool, type Spool } from '../output/file/spool.ts';
import { mergeReports } from '../rows/merge-reports.ts';
import { readRows } from '../rows/read-rows.ts';
import { emptyTail, type RowBatch, type RowBatches } from '../rows/row-batch.ts';

/** A part of a report, in a temporary file. */
export interface SpooledPart extends Pick<OpenReport, 'id' | 'contentType' | 'result'> {
  readonly label: string;
  readonly spool: Spool;
}

interface MergeOptions {
  /** Milliseconds since 1970. */
  readonly createdMs: number;

  /** Whether the parts are weeks of `--by WEEKLY`. */
  readonly isWeekly: boolean;
}

/** Reads the parts of a report as one report. */
export class MergedReport {
  readonly id = undefined;

  /** IDs of the reports that were read. */
  readonly reportIds: string[] = [];
  readonly createdMs: number;

  /** Members after the last row. Complete once all rows have been read. */
  tail = emptyTail;
  readonly #parts: AsyncIterable<SpooledPart>;
  readonly #isWeekly: boolean;
  readonly #results: LabelledResult[] = [];

  /** @param parts in time order */
  constructor(parts: AsyncIterable<SpooledPart>, { createdMs, isWeekly }: MergeOptions) {
    this.#parts = parts;
    this.#isWeekly = isWeekly;
    this.createdMs = createdMs;
  }

  /** Warnings and notes, each with the days of its part. */
  get result(): CheckResult {
    return mergeResults(this.#results);
  }

  /** Yields the rows of all parts. */
  async *batches(): AsyncGenerator<RowBatch> {
    this.tail = yield* mergeReports(this.#readParts(), { isWeekly: this.#isWeekly });
  }

  async *#readParts(): AsyncGenerator<RowBatches> {
    for await (const { label, id, contentType, result, spool } of this.#parts) {
      if (id !== undefined) this.reportIds.push(id);
      this.#results.push({ label, result });
      yield readRows(spool.read(), { contentType });
    }
  }
}

/**
 * Writes a part to a temporary file. The rows are parsed at the same time, so that a damaged body
 * is noticed while it can still be downloaded again.
 */
export async function spoolPart(report: OpenReport, label: string): Promise<SpooledPart> {
  const spool = await createSpool(tmpdir());
  try {
    for await (const _batch of report.batches(spool.copy(report.bytes())));
    const { id, contentType, result } = report;
    return { label, spool, id, contentType, result };
  } catch (error) {
    await spool.close();
    throw error;
  }
}
