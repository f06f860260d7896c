import { letterN, quote } from './bytes.ts';
import type { RowBatch } from './row-batch.ts';

/** Beyond so many rows no more keys are kept: they then take 40 MB. */
const rowsAtMost = 1_000_000;

/** A hash, as two integers and as one number. */
const halves = new Int32Array(2);
const whole = new Float64Array(halves.buffer);

/**
 * Finds the rows whose key came before. Keys are read from the bytes and kept as hashes of 63 bits: among a million rows
 * two different ones meet once in ten million reports.
 * @param fields the row fields that together tell a row from every other
 */
export function findRepeats(fields: readonly string[]) {
  const hashes = new Set<number>();
  let rowsSeen = 0;
  /** How many rows have a key that came before, and the number of the first of them, counted from 1. */
  const found = { count: 0, firstRow: 0 };
  /** Adds the keys of a batch; one that lacks a field of the key is passed over: the rest does not tell its rows apart. */
  const observe = (batch: RowBatch): void => {
    const indexes = fields.map((field) => batch.fields.indexOf(field));
    if (indexes.includes(-1)) return;
    const rowCount = Math.min(batch.rowCount, rowsAtMost - rowsSeen);
    rowsSeen += rowCount;
    for (let row = 0; row < rowCount; row++) {
      const hash = hashOf(batch, indexes, row);
      if (hashes.has(hash)) {
        found.count++;
        found.firstRow ||= batch.firstRow + row + 1;
      } else hashes.add(hash);
    }
  };
  return { found, observe };
}

function hashOf(
  { bytes, fields, valueStarts, valueEnds }: RowBatch,
  indexes: readonly number[],
  row: number,
): number {
  let high = 0x811c9dc5;
  let low = 0x2f0b4c47;
  for (const index of indexes) {
    const at = row * fields.length + index;
    const start = valueStarts[at] as number;
    const end = start < 0 ? start : (valueEnds[at] as number);
    for (let i = start; i < end; i++) {
      high = Math.imul(high ^ (bytes[i] as number), 0x01000193);
      low = Math.imul(low ^ (bytes[i] as number), 0x5bd1e995);
      low ^= low >>> 13;
    }
    // So that `"a" "bc"` and `"ab" "c"` differ.
    high = Math.imul(high ^ (end - start), 0x01000193);
    low = Math.imul(low ^ (end - start), 0x5bd1e995);
  }
  halves[0] = low;
  // Without one bit of its exponent, it is no NaN, which would equal every other.
  halves[1] = high & ~0x40000000;
  return whole[0] as number;
}

/** Calls `take` with each text of a field that the row before did not have, and with the row; null where it has none. */
export function changesOf(
  batch: RowBatch,
  field: string,
  take: (value: unknown, row: number) => void,
): void {
  const { bytes, fields, rowCount, valueStarts, valueEnds } = batch;
  const index = fields.indexOf(field);
  let from = 0;
  let to = -1;
  for (let row = 0; row < rowCount; row++) {
    const start = index < 0 ? -1 : (valueStarts[row * fields.length + index] as number);
    const end = start < 0 ? -1 : (valueEnds[row * fields.length + index] as number);
    let isSame = end - start === to - from && start >= 0;
    for (let i = 0; isSame && i < end - start; i++) isSame = bytes[from + i] === bytes[start + i];
    if (isSame) continue;
    [from, to] = start < 0 ? [0, -1] : [start, end];
    take(start < 0 ? null : JSON.parse(bytes.toString('utf8', start, end)), row);
  }
}

/** The rows of a batch that have nothing in any of the fields: no value, null, an empty text, or the word “total”. */
export function emptyRowsOf(
  { bytes, fields, rowCount, valueStarts, valueEnds }: RowBatch,
  names: readonly string[],
) {
  const indexes = names.map((name) => fields.indexOf(name)).filter((index) => index >= 0);
  const isEmpty = (at: number): boolean => {
    const [start, end] = [valueStarts[at] as number, valueEnds[at] as number];
    if (start < 0 || bytes[start] === letterN) return true;
    if (end - start === 2) return bytes[start] === quote;
    // Few values begin with a t or a g, so that few are made a text.
    const letter = (bytes[start + 1] as number) | 0x20;
    const mayBeTotal = letter === 0x74 || letter === 0x67;
    return mayBeTotal && /^"(?:grand )?totals?"$/i.test(bytes.toString('latin1', start, end));
  };
  const found: number[] = [];
  for (let row = 0; row < rowCount && indexes.length > 0; row++) {
    if (indexes.every((index) => isEmpty(row * fields.length + index))) found.push(row);
  }
  return found;
}
