import { tmpdir } from 'node:os';
import { createSpool, type Spool } from '../../output/file/spool.ts';
import { copyRows } from '../../rows/copy-rows.ts';
import { type Row, type RowBatch, rowsOf } from '../../rows/row-batch.ts';
import { GroupedTotals, type SelectedRows } from '../../totals/grouped-totals.ts';
import { sumsOfRow } from '../../totals/report-metrics.ts';
import { parseRowOrder } from './row-order.ts';

/** By default all rows, as they come. */
export interface RowChoice {
  readonly sort?: string | undefined;
  readonly top?: number | undefined;
}

/** Rows to keep beyond `--top` before dropping them; rows written at a time. */
const rowsTogether = 10_000;

/**
 * Keeps the rows of a view without `--by` until the last file has been read, because only then are
 * all columns known: on disk, or in memory if they are sorted or limited.
 */
export class KeptRows {
  readonly #choice: RowChoice;
  #rows: Row[] = [];
  #spool: Spool | undefined;
  #fields: readonly string[] = [];
  #rowCount = 0;

  /** Sums of the rows that `--top` leaves out. */
  readonly rest: GroupedTotals;

  /** @param isSummed as in `GroupedTotals` */
  constructor(choice: RowChoice, isSummed: (field: string) => boolean) {
    this.#choice = choice;
    this.rest = new GroupedTotals([], isSummed);
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  async add(batch: RowBatch, { rows = [], day }: SelectedRows): Promise<void> {
    this.#fields = [...new Set([...this.#fields, ...batch.fields])];
    this.#rowCount += rows.length;
    const { sort, top } = this.#choice;
    if (sort === undefined && top === undefined) {
      this.#spool ??= await createSpool(tmpdir());
      const members = day === undefined ? '' : `"date":${JSON.stringify(day)}`;
      await this.#spool.write(copyRows(batch, rows, members));
      return;
    }

    const all = rowsOf(batch);
    for (const row of rows) {
      const own = all[row] as Row;
      this.#rows.push(day === undefined ? own : { date: day, ...own });
    }
    if (top !== undefined && this.#rows.length > top + rowsTogether) this.#arrange();
  }

  /** Returns how many rows `--top` leaves out, once all rows are added. */
  leftOutCount(): number {
    if (!this.#spool) this.#arrange();
    return this.rest.rowCount;
  }

  /**
   * Returns the rows in memory, in order. Throws `UsageError` for an unknown column of `--sort`.
   */
  arranged(): readonly Row[] {
    this.#arrange();
    return this.#rows;
  }

  #arrange(): void {
    const { sort, top } = this.#choice;
    const fields = this.#rows.some((row) => 'date' in row)
      ? ['date', ...this.#fields]
      : this.#fields;
    if (sort !== undefined) this.#rows.sort(parseRowOrder(sort, [...new Set(fields)]));
    if (top === undefined) return;
    const others = this.#rows.splice(top);
    this.rest.addFields(this.#fields);
    this.rest.rowCount += others.length;
    for (const row of others) this.rest.add([], sumsOfRow(row));
  }

  /** Yields the rows as JSON objects, with commas between them. */
  async *json(): AsyncGenerator<Buffer> {
    if (!this.#spool) {
      const rows = this.arranged();
      for (let at = 0; at < rows.length; at += rowsTogether) {
        const texts = rows.slice(at, at + rowsTogether).map((row) => JSON.stringify(row));
        yield Buffer.from((at === 0 ? '' : ',\n') + texts.join(',\n'));
      }
      return;
    }

    // Each line ends with a comma, the last one as well.
    let held: Buffer = Buffer.alloc(0);
    for await (const piece of this.#spool.read()) {
      const all = Buffer.concat([held, piece]);
      const end = Math.max(0, all.length - 2);
      yield all.subarray(0, end);
      held = Buffer.from(all.subarray(end));
    }
  }

  async close(): Promise<void> {
    await this.#spool?.close();
  }
}
