import type { ReportSummary } from '../contract/messages.ts';
import { growArray, letterN, quote } from './bytes.ts';

/**
 * A run of report rows as byte ranges into one buffer: nothing is decoded until somebody asks.
 *
 * `bytes` holds JSON that has been checked to be well-formed UTF-8 and well-formed JSON; between two rows of a batch
 * stand only a comma and blanks. The buffer and the arrays are used again for the next batch: whoever needs a value
 * longer than that copies it. The arrays may be longer than what they hold.
 */
export interface RowBatch {
  readonly bytes: Buffer;
  readonly rowCount: number;
  /** How many rows of the report came before this batch. */
  readonly firstRow: number;
  /** The keys of the rows so far, this batch included, in order of first appearance; a new array when it grows. */
  readonly fields: readonly string[];
  /** Where row `r` begins, at its `{`, and ends, after its `}`. */
  readonly rowStarts: Int32Array;
  readonly rowEnds: Int32Array;
  /**
   * Where the JSON value of field `f` in row `r` begins and ends, at `r * fields.length + f`; the start is -1 where
   * the row has no such key. Of a key that a row repeats the last value counts, as in `JSON.parse`.
   */
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;
  /** Whether every row stands on one line. */
  readonly singleLine: boolean;
}

/** Whether a row of the batch has something in that field: neither nothing at all, nor null, nor an empty text. */
export function hasValue(batch: RowBatch, field: number): boolean {
  const { bytes, rowCount, fields, valueStarts, valueEnds } = batch;
  for (let at = field; at < rowCount * fields.length; at += fields.length) {
    const start = valueStarts[at] as number;
    if (start < 0 || bytes[start] === letterN) continue;
    if (bytes[start] !== quote || (valueEnds[at] as number) - start > 2) return true;
  }
  return false;
}

/** A member of the report document beside `data`, with its value as JSON. */
export interface ReportMember {
  readonly name: string;
  readonly json: Buffer;
}

/** What is known once the whole of a report has been read. */
export interface ReportTail {
  readonly rowCount: number;
  /** Size of the body as read, in bytes. */
  readonly sizeBytes: number;
  /** Every key of the rows; of an empty CSV report, its header. */
  readonly fields: readonly string[];
  /** The `summary` member, where it has the specified shape; a CSV body has none. */
  readonly summary: ReportSummary | undefined;
  /** The members of the document but `data`, in document order, `summary` included. */
  readonly members: readonly ReportMember[];
}

/** The batches of one report, and its tail as the generator's return value. */
export type RowBatches = AsyncGenerator<RowBatch, ReportTail, undefined>;

/** How many values a batch holds at most, unless one row alone has more. */
const maxValues = 1 << 16;

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
