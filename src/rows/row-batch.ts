import { setFlagsFromString } from 'node:v8';
import type { ReportSummary } from '../contract/messages.ts';
import { comma, letterE, letterN, quote } from './bytes.ts';
import { nullInRun, type RangedBatch, type RowBatch, rangesOf } from './row-ranges.ts';

export type { RowBatch } from './row-ranges.ts';

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

  /** Whether the last line of a CSV has no line end. */
  readonly isLineOpen?: boolean;
}

/** The batches of one report, and its tail as what the iterator returns. */
export type RowBatches = AsyncIterableIterator<RowBatch, ReportTail, undefined>;

/** A value of a row: what JSON can hold. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value };

/**
 * A report row as an object, its keys in the order of the body. It has no prototype, so that a
 * field called `constructor` is there or not like any other. A number that a double would change
 * (more than 15 significant digits, or beyond its range) is the text that stands in the body; a
 * list or an object that holds such a number is its JSON text.
 */
export interface Row {
  readonly [field: string]: Value | undefined;
}

/** The rows of batches that somebody has asked for. */
const parsedRows = new WeakMap<RowBatch, readonly Row[]>();

/**
 * The rows of a batch as objects, to be kept as long as one likes; whoever asks again gets the
 * same.
 */
export function rowsOf(batch: RowBatch): readonly Row[] {
  const known = parsedRows.get(batch);
  if (known) return known;

  makeRoomForObjects();
  const rows = parseRows(rangesOf(batch));
  parsedRows.set(batch, rows);
  return rows;
}

let isRoomForObjects = false;

/**
 * Lets V8 give young objects more room, for whoever makes objects of many rows: in the little that
 * `bin/` leaves them their collection takes a third longer.
 */
export function makeRoomForObjects(): void {
  if (isRoomForObjects) return;
  isRoomForObjects = true;
  setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * The JSON of each row's value in a field, without blanks between its tokens; `undefined` where a
 * row has no such key.
 */
export function textsOf(batch: RowBatch, field: string): (string | undefined)[] {
  const { bytes, rowCount, fields, valueStarts, valueEnds } = rangesOf(batch);
  const texts = new Array<string | undefined>(rowCount).fill(undefined);
  const index = fields.indexOf(field);
  if (index < 0) return texts;

  for (let row = 0; row < rowCount; row++) {
    const at = row * fields.length + index;
    const start = valueStarts[at] as number;
    if (start === nullInRun) texts[row] = 'null';
    else if (start >= 0) texts[row] = compactJson(bytes.toString('utf8', start, valueEnds[at]));
  }
  return texts;
}

/**
 * Whether a row of the batch has something in that field: neither nothing at all, nor null, nor an
 * empty text.
 */
export function hasValue(batch: RowBatch, field: string): boolean {
  const { bytes, rowCount, fields, valueStarts, valueEnds } = rangesOf(batch);
  const index = fields.indexOf(field);
  if (index < 0) return false;

  for (let at = index; at < rowCount * fields.length; at += fields.length) {
    const start = valueStarts[at] as number;
    if (start < 0 || bytes[start] === letterN) continue;
    const isEmptyText = bytes[start] === quote && (valueEnds[at] as number) - start === 2;
    if (!isEmptyText) return true;
  }
  return false;
}

function parseRows(batch: RangedBatch): Row[] {
  const { bytes, rowCount, fields, valueStarts, valueEnds, renamedKeys } = batch;
  if (rowCount === 0) return [];

  const parsed: Record<string, Value>[] = JSON.parse(`[${jsonOf(batch)}]`);
  const rows = renamedKeys.size === 0 ? parsed : parsed.map((row) => renamed(row, renamedKeys));
  for (const [index, row] of rows.entries()) {
    Object.setPrototypeOf(row, null);
    for (let field = 0, at = index * fields.length; field < fields.length; field++, at++) {
      const start = valueStarts[at] as number;
      if (start < 0 || bytes[start] === quote || bytes[start] === letterN) continue;

      const end = valueEnds[at] as number;
      if (mayLoseDigits(bytes, start, end)) {
        const name = fields[field] as string;
        row[name] = keptDigits(row[name] as Value, bytes.toString('utf8', start, end));
      }
    }
  }
  return rows;
}

function renamed(
  row: Record<string, Value>,
  renamedKeys: ReadonlyMap<string, string>,
): Record<string, Value> {
  const entries: [string, Value][] = [];
  for (const [key, value] of Object.entries(row)) {
    entries.push([renamedKeys.get(key) ?? key, value]);
  }
  return Object.fromEntries(entries);
}

/** A value from its JSON, as `rowsOf` has it: a number that a double would change is its text. */
export function parseValue(json: string): Value {
  const value: Value = JSON.parse(json);
  return typeof value === 'string' ? value : keptDigits(value, json);
}

/** The rows with commas between them; those of NDJSON came without. */
function jsonOf({ bytes, rowCount, rowStarts, rowEnds }: RangedBatch): string {
  const hasCommas = rowCount === 1 || bytes.subarray(rowEnds[0], rowStarts[1]).includes(comma);
  if (hasCommas) return bytes.toString('utf8', rowStarts[0], rowEnds[rowCount - 1]);

  const texts: string[] = [];
  for (let row = 0; row < rowCount; row++) {
    texts.push(bytes.toString('utf8', rowStarts[row], rowEnds[row]));
  }
  return texts.join(',');
}

/** A double holds every decimal number of so many digits, and gives them back. */
const exactDigits = 15;

/**
 * Whether a value, which is no text, may be a number that a double does not hold: a long one, or
 * one with an exponent.
 */
function mayLoseDigits(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > exactDigits) return true;
  for (let at = start; at < end; at++) {
    // Lower case and upper case differ in one bit.
    if (((bytes[at] as number) | 0x20) === letterE) return true;
  }
  return false;
}

/** A value, or in the place of one that a double has changed the text of the body. */
function keptDigits(value: Value, json: string): Value {
  const isChanged =
    typeof value === 'number'
      ? !isExact(json)
      : typeof value === 'object' && /[:[,]\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/.test(json);
  return isChanged ? compactJson(json) : value;
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
