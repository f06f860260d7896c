import { tmpdir } from 'node:os';
import { createSpool, type Spool } from '../../output/file/spool.ts';
import { listAllMetrics } from '../../query/metrics.ts';
import { buildBatch } from '../../rows/build-batch.ts';
import { copyRows } from '../../rows/copy-rows.ts';
import { readRows } from '../../rows/read-rows.ts';
import { type Row, type RowBatch, toRows } from '../../rows/row-batch.ts';
import { toKeyValue } from '../../totals/group-keys.ts';
import { GroupedTotals } from '../../totals/grouped-totals.ts';
import { parseOrder } from '../../totals/ranked-groups.ts';
import { toSums } from '../../totals/report-metrics.ts';
import type { RowChoice } from '../rows/used-columns.ts';

/** Rows to keep beyond `--top` before dropping them. */
const maxRowsBeyondTop = 10_000;

const batchSize = 1_000;

/** Rows of a file to keep. */
interface AddedRows {
  /** Indexes in the batch. */
  readonly rows: readonly number[];

  /** `date` of rows that have none. */
  readonly day: string | undefined;

  /** Columns to keep; `undefined` for all. */
  readonly columns: readonly string[] | undefined;

  /** Columns of all rows so far. */
  readonly fields: readonly string[];
}

/**
 * Keeps the rows of a view without `--by` until the last file has been read, because only then are
 * all columns known: on disk, or in memory if they are sorted or limited.
 */
export class KeptRows {
  /** Sums of the rows that `--top` omits. */
  readonly rest: GroupedTotals;

  readonly #choice: RowChoice;
  #rows: Row[] = [];
  #spool: Spool | undefined;

  /** Keys of the first row on disk. */
  #firstKeys: readonly string[] = [];

  /** @param isSummed selects the columns to add up, as in `GroupedTotals` */
  constructor(choice: RowChoice, isSummed: (field: string) => boolean) {
    this.#choice = choice;
    this.rest = new GroupedTotals([], isSummed);
  }

  async add(batch: RowBatch, { rows, day, columns, fields }: AddedRows): Promise<void> {
    const { sort, top } = this.#choice;
    if (sort === undefined && top === undefined) {
      const members = day === undefined ? '' : `"date":${JSON.stringify(day)}`;
      const lines = copyRows(batch, { rows, fields: columns, members });
      if (!this.#spool) {
        this.#spool = await createSpool(tmpdir());
        this.#firstKeys = Object.keys(JSON.parse(lines.toString('utf8', 0, lines.indexOf('\n'))));
      }
      await this.#spool.write(lines);
      return;
    }

    const room = sort === undefined ? (top ?? 0) - this.#rows.length : rows.length;
    this.#remember(batch, rows.slice(0, room), day);
    const others = rows.slice(room);
    if (others.length > 0) this.rest.observe(batch, { rows: others, day });
    if (top !== undefined && this.#rows.length > top + maxRowsBeyondTop) this.arrange(fields);
  }

  #remember(batch: RowBatch, rows: readonly number[], day: string | undefined): void {
    const all = toRows(batch);
    for (const row of rows) {
      const own = all[row] ?? {};
      this.#rows.push(day === undefined ? own : { date: day, ...own });
    }
  }

  /**
   * Sorts the rows in memory and drops those that `--top` omits, once all have been added.
   * Throws `UsageError` for an unknown column of `--sort`.
   *
   * @param fields columns of the rows
   */
  arrange(fields: readonly string[]): void {
    const { sort, top } = this.#choice;
    if (this.#rows.length === 0) return;
    if (sort !== undefined) this.#rows.sort(rowOrder(sort, fields));
    const others = this.#rows.splice(top ?? this.#rows.length);
    this.rest.addFields(fields);
    this.rest.rowCount += others.length;
    for (const row of others) this.rest.add([], toSums(row));
  }

  /**
   * Yields the rows as batches.
   *
   * @param fields columns, all of which the first batch has
   */
  async *batches(fields: readonly string[]): AsyncGenerator<RowBatch> {
    if (this.#spool) {
      const missing = fields.filter((field) => !this.#firstKeys.includes(field));
      yield* readRows(linesWith(missing, this.#spool.read()), { lines: 'expected' });
      return;
    }
    for (let at = 0; at < this.#rows.length; at += batchSize) {
      const rows = this.#rows.slice(at, at + batchSize).map((row) => {
        return fields.map((field) => JSON.stringify(row[field] ?? null));
      });
      yield buildBatch(fields, rows, at);
    }
  }

  async close(): Promise<void> {
    await this.#spool?.close();
  }
}

function rowOrder(sort: string, keys: readonly string[]): (one: Row, other: Row) => number {
  return parseOrder<Row>(sort, {
    keys,
    metrics: listAllMetrics(keys),
    readKey: (row, field) => toKeyValue(row[field]) ?? undefined,
    readSums: toSums,
  }).order;
}

/** Adds columns to the first row, by which formats decide theirs. */
async function* linesWith(
  missing: readonly string[],
  lines: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let names = missing.map((field) => `${JSON.stringify(field)}:null`).join(',');
  for await (const piece of lines) {
    if (names === '') {
      yield piece;
      continue;
    }
    const isEmptyRow = piece.toString('latin1', 0, 2) === '{}';
    yield Buffer.from(`{${names}${isEmptyRow ? '' : ','}`);
    yield piece.subarray(1);
    names = '';
  }
}
