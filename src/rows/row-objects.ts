import { comma } from './bytes.ts';
import { compactJson } from './copy-rows.ts';
import type { RowBatch } from './row-batch.ts';

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
