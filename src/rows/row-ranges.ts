import { fieldOfName } from '../contract/columns.ts';

/**
 * A run of rows of a report. What its rows hold is asked of `row-batch.ts` and `row-keys.ts`, and
 * written by `copy-rows.ts`: where the values stand in the bytes is known in this folder alone. A
 * batch is good until the next one is asked for.
 */
export interface RowBatch {
  readonly rowCount: number;

  /** How many rows of the report came before this batch. */
  readonly firstRow: number;

  /**
   * The keys of the rows so far, this batch included, in order of first appearance; a new array
   * when it grows.
   */
  readonly fields: readonly string[];

  /** How many bytes of the body the rows take. */
  readonly sizeBytes: number;
}

/**
 * A batch with the byte ranges of its rows and values: nothing is decoded until somebody asks.
 *
 * `bytes` holds JSON that has been checked to be well-formed UTF-8 and well-formed JSON; between
 * two rows of a batch stand only a comma and blanks. The buffer and the arrays are used again for
 * the next batch: whoever needs a value longer than that copies it. The arrays may be longer than
 * what they hold.
 */
export interface RangedBatch extends RowBatch {
  readonly bytes: Buffer;

  /** Where row `r` begins, at its `{`, and ends, after its `}`. */
  readonly rowStarts: Int32Array;
  readonly rowEnds: Int32Array;

  /**
   * Where the JSON value of field `f` in row `r` begins and ends, at `r * fields.length + f`. Where
   * there is nothing to read, the start is negative and the end means nothing: `absent`, or
   * `nullInRun`. Of a key that a row repeats the last value counts, as in `JSON.parse`.
   */
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;

  /** The fields whose keys are written otherwise in the bytes, by those keys. */
  readonly renamedKeys: ReadonlyMap<string, string>;
}

/**
 * The ranges of a batch. Every batch comes from `RowRanges`, which makes them with their ranges.
 */
export function rangesOf(batch: RowBatch): RangedBatch {
  return batch as RangedBatch;
}

/** In the place of a value's start: the row has no such key. */
export const absent = -1;

/**
 * In the place of a value's start: the row has null there, which came among others as one text. A
 * null that was scanned by itself has its place like any other value.
 */
export const nullInRun = -2;

/** How many different keys the rows of a report may have. */
export const maxFields = 1000;

/** How many values a batch holds at most, unless one row alone has more. */
const maxValues = 1 << 16;

/**
 * The ranges of a batch while it is being read: a matrix of value ranges, rows by fields, that
 * widens with each new key.
 */
export class RowRanges {
  fields: readonly string[] = [];
  rowCount = 0;
  firstRow = 0;

  /** As in `RangedBatch`. */
  readonly rowStarts = new Int32Array(maxValues);
  readonly rowEnds = new Int32Array(maxValues);
  readonly valueStarts = new Int32Array(maxValues + maxFields);
  readonly valueEnds = new Int32Array(maxValues + maxFields);

  /** By the keys as they stand in the rows. */
  readonly #indexes = new Map<string, number>();
  readonly #renamedKeys = new Map<string, string>();

  /** Whether there is no room for one more row. */
  get isFull(): boolean {
    return this.rowCount > 0 && (this.rowCount + 1) * Math.max(1, this.fields.length) > maxValues;
  }

  /** The index of a key's field among `fields`, if a row has had it. */
  indexOf(key: string): number | undefined {
    return this.#indexes.get(key);
  }

  /**
   * Adds the field of a key that is absent from every row so far, the one being read included. A
   * key that is a field of the vocabulary but for its case and the blanks around it is that field.
   * @returns its index, or `undefined` when the rows before have to be handed out first
   */
  addField(key: string): number | undefined {
    const isTaken = this.fields.includes(key);
    if (isTaken) {
      // Another key was taken for this one: the last value counts, as of a key that a row repeats.
      const index = this.fields.indexOf(key);
      this.#indexes.set(key, index);
      return index;
    }

    const meant = fieldOfName(key);
    const name = this.fields.includes(meant) ? key : meant;
    const width = this.fields.length;
    const valuesNeeded = (this.rowCount + 1) * (width + 1);
    if (this.rowCount > 0 && valuesNeeded > maxValues) return undefined;

    // Each row moves to where it stands in the wider matrix; the last one goes first, so that none
    // is overwritten.
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

  /** Completes the row whose values have been set. */
  endRow(start: number, end: number): void {
    this.rowStarts[this.rowCount] = start;
    this.rowEnds[this.rowCount] = end;
    this.rowCount++;
  }

  /**
   * The batch of the rows since the last one. It shares the arrays, which the next row is written
   * into.
   */
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
