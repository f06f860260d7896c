import { letterN, minus, one, quote, zero } from './bytes.ts';
import { type RangedBatch, type RowBatch, rangesOf } from './row-ranges.ts';

export interface EmptyFields {
  /** Null, `""`, `-` and `--` are no value. */
  readonly names: readonly string[];

  /** As for names, and also 0 and -1. */
  readonly ids: readonly string[];
}

/** Finds the rows without a value in any of the fields, counted from 0. */
export function findEmptyRows(batch: RowBatch, { names, ids }: EmptyFields): number[] {
  const ranges = rangesOf(batch);
  const stride = batch.fields.length;
  const nameIndexes = indexesIn(batch, names);
  const idIndexes = indexesIn(batch, ids);

  const rows: number[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const areIdsEmpty = idIndexes.every((index) => isEmpty(ranges, row * stride + index, true));
    if (!areIdsEmpty) continue;
    if (nameIndexes.every((index) => isEmpty(ranges, row * stride + index, false))) rows.push(row);
  }
  return rows;
}

function indexesIn({ fields }: RowBatch, names: readonly string[]): number[] {
  return names.map((name) => fields.indexOf(name)).filter((index) => index >= 0);
}

function isEmpty(
  { bytes, valueStarts, valueEnds }: RangedBatch,
  at: number,
  isId: boolean,
): boolean {
  const start = valueStarts[at] as number;
  if (start < 0 || bytes[start] === letterN) return true;

  const isText = bytes[start] === quote;
  const first = isText ? start + 1 : start;
  const length = (valueEnds[at] as number) - start - (isText ? 2 : 0);
  if (length === 0) return true;
  if (length > 2) return false;

  const isMinus = bytes[first] === minus;
  if (isText && isMinus && (length === 1 || bytes[first + 1] === minus)) return true;
  if (!isId) return false;
  return length === 1 ? bytes[first] === zero : isMinus && bytes[first + 1] === one;
}
