import { letterN, quote, viewOf } from './bytes.ts';
import { KeyTable, keysAtMost } from './key-table.ts';
import { type RangedBatch, type RowBatch, rangesOf } from './row-ranges.ts';

/** Finds the rows whose key came before, among the first million. Keys are read from the bytes and kept as hashes. */
export class RepeatFinder {
  /** How many rows have a key that came before. */
  count = 0;

  /** The number of the first of them, counted from 1; 0 while there is none. */
  firstRow = 0;

  readonly #keyFields: readonly string[];
  readonly #keys = new KeyTable();
  #rowsSeen = 0;

  /** @param keyFields the row fields that together tell a row from every other */
  constructor(keyFields: readonly string[]) {
    this.#keyFields = keyFields;
  }

  /** Adds the keys of a batch. One that lacks a field of the key is passed over: the rest does not tell its rows apart. */
  observe(batch: RowBatch): void {
    const indexes = Int32Array.from(this.#keyFields, (field) => batch.fields.indexOf(field));
    if (indexes.includes(-1)) return;

    const ranges = rangesOf(batch);
    const words = viewOf(ranges.bytes);
    const rowCount = Math.min(batch.rowCount, keysAtMost - this.#rowsSeen);
    this.#rowsSeen += rowCount;
    for (let row = 0; row < rowCount; row++) {
      if (this.#keys.add(ranges, words, indexes, row)) continue;
      this.count++;
      this.firstRow ||= batch.firstRow + row + 1;
    }
  }
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
export function standsAt(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
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
  const stride = batch.fields.length;
  for (let row = 0; row < batch.rowCount; row++) {
    let emptyCount = 0;
    while (emptyCount < indexes.length) {
      const index = indexes[emptyCount] as number;
      if (!isEmpty(ranges, row * stride + index)) break;
      emptyCount++;
    }
    if (emptyCount === indexes.length) rows.push(row);
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
