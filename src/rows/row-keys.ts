import { momentOf } from '../contract/values.ts';
import { letterN, quote } from './bytes.ts';
import { KeyTable, keysAtMost } from './key-table.ts';
import { type RangedBatch, type RowBatch, rangesOf } from './row-ranges.ts';

/** Eleven years of hours, none of which takes so many characters. */
const hoursAtMost = 100_000;
const longestHour = 64;

/** Finds the rows whose key came before, among the first million. Keys are read from the bytes and kept as hashes. */
export class RepeatFinder {
  /** How many rows have a key that came before. */
  count = 0;

  /** The number of the first of them, counted from 1; 0 while there is none. */
  firstRow = 0;

  readonly #keyFields: readonly string[];
  readonly #keys = new KeyTable();

  /** The numbers of hours, by their JSON. */
  readonly #hours = new Map<string, number>();
  #rowsSeen = 0;

  /** @param keyFields the row fields that together tell a row from every other */
  constructor(keyFields: readonly string[]) {
    this.#keyFields = keyFields;
  }

  /** Adds the keys of a batch. One that lacks a field of the key is passed over: the rest does not tell its rows apart. */
  observe(batch: RowBatch): void {
    const allIndexes = this.#keyFields.map((field) => batch.fields.indexOf(field));
    if (allIndexes.includes(-1)) return;
    const hourIndex = this.#keyFields.includes('hour') ? batch.fields.indexOf('hour') : -1;
    const indexes = Int32Array.from(allIndexes.filter((index) => index !== hourIndex));

    const ranges = rangesOf(batch);
    const hours = hourIndex < 0 ? undefined : this.#hoursOf(ranges, hourIndex);
    const rowCount = Math.min(batch.rowCount, keysAtMost - this.#rowsSeen);
    this.#rowsSeen += rowCount;
    this.#keys.addAll(ranges, { indexes, hours }, rowCount, (row) => {
      this.count++;
      this.firstRow ||= batch.firstRow + row + 1;
    });
  }

  /**
   * A number for each row, which tells the instant of its hour, with whatever offset that is written; a text that is no time
   * has a number of its own.
   */
  #hoursOf(batch: RangedBatch, index: number): Int32Array {
    const { bytes, fields, rowCount, valueStarts, valueEnds } = batch;
    const hours = new Int32Array(rowCount);
    let textBefore: Buffer | undefined;

    for (let row = 0; row < rowCount; row++) {
      const at = row * fields.length + index;
      const start = valueStarts[at] as number;
      const end = start < 0 ? start : (valueEnds[at] as number);
      if (textBefore && standsAt(bytes, start, end, textBefore)) {
        hours[row] = hours[row - 1] as number;
        continue;
      }
      textBefore = start < 0 ? undefined : bytes.subarray(start, end);
      hours[row] = this.#hourOf(textBefore?.toString('latin1') ?? '');
    }
    return hours;
  }

  #hourOf(json: string): number {
    const numberBefore = this.#hours.get(json);
    if (numberBefore !== undefined) return numberBefore;

    const moment = momentOf(json.slice(1, -1));
    const number = moment ? moment.instantMs / 1_000 : -1 - this.#hours.size;
    const isKept = this.#hours.size < hoursAtMost && json.length < longestHour;
    if (isKept) this.#hours.set(json, number);
    return number;
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

/** The indexes of the rows that have nothing in any of the fields: no value, null, an empty text, or a word for “total”. */
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

  // Few values are so short and begin with a letter of these words, so that few are made a text.
  const isLong = end - start > longestTotalBytes;
  if (isLong || !isTotalInitial[bytes[start + 1] as number]) return false;
  return totalForm.test(bytes.toString('utf8', start, end));
}

/** Whether the text of a row is a word that nothing but a total is called. */
export function isCalledTotal(batch: RowBatch, field: string, row: number): boolean {
  const { bytes, fields, valueStarts, valueEnds } = rangesOf(batch);
  const index = fields.indexOf(field);
  if (index < 0) return false;

  const at = row * fields.length + index;
  const isText = bytes[valueStarts[at] as number] === quote;
  return isText && totalNameForm.test(bytes.toString('utf8', valueStarts[at], valueEnds[at]));
}

const totalNameForm =
  /^" *(?:(?:grand|sub|overall)?[ -]?totals?|totaux|totale|totali|gesamt(?:summe)?|insgesamt) *(?:\(\d+\))? *:? *"$/i;

/** The words for a total, in the languages of those who make reports, with a count or a colon behind. */
const totalForm =
  /^" *(?:(?:grand|sub|overall)?[ -]?totals?|totaux|totale|totali|gesamt(?:summe)?|insgesamt|summe|sum|overall|all|alle|tous|toutes|todos|[—–*-]+) *(?:\(\d+\))? *:? *"$/i;

const longestTotalBytes = 32;

/** For each byte, whether such a word begins with it: by its first letter, a blank, a star or a dash. */
const isTotalInitial: readonly boolean[] = Array.from({ length: 256 }, (_, byte) =>
  /[tgaiso *\-\xe2]/i.test(String.fromCharCode(byte)),
);
