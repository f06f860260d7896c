import { parseValue, type Value } from './row-batch.ts';
import { type RowBatch, rangesOf } from './row-ranges.ts';

/** Adjacent rows with the same values in some fields. */
export interface Run {
  /** One value per field; null if missing. */
  readonly values: readonly Value[];

  /** First row, counted from 0 in its batch. */
  readonly row: number;
  readonly rowCount: number;
}

/** Splits a batch into runs of rows that have the same values in all of the fields. */
export function runsOf(batch: RowBatch, names: readonly string[]): Run[] {
  const { bytes, fields, rowCount, valueStarts, valueEnds } = rangesOf(batch);
  const stride = fields.length;
  const indexes = names.map((name) => fields.indexOf(name));

  const isLikeBefore = (row: number, index: number): boolean => {
    const at = row * stride + index;
    const start = index < 0 ? -1 : (valueStarts[at] as number);
    const startBefore = index < 0 ? -1 : (valueStarts[at - stride] as number);
    if (start < 0 || startBefore < 0) return start < 0 && startBefore < 0;

    const length = (valueEnds[at] as number) - start;
    if (length !== (valueEnds[at - stride] as number) - startBefore) return false;
    for (let i = 0; i < length; i++) {
      if (bytes[start + i] !== bytes[startBefore + i]) return false;
    }
    return true;
  };
  const valueAt = (row: number, index: number): Value => {
    const at = row * stride + index;
    const start = index < 0 ? -1 : (valueStarts[at] as number);
    return start < 0 ? null : parseValue(bytes.toString('utf8', start, valueEnds[at]));
  };

  const runs: Run[] = [];
  for (let row = 0, end = 1; row < rowCount; row = end, end += 1) {
    while (end < rowCount && areLikeBefore(end)) end += 1;
    runs.push({
      values: indexes.map((index) => valueAt(row, index)),
      row,
      rowCount: end - row,
    });
  }
  return runs;

  function areLikeBefore(row: number): boolean {
    for (const index of indexes) {
      if (!isLikeBefore(row, index)) return false;
    }
    return true;
  }
}
