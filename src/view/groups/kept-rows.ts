import { tmpdir } from 'node:os';
import { createSpool, type Spool } from '../../output/file/spool.ts';
import { listAllMetrics } from '../../query/metrics.ts';
import { buildBatches } from '../../rows/build-batch.ts';
import { copyRows } from '../../rows/copy-rows.ts';
import { readRows } from '../../rows/read-rows.ts';
import { type Row, type RowBatch, toRows } from '../../rows/row-batch.ts';
import { toKeyValue } from '../../totals/group-keys.ts';
import { parseOrder } from '../../totals/ranked-groups.ts';
import { toSums } from '../../totals/report-metrics.ts';
import type { ViewQuery } from '../rows/used-columns.ts';

/** Buffer this many extra rows before trimming to `--top`. */
const maxRowsBeyondTop = 10_000;

/**
 * Keeps rows on disk until the last file has been read, because only then are all columns known.
 * Used for views without `--by`.
 */
export class KeptRows {
  readonly #query: ViewQuery;
  #spool: Spool | undefined;
  #rowCount = 0;

  constructor(query: ViewQuery) {
    this.#query = query;
  }

  /** Number of rows that `--top` omits. */
  get restCount(): number {
    return Math.max(0, this.#rowCount - (this.#query.top ?? this.#rowCount));
  }

  /** @param fields columns to keep, or `undefined` for all */
  async add(
    batch: RowBatch,
    rows: readonly number[],
    fields: readonly string[] | undefined,
  ): Promise<void> {
    const { sort, top } = this.#query;
    const isCut = sort === undefined && top !== undefined;
    const kept = isCut ? rows.slice(0, Math.max(0, top - this.#rowCount)) : rows;
    this.#rowCount += rows.length;
    if (kept.length === 0) return;
    this.#spool ??= await createSpool(tmpdir());
    await this.#spool.write(copyRows(batch, { rows: kept, fields }));
  }

  /**
   * Yields the rows to show, in order. Throws `UsageError` for an unknown column of `--sort`.
   *
   * @param fields columns of all rows
   */
  async *batches(fields: readonly string[]): AsyncGenerator<RowBatch> {
    if (!this.#spool) return;
    const batches = readRows(this.#spool.read(), { lines: 'expected', fields });
    const { sort, top } = this.#query;
    if (sort === undefined) {
      yield* batches;
      return;
    }
    const order = parseRowOrder(sort, fields);
    let sorted: Row[] = [];
    for await (const batch of batches) {
      sorted.push(...toRows(batch));
      const isLong = top !== undefined && sorted.length > top + maxRowsBeyondTop;
      if (isLong) sorted = sorted.sort(order).slice(0, top);
    }
    yield* buildBatches(fields, sorted.sort(order).slice(0, top), (row) => {
      return fields.map((field) => JSON.stringify(row[field] ?? null));
    });
  }

  async close(): Promise<void> {
    await this.#spool?.close();
  }
}

function parseRowOrder(sort: string, keys: readonly string[]): (a: Row, b: Row) => number {
  return parseOrder<Row>(sort, {
    keys,
    metrics: listAllMetrics(keys),
    readKey: (row, field) => toKeyValue(row[field]) ?? undefined,
    readSums: toSums,
  }).order;
}
