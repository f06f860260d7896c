import type { ReportSummary } from '../contract/messages.ts';
import { comma, growArray, letterN, quote } from './bytes.ts';

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

  /** The batch of the rows since the last one. It shares the arrays, which the next row is written into. */
  takeBatch(bytes: Buffer): RowBatch {
    const { rowCount, firstRow, fields, rowStarts, rowEnds, valueStarts, valueEnds, singleLine } = this;
    this.firstRow += rowCount;
    this.rowCount = 0;
    this.singleLine = true;
    return { bytes, rowCount, firstRow, fields, rowStarts, rowEnds, valueStarts, valueEnds, singleLine };
  }
}

/** A value of a row: what JSON can hold. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/**
 * A report row as a plain object, its keys in the order of the body. A number that a double would change (more than 15
 * significant digits, or beyond its range) is the text that stands in the body; a list or an object that holds such a
 * number is its JSON text.
 */
export interface Row {
  readonly [field: string]: Value | undefined;
}

/** The rows of batches that somebody has asked for: several ask for those of the same batch. */
const known = new WeakMap<RowBatch, readonly Row[]>();

/** The rows of a batch as plain objects, to be kept as long as one likes; whoever asks again gets the same. */
export function rowsOf(batch: RowBatch): readonly Row[] {
  const rows = known.get(batch) ?? parseRows(batch);
  known.set(batch, rows);
  return rows;
}

function parseRows(batch: RowBatch): Row[] {
  if (batch.rowCount === 0) return [];
  const text = jsonOf(batch);
  const rows: Record<string, Value>[] = JSON.parse(`[${text}]`);
  if (mayHoldLongNumber.test(text)) for (const [index, row] of rows.entries()) keepLongNumbers(row, batch, index);
  return rows;
}

/** The rows with commas between them; those of NDJSON came without. */
function jsonOf({ bytes, rowCount, rowStarts, rowEnds }: RowBatch): string {
  const hasCommas = rowCount === 1 || bytes.subarray(rowEnds[0], rowStarts[1]).includes(comma);
  if (hasCommas) return bytes.toString('utf8', rowStarts[0], rowEnds[rowCount - 1]);
  return Array.from({ length: rowCount }, (_, row) => bytes.toString('utf8', rowStarts[row], rowEnds[row])).join(',');
}

/** A number of sixteen digits, a point between them or not, or with an exponent. */
const mayHoldLongNumber = /[:[,]\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/** Puts the text of the body in the place of each value of a row that a double has changed. */
function keepLongNumbers(row: Record<string, Value>, batch: RowBatch, index: number): void {
  const { bytes, fields, valueStarts, valueEnds } = batch;
  for (const [column, field] of fields.entries()) {
    const value = row[field];
    if (value === null || (typeof value !== 'number' && typeof value !== 'object')) continue;
    const at = index * fields.length + column;
    const text = bytes.toString('utf8', valueStarts[at], valueEnds[at]);
    if (typeof value === 'number' ? !isExact(text) : mayHoldLongNumber.test(`:${text}`)) row[field] = compactJson(text);
  }
}

/** Whether a double holds a JSON number to its last digit: it does up to 15 significant digits. */
function isExact(text: string): boolean {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  const number = Number(text);
  return digits.length <= 15 && Number.isFinite(number) && (number !== 0 || digits === '');
}

/** JSON without the blanks between its tokens; every digit stays. */
export function compactJson(json: string): string {
  return /\s/.test(json) ? json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') : json;
}
