import type { RowBatch } from './row-batch.ts';

/** A value of a row: what JSON can hold. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/**
 * A report row as a plain object, its keys in the order of the body. A number that a double would change (more than 15
 * significant digits, or beyond its range) is the text that stands in the body.
 */
export interface Row {
  readonly [field: string]: Value | undefined;
}

/** The rows of a batch as plain objects, which are the caller's to keep. */
export function rowsOf(batch: RowBatch): Row[] {
  const { bytes, rowCount, rowStarts, rowEnds } = batch;
  if (rowCount === 0) return [];
  const text = bytes.toString('utf8', rowStarts[0], rowEnds[rowCount - 1]);
  const rows: Record<string, Value>[] = JSON.parse(`[${text}]`);
  if (mayHoldLongNumber.test(text)) for (const [index, row] of rows.entries()) keepLongNumbers(row, batch, index);
  return rows;
}

/** Sixteen digits in a row, a point between them or not, or an exponent. */
const mayHoldLongNumber = /\d[\d.]{15}|\d[eE]/;

/** Puts the text of the body in the place of each number of a row that a double has changed. */
function keepLongNumbers(row: Record<string, Value>, batch: RowBatch, index: number): void {
  const { bytes, fields, valueStarts, valueEnds } = batch;
  for (const [column, field] of fields.entries()) {
    if (typeof row[field] !== 'number') continue;
    const at = index * fields.length + column;
    const text = bytes.toString('latin1', valueStarts[at], valueEnds[at]);
    if (!isExact(text)) row[field] = text;
  }
}

/** Whether a double holds a JSON number to its last digit: it does up to 15 significant digits. */
function isExact(text: string): boolean {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15 && Number.isFinite(Number(text));
}
