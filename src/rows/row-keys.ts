import { letterN, quote } from './bytes.ts';
import type { RowBatch } from './row-batch.ts';

/** Beyond so many rows no more keys are kept: they then take 40 MB. */
const rowsAtMost = 1_000_000;

/**
 * The keys of a report's rows, read from their bytes and kept as hashes of 63 bits: among a million rows two different
 * ones meet once in ten million reports.
 */
export class RowKeys {
  /** How many rows have a key that came before, and the number of the first of them, counted from 1. */
  repeatedCount = 0;
  firstRepeated = 0;
  readonly #fields: readonly string[];
  #rowCount = 0;
  readonly #hashes = new Set<number>();
  /** A hash, as two integers and as one number. */
  readonly #halves = new Int32Array(2);
  readonly #whole = new Float64Array(this.#halves.buffer);

  /** @param fields the row fields that together tell a row from every other */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  /** Adds the keys of a batch; one that lacks a field of the key is passed over: the rest does not tell its rows apart. */
  observe(batch: RowBatch): void {
    const indexes = this.#fields.map((field) => batch.fields.indexOf(field));
    if (indexes.includes(-1)) return;
    const rowCount = Math.min(batch.rowCount, rowsAtMost - this.#rowCount);
    this.#rowCount += rowCount;
    for (let row = 0; row < rowCount; row++) {
      const hash = this.#hashOf(batch, indexes, row);
      if (this.#hashes.has(hash)) {
        this.repeatedCount++;
        this.firstRepeated ||= batch.firstRow + row + 1;
      } else this.#hashes.add(hash);
    }
  }

  #hashOf({ bytes, fields, valueStarts, valueEnds }: RowBatch, indexes: readonly number[], row: number): number {
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
    this.#halves[0] = low;
    // Without one bit of its exponent, it is no NaN, which would equal every other.
    this.#halves[1] = high & ~0x40000000;
    return this.#whole[0] as number;
  }
}

/** Calls `take` with each text of a field that the row before did not have, and with the row; null where it has none. */
export function changesOf(batch: RowBatch, field: string, take: (value: unknown, row: number) => void): void {
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
export function emptyRowsOf({ bytes, fields, rowCount, valueStarts, valueEnds }: RowBatch, names: readonly string[]) {
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
