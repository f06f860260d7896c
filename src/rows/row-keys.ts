import { momentOf } from '../contract/values.ts';
import { backslash, letterN, nine, quote, zero } from './bytes.ts';
import { KeyTable, keysAtMost } from './key-table.ts';
import { hasValue, parseValue } from './row-batch.ts';
import { type RangedBatch, type RowBatch, rangesOf } from './row-ranges.ts';

/** Eleven years of hours, none of which takes so many characters. */
const hoursAtMost = 100_000;
const longestHour = 64;

/** Rows whose key came before. */
interface RepeatedRows {
  readonly count: number;

  /** The number of the first of them, counted from 1; 0 where there is none. */
  readonly firstRow: number;
}

/** Those of them that lack the same fields. */
interface RowsAlike {
  count: number;
  readonly firstRow: number;
  readonly lackedFields: readonly string[];
}

/**
 * Finds the rows whose key came before, among the first million. Keys are read from the bytes and
 * kept as hashes.
 */
export class RepeatFinder {
  /** Whether an hour came that tells no instant: twice a year two hours have one name. */
  hasAmbiguousHours = false;

  readonly #keyFields: readonly string[];
  readonly #passedFields: readonly string[];

  /** The fields that the keys are read from, by the fields of the batches. */
  #fields: readonly string[] = [];
  #indexes = new Int32Array();
  #keys = new KeyTable();

  /** The numbers of hours, by their JSON. */
  readonly #hours = new Map<string, number>();
  #rowsSeen = 0;

  /** The fields that had a value in any row. */
  readonly #filledFields = new Set<string>();

  /** The rows whose key came before, by what they lack of the fields that nobody asked for. */
  readonly #repeats = new Map<string, RowsAlike>();

  /**
   * @param keyFields the row fields that tell a row from every other: one without a value in any of
   * them has no key
   * @param passedFields those that are no part of a key; every other field is one, where any row
   * has a value in it
   */
  constructor(keyFields: readonly string[], passedFields: readonly string[]) {
    this.#keyFields = keyFields;
    this.#passedFields = passedFields;
  }

  /**
   * Adds the keys of a batch. One that lacks a field of the key is passed over: the rest does not
   * tell its rows apart.
   */
  observe(batch: RowBatch): void {
    const keyIndexes = this.#keyFields.map((field) => batch.fields.indexOf(field));
    if (keyIndexes.includes(-1)) return;
    const hourIndex = this.#keyFields.includes('hour') ? batch.fields.indexOf('hour') : -1;
    this.#follow(batch, hourIndex);
    const indexes = this.#indexes;

    const ranges = rangesOf(batch);
    const hours = hourIndex < 0 ? undefined : this.#hoursOf(ranges, hourIndex);
    const rowCount = Math.min(batch.rowCount, keysAtMost - this.#rowsSeen);
    this.#rowsSeen += rowCount;
    for (const field of batch.fields) {
      if (!this.#filledFields.has(field) && hasValue(batch, field)) this.#filledFields.add(field);
    }
    this.#keys.addAll(ranges, { indexes, hours }, rowCount, (row) => {
      const lacks = (index: number): boolean => isBlank(ranges, row * batch.fields.length + index);
      if (keyIndexes.some(lacks)) return;

      const lackedFields: string[] = [];
      for (const [index, field] of batch.fields.entries()) {
        if (!this.#passedFields.includes(field) && lacks(index)) lackedFields.push(field);
      }
      this.#addRepeat(batch.firstRow + row + 1, lackedFields);
    });
  }

  /**
   * The rows whose key came before. One that lacks what other rows have beside the breakdowns is
   * none of them: there the key does not tell rows apart.
   */
  repeats(): RepeatedRows {
    let count = 0;
    let firstRow = 0;
    for (const repeat of this.#repeats.values()) {
      if (repeat.lackedFields.some((field) => this.#filledFields.has(field))) continue;
      count += repeat.count;
      firstRow = firstRow === 0 ? repeat.firstRow : Math.min(firstRow, repeat.firstRow);
    }
    return { count, firstRow };
  }

  #addRepeat(row: number, lackedFields: readonly string[]): void {
    const name = lackedFields.join();
    const repeat = this.#repeats.get(name);
    if (repeat) repeat.count++;
    else this.#repeats.set(name, { count: 1, firstRow: row, lackedFields });
  }

  /**
   * Takes the fields of a batch into the keys. Where one is new, the keys before have none of it,
   * and are forgotten.
   */
  #follow({ fields }: RowBatch, hourIndex: number): void {
    if (fields === this.#fields) return;
    if (this.#fields.length > 0) this.#keys = new KeyTable();
    this.#fields = fields;

    const indexes: number[] = [];
    for (const [index, field] of fields.entries()) {
      if (index !== hourIndex && !this.#passedFields.includes(field)) indexes.push(index);
    }
    this.#indexes = Int32Array.from(indexes);
  }

  /**
   * A number for each row, which tells the instant of its hour, with whatever offset that is
   * written; a text that is no time has a number of its own.
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
    if (!moment) this.hasAmbiguousHours = true;
    const number = moment ? moment.instantMs / 1_000 : -1 - this.#hours.size;
    const isKept = this.#hours.size < hoursAtMost && json.length < longestHour;
    if (isKept) this.#hours.set(json, number);
    return number;
  }
}

/**
 * Calls `take` with each text of a field that the row before did not have, and with the row; null
 * where it has none.
 */
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
    take(parseValue(textBefore.toString()), row);
  }
}

/**
 * Whether exactly this text stands there. It is compared byte by byte, because a call costs more
 * for short texts.
 */
export function standsAt(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text[i]) return false;
  }
  return true;
}

/** Short texts that are looked for in bytes: few values have their length and first letter. */
export class ShortTexts {
  readonly #form: RegExp;
  readonly #bytesAtMost: number;

  /** For each byte, whether one of the texts begins with it. */
  readonly #isInitial: readonly boolean[];

  /**
   * @param form what all of a text fits, as JSON has it between its quotes
   * @param initials the characters that the texts begin with, in any case
   */
  constructor(form: RegExp, { initials, bytesAtMost }: { initials: string; bytesAtMost: number }) {
    this.#form = form;
    this.#bytesAtMost = bytesAtMost;
    const firstBytes = new Set<number | undefined>();
    for (const initial of initials) {
      firstBytes.add(Buffer.from(initial.toLowerCase())[0]);
      firstBytes.add(Buffer.from(initial.toUpperCase())[0]);
    }
    this.#isInitial = Array.from({ length: 256 }, (_, byte) => firstBytes.has(byte));
  }

  /** Whether what stands there, without its quotes, is one of the texts. */
  standAt(bytes: Buffer, start: number, end: number): boolean {
    if (end - start > this.#bytesAtMost || !this.#isInitial[bytes[start] as number]) return false;
    return this.#form.test(bytes.toString('utf8', start, end));
  }
}

/** Words that a text may begin or end with, whatever stands before and after them. */
export class EdgeWords {
  readonly #first: RegExp;
  readonly #last: RegExp;

  /** The first, and the last, three letters of the words, as numbers. */
  readonly #beginnings = new Set<number>();
  readonly #endings = new Set<number>();

  /** For each byte, whether a word begins, or ends, with it: most texts are told by that. */
  readonly #isFirst = new Uint8Array(256);
  readonly #isLast = new Uint8Array(256);

  /** @param words of three ASCII letters at least, in lower case */
  constructor(words: readonly string[]) {
    const any = `(?:${words.join('|')})`;
    this.#first = new RegExp(`^[^\\p{L}\\p{N}]*${any}(?![\\p{L}\\p{N}])`, 'iu');
    this.#last = new RegExp(`(?<![\\p{L}\\p{N}])${any}[^\\p{L}\\p{N}]*$`, 'iu');
    for (const word of words) {
      const bytes = Buffer.from(word);
      this.#beginnings.add(threeLetters(bytes, 0));
      this.#endings.add(threeLetters(bytes, bytes.length - 3));
      this.#isFirst[bytes[0] as number] = 1;
      this.#isLast[bytes.at(-1) as number] = 1;
    }
  }

  /** Whether one of them is the first or the last word of the JSON text that stands there. */
  matchesEdge(bytes: Buffer, start: number, end: number): boolean {
    let first = start + 1;
    while (first < end && !isLetterOrDigit(bytes[first] as number)) first++;
    let last = end - 2;
    while (last > first && !isLetterOrDigit(bytes[last] as number)) last--;
    if (last - first < 2) return false;

    // Letters behind a backslash may stand for others.
    const isEscaped = bytes[first - 1] === backslash;
    const mayBegin =
      this.#isFirst[(bytes[first] as number) | 0x20] === 1 &&
      this.#beginnings.has(threeLetters(bytes, first));
    const mayEnd =
      this.#isLast[(bytes[last] as number) | 0x20] === 1 &&
      this.#endings.has(threeLetters(bytes, last - 2));
    if (!isEscaped && !mayBegin && !mayEnd) return false;

    const text = String(parseValue(bytes.toString('utf8', start, end)));
    return this.#first.test(text) || this.#last.test(text);
  }
}

function isLetterOrDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (byte >= zero && byte <= nine);
}

/** Three letters, in lower case, as a number. */
function threeLetters(bytes: Buffer, at: number): number {
  const first = (bytes[at] as number) | 0x20;
  const second = (bytes[at + 1] as number) | 0x20;
  const third = (bytes[at + 2] as number) | 0x20;
  return (first << 16) | (second << 8) | third;
}

/** The indexes of the rows with a text in one of the fields that begins or ends with a word. */
export function rowsWithWord(
  batch: RowBatch,
  fields: readonly string[],
  words: EdgeWords,
): ReadonlySet<number> {
  const { bytes, valueStarts, valueEnds } = rangesOf(batch);
  const stride = batch.fields.length;
  const rows = new Set<number>();

  for (const field of fields) {
    const index = batch.fields.indexOf(field);
    if (index < 0) continue;

    for (let row = 0; row < batch.rowCount; row++) {
      const start = valueStarts[row * stride + index] as number;
      if (start < 0 || bytes[start] !== quote) continue;
      const end = valueEnds[row * stride + index] as number;
      if (words.matchesEdge(bytes, start, end)) rows.add(row);
    }
  }
  return rows;
}

/**
 * The indexes of the rows that have nothing in any of the fields: no value, null, an empty text, or
 * a text that says as much.
 */
export function emptyRowsOf(
  batch: RowBatch,
  fields: readonly string[],
  emptyTexts: ShortTexts,
): number[] {
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
      if (!isEmpty(ranges, row * stride + index, emptyTexts)) break;
      emptyCount++;
    }
    if (emptyCount === indexes.length) rows.push(row);
  }
  return rows;
}

/** Whether there is nothing, null, or a text of blanks. */
function isBlank({ bytes, valueStarts, valueEnds }: RangedBatch, at: number): boolean {
  const start = valueStarts[at] as number;
  if (start < 0 || bytes[start] === letterN) return true;
  return /^" *"$/.test(bytes.toString('latin1', start, valueEnds[at]));
}

function isEmpty(
  { bytes, valueStarts, valueEnds }: RangedBatch,
  at: number,
  emptyTexts: ShortTexts,
): boolean {
  const start = valueStarts[at] as number;
  const end = valueEnds[at] as number;
  if (start < 0 || bytes[start] === letterN) return true;
  if (bytes[start] !== quote) return emptyTexts.standAt(bytes, start, end);
  return end - start === 2 || emptyTexts.standAt(bytes, start + 1, end - 1);
}
