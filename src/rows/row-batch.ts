import type { ReportSummary } from '../contract/messages.ts';
import { comma, letterE, letterN, quote } from './bytes.ts';

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
  /** The rows as objects, once somebody has asked for them. */
  rows?: readonly Row[];
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

/** How many different keys the rows of a report may have. */
export const maxFields = 1000;

/** How many values a batch holds at most, unless one row alone has more. */
const maxValues = 1 << 16;

/** The ranges of a batch while it is being read: a matrix of value ranges, rows by fields, that widens with each new key. */
export class RowRanges {
  fields: readonly string[] = [];
  rowCount = 0;
  firstRow = 0;
  /** As in `RowBatch`. */
  readonly rowStarts = new Int32Array(maxValues);
  readonly rowEnds = new Int32Array(maxValues);
  readonly valueStarts = new Int32Array(maxValues + maxFields);
  readonly valueEnds = new Int32Array(maxValues + maxFields);
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

  /** Completes the row whose values have been set. */
  endRow(start: number, end: number): void {
    this.rowStarts[this.rowCount] = start;
    this.rowEnds[this.rowCount] = end;
    this.rowCount++;
  }

  /** The batch of the rows since the last one. It shares the arrays, which the next row is written into. */
  takeBatch(bytes: Buffer): RowBatch {
    const { rowCount, firstRow, fields, rowStarts, rowEnds, valueStarts, valueEnds } = this;
    this.firstRow += rowCount;
    this.rowCount = 0;
    return { bytes, rowCount, firstRow, fields, rowStarts, rowEnds, valueStarts, valueEnds };
  }
}

/** A value of a row: what JSON can hold. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value };

/**
 * A report row as a plain object, its keys in the order of the body. A number that a double would change (more than 15
 * significant digits, or beyond its range) is the text that stands in the body; a list or an object that holds such a
 * number is its JSON text.
 */
export interface Row {
  readonly [field: string]: Value | undefined;
}

/** The rows of a batch as plain objects, to be kept as long as one likes; whoever asks again gets the same. */
export function rowsOf(batch: RowBatch): readonly Row[] {
  batch.rows ??= parseRows(batch);
  return batch.rows;
}

function parseRows(batch: RowBatch): Row[] {
  const { bytes, rowCount, fields, valueStarts, valueEnds } = batch;
  const rows: Record<string, Value>[] = rowCount === 0 ? [] : JSON.parse(`[${jsonOf(batch)}]`);
  for (const [index, row] of rows.entries()) {
    for (let field = 0, at = index * fields.length; field < fields.length; field++, at++) {
      const start = valueStarts[at] as number;
      if (start < 0 || bytes[start] === quote || bytes[start] === letterN) continue;
      const end = valueEnds[at] as number;
      let isDoubtful = end - start > exactDigits;
      for (let p = start; p < end && !isDoubtful; p++)
        isDoubtful = ((bytes[p] as number) | 0x20) === letterE;
      if (isDoubtful) keepDigits(row, fields[field] as string, bytes.toString('utf8', start, end));
    }
  }
  return rows;
}

/** The rows with commas between them; those of NDJSON came without. */
function jsonOf({ bytes, rowCount, rowStarts, rowEnds }: RowBatch): string {
  const hasCommas = rowCount === 1 || bytes.subarray(rowEnds[0], rowStarts[1]).includes(comma);
  if (hasCommas) return bytes.toString('utf8', rowStarts[0], rowEnds[rowCount - 1]);
  return Array.from({ length: rowCount }, (_, row) =>
    bytes.toString('utf8', rowStarts[row], rowEnds[row]),
  ).join(',');
}

/** A double holds every decimal number of so many digits, and gives them back. */
const exactDigits = 15;

/** Puts the text of the body in the place of a value that a double has changed. */
function keepDigits(row: Record<string, Value>, field: string, text: string): void {
  const value = row[field];
  const isChanged =
    typeof value === 'number'
      ? !isExact(text)
      : typeof value === 'object' && /[:[,]\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/.test(text);
  if (isChanged) row[field] = compactJson(text);
}

/** Whether a double holds a JSON number to its last digit. */
function isExact(text: string): boolean {
  const digits = text.replace(/[eE].*$|[-.]/g, '').replace(/^0+/, '');
  const number = Number(text);
  return digits.length <= exactDigits && Number.isFinite(number) && (number !== 0 || digits === '');
}

/** JSON without the blanks between its tokens; every digit stays. */
export function compactJson(json: string): string {
  return /\s/.test(json) ? json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') : json;
}
