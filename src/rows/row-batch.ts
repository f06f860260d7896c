import type { ReportSummary } from '../contract/messages.ts';
import { comma, letterE, letterN, quote } from './bytes.ts';
import { nullInRun, type RangedBatch, type RowBatch, toRanges } from './row-ranges.ts';

export type { RowBatch } from './row-ranges.ts';

/** A member of the report document other than `data`, with its value as JSON. */
export interface ReportMember {
  readonly name: string;
  readonly json: Buffer;
}

/** Properties that are known once the whole report has been read. */
export interface ReportTail {
  readonly rowCount: number;

  /** Keys of all rows, or the header of a CSV. */
  readonly fields: readonly string[];

  /** A CSV has none, and a summary of another shape than specified is ignored. */
  readonly summary: ReportSummary | undefined;

  /** Members other than `data`, in document order, including `summary`. */
  readonly members: readonly ReportMember[];

  readonly isCsv?: boolean;
}

export const emptyTail: ReportTail = { rowCount: 0, fields: [], summary: undefined, members: [] };

/** Batches of a report. The iterator returns its tail. */
export type RowBatches = AsyncIterableIterator<RowBatch, ReportTail, undefined>;

/** Any JSON value. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value };

/** Returns a string unchanged, and the JSON of anything else. */
export function toText(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * A row as an object. Its keys have the order of the body. It has no prototype, so that a field
 * named `constructor` is like any other. A number that a double would change (more than 15
 * significant digits, or out of range) is a string with the digits of the body. A list or an object
 * with such a number is a string with its JSON.
 */
export interface Row {
  readonly [field: string]: Value | undefined;
}

const parsedRows = new WeakMap<RowBatch, readonly Row[]>();

/**
 * Returns the rows of a batch as objects, which the caller may keep. Each call returns the same
 * objects.
 */
export function toRows(batch: RowBatch): readonly Row[] {
  const known = parsedRows.get(batch);
  if (known) return known;

  const rows = parseRows(toRanges(batch));
  parsedRows.set(batch, rows);
  return rows;
}

/** Reads a field as compact JSON, one value per row. Rows without the key have `undefined`. */
export function readJsonValues(batch: RowBatch, field: string): (string | undefined)[] {
  const { bytes, rowCount, fields, valueStarts, valueEnds } = toRanges(batch);
  const index = fields.indexOf(field);
  const absentValue = index < 0 && field === 'date' ? JSON.stringify(batch.day) : undefined;
  const values = new Array<string | undefined>(rowCount).fill(absentValue);
  if (index < 0) return values;

  for (let row = 0; row < rowCount; row++) {
    const at = row * fields.length + index;
    const start = valueStarts[at] as number;
    if (start === nullInRun) values[row] = 'null';
    else if (start >= 0) values[row] = compactJson(bytes.toString('utf8', start, valueEnds[at]));
  }
  return values;
}

/** Whether a field has a value other than null and the empty string in any row. */
export function hasValue(batch: RowBatch, field: string): boolean {
  const { bytes, rowCount, fields, valueStarts, valueEnds } = toRanges(batch);
  const index = fields.indexOf(field);
  if (index < 0) return field === 'date' && batch.day !== undefined;

  for (let at = index; at < rowCount * fields.length; at += fields.length) {
    const start = valueStarts[at] as number;
    if (start < 0 || bytes[start] === letterN) continue;
    const isEmptyString = bytes[start] === quote && (valueEnds[at] as number) - start === 2;
    if (!isEmptyString) return true;
  }
  return false;
}

function parseRows(batch: RangedBatch): Row[] {
  const { bytes, rowCount, fields, valueStarts, valueEnds, renamedKeys } = batch;
  if (rowCount === 0) return [];

  const parsed: Record<string, Value>[] = JSON.parse(`[${toJson(batch)}]`);
  const rows = renamedKeys.size === 0 ? parsed : parsed.map((row) => renameKeys(row, renamedKeys));
  for (const [index, row] of rows.entries()) {
    Object.setPrototypeOf(row, null);
    for (let field = 0, at = index * fields.length; field < fields.length; field++, at++) {
      const start = valueStarts[at] as number;
      if (start < 0 || bytes[start] === quote || bytes[start] === letterN) continue;

      const end = valueEnds[at] as number;
      if (mayLoseDigits(bytes, start, end)) {
        const name = fields[field] as string;
        row[name] = restoreDigits(row[name] as Value, bytes.toString('utf8', start, end));
      }
    }
  }
  return rows;
}

function renameKeys(
  row: Record<string, Value>,
  renamedKeys: ReadonlyMap<string, string>,
): Record<string, Value> {
  const entries: [string, Value][] = [];
  for (const [key, value] of Object.entries(row)) {
    entries.push([renamedKeys.get(key) ?? key, value]);
  }
  return Object.fromEntries(entries);
}

/** Parses JSON to a value as in a `Row`. */
export function parseValue(json: string): Value {
  const value: Value = JSON.parse(json);
  return typeof value === 'string' ? value : restoreDigits(value, json);
}

/** Joins rows with commas, because the lines of NDJSON have none. */
function toJson({ bytes, rowCount, rowStarts, rowEnds }: RangedBatch): string {
  const hasCommas = rowCount === 1 || bytes.subarray(rowEnds[0], rowStarts[1]).includes(comma);
  if (hasCommas) return bytes.toString('utf8', rowStarts[0], rowEnds[rowCount - 1]);

  const jsonRows: string[] = [];
  for (let row = 0; row < rowCount; row++) {
    jsonRows.push(bytes.toString('utf8', rowStarts[row], rowEnds[row]));
  }
  return jsonRows.join(',');
}

/** A double preserves every decimal number with this many digits. */
const exactDigits = 15;

/** Whether a number is long or has an exponent. The value must not be a string. */
function mayLoseDigits(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > exactDigits) return true;
  for (let at = start; at < end; at++) {
    // Lower case and upper case differ in one bit.
    if (((bytes[at] as number) | 0x20) === letterE) return true;
  }
  return false;
}

/** Returns a value, or its JSON if a double has changed it. */
function restoreDigits(value: Value, json: string): Value {
  const isChanged =
    typeof value === 'number'
      ? !isExact(json)
      : typeof value === 'object' && /[:[,]\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/.test(json);
  return isChanged ? compactJson(json) : value;
}

/** Whether a double holds a JSON number exactly. */
function isExact(text: string): boolean {
  const digits = text.replace(/[eE].*$|[-.]/g, '').replace(/^0+/, '');
  const number = Number(text);
  return digits.length <= exactDigits && Number.isFinite(number) && (number !== 0 || digits === '');
}

/** Removes the whitespace between tokens. */
export function compactJson(json: string): string {
  return /\s/.test(json) ? json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') : json;
}
