import { letterN, minus, quote, space } from './bytes.ts';
import { type RangedBatch, type RowBatch, toRanges } from './row-ranges.ts';

/** Finds the rows that have no value in any of the fields. Rows are counted from 0. */
export function findEmptyRows(batch: RowBatch, fields: readonly string[]): number[] {
  const ranges = toRanges(batch);
  const stride = batch.fields.length;
  const indexes = findIndexes(batch, fields);

  const rows: number[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    if (indexes.every((index) => isEmpty(ranges, row * stride + index))) rows.push(row);
  }
  return rows;
}

function findIndexes({ fields }: RowBatch, names: readonly string[]): number[] {
  return names.map((name) => fields.indexOf(name)).filter((index) => index >= 0);
}

/** Whether a value is missing, null, dashes or whitespace. */
export function isEmpty({ bytes, valueStarts, valueEnds }: RangedBatch, at: number): boolean {
  const start = valueStarts[at] as number;
  if (start < 0 || bytes[start] === letterN) return true;
  if (bytes[start] !== quote) return false;

  const end = (valueEnds[at] as number) - 1;
  for (let p = start + 1; p < end; p++) {
    if (bytes[p] !== minus && bytes[p] !== space) return false;
  }
  return true;
}
