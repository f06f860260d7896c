import { findField } from '../contract/columns.ts';

/**
 * Consecutive rows of a report. `row-batch.ts`, `column-values.ts` and `row-keys.ts` read them,
 * `copy-rows.ts` writes them; the byte ranges are private to this folder. A batch is valid until
 * the next one is requested.
 */
export interface RowBatch {
  readonly rowCount: number;

  /** Rows before this batch. */
  readonly firstRow: number;

  /**
   * Keys of all rows up to this batch, in the order in which they first appeared. When a key is
   * added, this becomes a new array.
   */
  readonly fields: readonly string[];

  /** Size of the rows in the body. */
  readonly sizeBytes: number;

  /** `date` of all rows, if their file is that of a day and they have no time of their own. */
  readonly day?: string | undefined;
}

/**
 * Batch with the byte ranges of its rows and values. The values are decoded on demand.
 *
 * `bytes` contains JSON that has been checked; two rows of a batch are separated only by a comma
 * and blanks. The buffer and the arrays are reused for the next batch, and the arrays may be longer
 * than needed.
 */
export interface RangedBatch extends RowBatch {
  readonly bytes: Buffer;

  /** Start of row `r`, at its `{`, and its end, after its `}`. */
  readonly rowStarts: Int32Array;
  readonly rowEnds: Int32Array;

  /**
   * Start and end of field `f` in row `r`, at `r * fields.length + f`. A negative start is `absent`
   * or `nullInRun`; the end is then undefined. If a row repeats a key, the last value counts, as in
   * `JSON.parse`.
   */
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;

  /** Fields by the keys in the bytes; only keys that are spelt differently from their field. */
  readonly renamedKeys: ReadonlyMap<string, string>;
}

/** Returns the ranges of a batch, which every batch has. */
export function toRanges(batch: RowBatch): RangedBatch {
  return batch as RangedBatch;
}

/** Start of a value if the row does not have the key. */
export const absent = -1;

/**
 * Start of a null that was scanned as part of a run. A null that was scanned by itself has a range
 * like any other value.
 */
export const nullInRun = -2;

/** Number of different keys in a report. */
export const maxFields = 1000;

/** Number of values in a batch, unless a single row has more. */
const usualMaxValues = 1 << 14;

/** A value takes at least this many bytes, with its key and a comma. */
const minValueBytes = 4;

/** Ranges of the batch being read: a matrix of rows and fields that grows with each new key. */
export class RowRanges {
  fields: readonly string[] = [];
  rowCount = 0;
  firstRow = 0;

  /** See `RangedBatch`. */
  readonly rowStarts: Int32Array;
  readonly rowEnds: Int32Array;
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;

  /** Indexes of fields, by the keys as they are written in the rows. */
  readonly #indexes = new Map<string, number>();
  readonly #renamedKeys = new Map<string, string>();

  readonly #maxValues: number;

  /** @param pieceBytes bytes that are scanned together: a small file needs little memory */
  constructor(pieceBytes: number) {
    const maxValues = Math.min(usualMaxValues, Math.ceil(pieceBytes / minValueBytes));
    this.#maxValues = maxValues;
    this.rowStarts = new Int32Array(maxValues);
    this.rowEnds = new Int32Array(maxValues);
    this.valueStarts = new Int32Array(maxValues + maxFields);
    this.valueEnds = new Int32Array(maxValues + maxFields);
  }

  /** Set if there is no room for another row. */
  get isFull(): boolean {
    const valueCount = (this.rowCount + 1) * Math.max(1, this.fields.length);
    return this.rowCount > 0 && valueCount > this.#maxValues;
  }

  /** Finds a key's field in `fields`, if a row has had it. */
  indexOf(key: string): number | undefined {
    return this.#indexes.get(key);
  }

  /**
   * Adds a key that no earlier row had. If the key differs from a field of the vocabulary only by
   * case or surrounding blanks, it is that field.
   *
   * @returns its index, or `undefined` if the earlier rows have to be passed on first
   */
  addField(key: string): number | undefined {
    const isTaken = this.fields.includes(key);
    if (isTaken) {
      // Another key already belongs to this field. The last value counts, as with repeated keys.
      const index = this.fields.indexOf(key);
      this.#indexes.set(key, index);
      return index;
    }

    const field = findField(key);
    const name = this.fields.includes(field) ? key : field;
    const width = this.fields.length;
    const valuesNeeded = (this.rowCount + 1) * (width + 1);
    if (this.rowCount > 0 && valuesNeeded > this.#maxValues) return undefined;

    // Moves each row to its place in the wider matrix, the last one first so that none is
    // overwritten.
    for (let row = this.rowCount; row >= 0; row--) {
      const from = row * width;
      const to = row * (width + 1);
      this.valueStarts.copyWithin(to, from, from + width);
      this.valueEnds.copyWithin(to, from, from + width);
      this.valueStarts[to + width] = absent;
    }

    this.fields = [...this.fields, name];
    this.#indexes.set(key, width);
    if (name !== key) this.#renamedKeys.set(key, name);
    return width;
  }

  /** Completes the row being read. */
  endRow(start: number, end: number): void {
    this.rowStarts[this.rowCount] = start;
    this.rowEnds[this.rowCount] = end;
    this.rowCount++;
  }

  /** Returns the rows since the last batch. It shares the arrays, which the next row changes. */
  takeBatch(bytes: Buffer): RowBatch {
    const { rowCount, firstRow, fields, rowStarts, rowEnds, valueStarts, valueEnds } = this;
    const firstByte = rowStarts[0] ?? 0;
    const lastByte = rowEnds[rowCount - 1] ?? 0;
    this.firstRow += rowCount;
    this.rowCount = 0;

    const batch: RangedBatch = {
      rowCount,
      firstRow,
      fields,
      sizeBytes: lastByte - firstByte,
      bytes,
      rowStarts,
      rowEnds,
      valueStarts,
      valueEnds,
      renamedKeys: this.#renamedKeys,
    };
    return batch;
  }
}
