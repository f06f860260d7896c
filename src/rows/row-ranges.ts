import { growArray } from './grow-array.ts';
import type { RowBatch } from './row-batch.ts';

/** How many values a batch holds at most, unless one row alone has more. */
const maxValues = 1 << 16;

/** How many different keys the rows of a report may have. */
export const maxFields = 4096;

/**
 * The ranges of a batch while it is being read: a matrix of value ranges, rows by fields, that widens when a key
 * appears for the first time.
 */
export class RowRanges {
  fields: readonly string[] = [];
  rowCount = 0;
  firstRow = 0;
  singleLine = true;
  /** As in `RowBatch`. */
  rowStarts = new Int32Array(1024);
  rowEnds = new Int32Array(1024);
  valueStarts = new Int32Array(1024);
  valueEnds = new Int32Array(1024);
  readonly #indexes = new Map<string, number>();

  /** Whether there is no room for one more row. */
  get isFull(): boolean {
    return this.rowCount > 0 && (this.rowCount + 1) * Math.max(1, this.fields.length) > maxValues;
  }

  /** The index of a field among `fields`, if a row has had it. */
  indexOf(field: string): number | undefined {
    return this.#indexes.get(field);
  }

  /**
   * Adds a field, absent from every row so far, the one being read included.
   * @returns its index, or `undefined` when the rows before have to be handed out first
   */
  addField(name: string): number | undefined {
    const width = this.fields.length;
    if (this.rowCount > 0 && (this.rowCount + 1) * (width + 1) > maxValues) return undefined;
    this.reserveRow();
    for (let row = this.rowCount; row >= 0; row--) {
      const from = row * width;
      const to = row * (width + 1);
      this.valueStarts.copyWithin(to, from, from + width);
      this.valueEnds.copyWithin(to, from, from + width);
      this.valueStarts[to + width] = -1;
    }
    this.fields = [...this.fields, name];
    this.#indexes.set(name, width);
    return width;
  }

  /** Makes room for one more row, one field wider than now. */
  reserveRow(): void {
    const values = (this.rowCount + 1) * (this.fields.length + 1);
    if (values > this.valueStarts.length) {
      this.valueStarts = growArray(this.valueStarts, values);
      this.valueEnds = growArray(this.valueEnds, values);
    }
    if (this.rowCount >= this.rowStarts.length) {
      this.rowStarts = growArray(this.rowStarts, this.rowCount + 1);
      this.rowEnds = growArray(this.rowEnds, this.rowCount + 1);
    }
  }

  /** Completes the row whose values have been set. */
  endRow(start: number, end: number): void {
    this.rowStarts[this.rowCount] = start;
    this.rowEnds[this.rowCount] = end;
    this.rowCount++;
  }

  /** The batch of the rows since the last one. It shares the arrays: `clear` before the next row. */
  batchOf(bytes: Buffer): RowBatch {
    const { rowCount, firstRow, fields, rowStarts, rowEnds, valueStarts, valueEnds, singleLine } = this;
    return { bytes, rowCount, firstRow, fields, rowStarts, rowEnds, valueStarts, valueEnds, singleLine };
  }

  /** Begins the next batch. */
  clear(): void {
    this.firstRow += this.rowCount;
    this.rowCount = 0;
    this.singleLine = true;
  }
}
