import { letterN, quote } from './bytes.ts';
import { type RangedBatch, type RowBatch, rangesOf } from './row-ranges.ts';

/** Beyond so many rows no more keys are kept: they then take 40 MB. */
const rowsAtMost = 1_000_000;

/**
 * Finds the rows whose key came before. Keys are read from the bytes and kept as hashes of 63 bits: among a million rows
 * two different ones meet once in ten million reports.
 */
export class RepeatFinder {
  /** How many rows have a key that came before. */
  count = 0;

  /** The number of the first of them, counted from 1; 0 while there is none. */
  firstRow = 0;

  readonly #keyFields: readonly string[];
  readonly #hashes = new Set<number>();
  #rowsSeen = 0;

  /** @param keyFields the row fields that together tell a row from every other */
  constructor(keyFields: readonly string[]) {
    this.#keyFields = keyFields;
  }

  /** Adds the keys of a batch. One that lacks a field of the key is passed over: the rest does not tell its rows apart. */
  observe(batch: RowBatch): void {
    const indexes = this.#keyFields.map((field) => batch.fields.indexOf(field));
    if (indexes.includes(-1)) return;

    const ranges = rangesOf(batch);
    const rowCount = Math.min(batch.rowCount, rowsAtMost - this.#rowsSeen);
    this.#rowsSeen += rowCount;
    for (let row = 0; row < rowCount; row++) {
      const hash = hashOf(ranges, indexes, row);
      if (!this.#hashes.has(hash)) {
        this.#hashes.add(hash);
        continue;
      }
      this.count++;
      this.firstRow ||= batch.firstRow + row + 1;
    }
  }
}

/** A hash, as two integers and as one number. */
const halves = new Int32Array(2);
const whole = new Float64Array(halves.buffer);

function hashOf(batch: RangedBatch, indexes: readonly number[], row: number): number {
  const { bytes, fields, valueStarts, valueEnds } = batch;
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

    // The length of the value is hashed too, so that `"a" "bc"` and `"ab" "c"` differ.
    high = Math.imul(high ^ (end - start), 0x01000193);
    low = Math.imul(low ^ (end - start), 0x5bd1e995);
  }

  halves[0] = low;
  // Without one bit of its exponent the number is no NaN, which would equal every other NaN.
  halves[1] = high & ~0x40000000;
  return whole[0] as number;
}

/** Calls `take` with each text of a field that the row before did not have, and with the row; null where it has none. */
export function changesOf(
  batch: RowBatch,
  field: string,
  take: (value: unknown, row: number) => void,
): void {
  const { bytes, fields, rowCount, valueStarts, valueEnds } = rangesOf(batch);
  const index = fields.indexOf(field);
  let textBefore: Buffer | undefined;

  for (let row = 0; row < rowCount; row++) {
    const at = row * fields.length + index;
    const start = index < 0 ? -1 : (valueStarts[at] as number);
    if (start < 0) {
      textBefore = undefined;
      take(null, row);
      continue;
    }

    const end = valueEnds[at] as number;
    if (textBefore && standsAt(bytes, start, end, textBefore)) continue;
    textBefore = bytes.subarray(start, end);
    take(JSON.parse(textBefore.toString()), row);
  }
}

/** Whether exactly this text stands there. It is compared byte by byte, because a call costs more for short texts. */
function standsAt(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text[i]) return false;
  }
  return true;
}

/** The indexes of the rows that have nothing in any of the fields: no value, null, an empty text, or the word “total”. */
export function emptyRowsOf(batch: RowBatch, fields: readonly string[]): number[] {
  const ranges = rangesOf(batch);
  const indexes: number[] = [];
  for (const field of fields) {
    const index = batch.fields.indexOf(field);
    if (index >= 0) indexes.push(index);
  }
  if (indexes.length === 0) return [];

  const rows: number[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const firstValue = row * batch.fields.length;
    if (indexes.every((index) => isEmpty(ranges, firstValue + index))) rows.push(row);
  }
  return rows;
}

function isEmpty({ bytes, valueStarts, valueEnds }: RangedBatch, at: number): boolean {
  const start = valueStarts[at] as number;
  const end = valueEnds[at] as number;
  if (start < 0 || bytes[start] === letterN) return true;
  if (end - start === 2) return bytes[start] === quote;

  // Few values begin with a t or a g, so that few are made a text.
  const letter = (bytes[start + 1] as number) | 0x20;
  const mayBeTotal = letter === 0x74 || letter === 0x67;
  return mayBeTotal && /^"(?:grand )?totals?"$/i.test(bytes.toString('latin1', start, end));
}
