import { findField } from '../contract/columns.ts';

/**
 * Consecutive rows of a report, valid until the next batch is requested. `row-batch.ts`,
 * `column-values.ts` and `row-keys.ts` read them, and `copy-rows.ts` writes them. The byte ranges
 * are private to this folder.
 */
export interface RowBatch {
  readonly rowCount: number;

  /** Number of rows before this batch. */
  readonly firstRow: number;

  /**
   * Keys of all rows so far, in the order in which they first appeared. A new key makes a new
   * array.
   */
  readonly fields: readonly string[];

  /** Size of the rows in the body. */
  readonly sizeBytes: number;

  /** Date of all rows, if their file has only one day and the rows have no time. */
  readonly day?: string | undefined;
}

/**
 * A batch with the byte ranges of its rows and values, which are decoded on demand.
 *
 * `bytes` contains JSON that has been checked. Between two rows there are only a comma and
 * whitespace. The next batch reuses the buffer and the arrays, and the arrays may be longer than
 * needed.
 */
export interface RangedBatch extends RowBatch {
  readonly bytes: Buffer;

  /** Start of row `r`, at its `{`, and its end, after its `}`. */
  readonly rowStarts: Int32Array;
  readonly rowEnds: Int32Array;

  /**
   * Start and end of field `f` in row `r`, at `r * fields.length + f`. A negative start is `absent`
   * or `nullInRun`, and the end then has no meaning. If a row repeats a key, the last value counts.
   */
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;

  /** Fields by their keys in the bytes, if a key is spelt differently from its field. */
  readonly renamedKeys: ReadonlyMap<string, string>;
}

/** Returns a batch with its ranges, which every batch has. */
export function toRanges(batch: RowBatch): RangedBatch {
  return batch as RangedBatch;
}

/** Start of a value that the row does not have. */
export const absent = -1;

/** Start of a null that was scanned as part of a run. Any other null has a range like a value. */
export const nullInRun = -2;

/** Maximum number of different keys in a report. */
export const maxFields = 1000;

/** Maximum number of values in a batch, unless a single row has more. */
const initialMaxValues = 1 << 14;

/** Minimum length of a value with its key and a comma. */
const minValueBytes = 4;

/** Ranges of the current batch: a matrix of rows and fields that grows with each new key. */
export class RowRanges {
  fields: readonly string[] = [];
  rowCount = 0;
  firstRow = 0;

  /** See `RangedBatch`. */
  readonly rowStarts: Int32Array;
  readonly rowEnds: Int32Array;
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;

  /** Indexes of fields, by their keys in the rows. */
  readonly #indexes = new Map<string, number>();
  readonly #renamedKeys = new Map<string, string>();

  readonly #maxValues: number;

  /** @param pieceBytes number of bytes to scan at a time; a small file needs little memory */
  constructor(pieceBytes: number) {
    const maxValues = Math.min(initialMaxValues, Math.ceil(pieceBytes / minValueBytes));
    this.#maxValues = maxValues;
    this.rowStarts = new Int32Array(maxValues);
    this.rowEnds = new Int32Array(maxValues);
    this.valueStarts = new Int32Array(maxValues + maxFields);
    this.valueEnds = new Int32Array(maxValues + maxFields);
  }

  get isFull(): boolean {
    const valueCount = (this.rowCount + 1) * Math.max(1, this.fields.length);
    return this.rowCount > 0 && valueCount > this.#maxValues;
  }

  /** Returns the index of a key's field, or `undefined` if no row has had the key. */
  indexOf(key: string): number | undefined {
    return this.#indexes.get(key);
  }

  /**
   * Adds a new key. A key that differs from a known field only in case or surrounding spaces
   * belongs to that field.
   *
   * @returns the index of the field, or `undefined` if the earlier rows must be taken first
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

    // Moves each row to its position in the wider matrix. The last row is first, so that none is
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

  /** Completes the current row. */
  endRow(start: number, end: number): void {
    this.rowStarts[this.rowCount] = start;
    this.rowEnds[this.rowCount] = end;
    this.rowCount++;
  }

  /** Returns the rows since the last batch. The next row changes their arrays. */
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
      day: undefined,
    };
    return batch;
  }
}
