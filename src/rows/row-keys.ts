import { momentOf } from '../contract/values.ts';
import { backslash, letterN, nine, quote, zero } from './bytes.ts';
import { KeyTable, keysAtMost } from './key-table.ts';
import { hasValue, parseValue } from './row-batch.ts';
import { type RangedBatch, type RowBatch, rangesOf } from './row-ranges.ts';

/** Limits of the hour cache: eleven years of hours, and more characters than an hour has. */
const hoursAtMost = 100_000;
const longestHour = 64;

/** Rows with the key of an earlier row. */
interface RepeatedRows {
  readonly count: number;

  /** The first of them, counted from 1; 0 if there is none. */
  readonly firstRow: number;
}

/** Repeated rows without the same fields. */
interface RepeatGroup {
  count: number;
  readonly firstRow: number;
  readonly missingFields: readonly string[];
}

/** Finds rows with the key of an earlier row, among the first million. Keys are kept as hashes. */
export class RepeatFinder {
  /** True if an hour had no offset: when clocks are set back, two hours have the same name. */
  hasAmbiguousHours = false;

  readonly #keyFields: readonly string[];
  readonly #ignoredFields: readonly string[];

  /** The fields of the last batch, and the indexes of those that are part of the key. */
  #fields: readonly string[] = [];
  #indexes = new Int32Array();
  #keys = new KeyTable();

  /** Hours as numbers, by their JSON. */
  readonly #hours = new Map<string, number>();
  #rowsSeen = 0;

  /** The fields that had a value in any row. */
  readonly #filledFields = new Set<string>();

  /** Repeated rows, grouped by the fields they do not have. */
  readonly #repeats = new Map<string, RepeatGroup>();

  /**
   * @param keyFields the fields that identify a row; without a value in each of them it has no key
   * @param ignoredFields fields outside the key; all others with a value in any row are part of it
   */
  constructor(keyFields: readonly string[], ignoredFields: readonly string[]) {
    this.#keyFields = keyFields;
    this.#ignoredFields = ignoredFields;
  }

  /** Adds the keys of a batch. A batch without one of the key fields is skipped. */
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
      const isMissing = (index: number): boolean =>
        isBlank(ranges, row * batch.fields.length + index);
      if (keyIndexes.some(isMissing)) return;

      const missingFields: string[] = [];
      for (const [index, field] of batch.fields.entries()) {
        if (!this.#ignoredFields.includes(field) && isMissing(index)) missingFields.push(field);
      }
      this.#addRepeat(batch.firstRow + row + 1, missingFields);
    });
  }

  /**
   * The repeated rows, without those that miss an extra field which other rows have: their key may
   * be incomplete.
   */
  repeats(): RepeatedRows {
    let count = 0;
    let firstRow = 0;
    for (const repeat of this.#repeats.values()) {
      if (repeat.missingFields.some((field) => this.#filledFields.has(field))) continue;
      count += repeat.count;
      firstRow = firstRow === 0 ? repeat.firstRow : Math.min(firstRow, repeat.firstRow);
    }
    return { count, firstRow };
  }

  #addRepeat(row: number, missingFields: readonly string[]): void {
    const name = missingFields.join();
    const repeat = this.#repeats.get(name);
    if (repeat) repeat.count++;
    else this.#repeats.set(name, { count: 1, firstRow: row, missingFields });
  }

  /** Updates the key columns. A new field changes all keys, so the earlier ones are dropped. */
  #follow({ fields }: RowBatch, hourIndex: number): void {
    if (fields === this.#fields) return;
    if (this.#fields.length > 0) this.#keys = new KeyTable();
    this.#fields = fields;

    const indexes: number[] = [];
    for (const [index, field] of fields.entries()) {
      if (index !== hourIndex && !this.#ignoredFields.includes(field)) indexes.push(index);
    }
    this.#indexes = Int32Array.from(indexes);
  }

  /**
   * A number for each row's hour: its instant, whatever its offset is, or a unique number if it is
   * not a time.
   */
  #hoursOf(batch: RangedBatch, index: number): Int32Array {
    const { bytes, fields, rowCount, valueStarts, valueEnds } = batch;
    const hours = new Int32Array(rowCount);
    let textBefore: Buffer | undefined;

    for (let row = 0; row < rowCount; row++) {
      const at = row * fields.length + index;
      const start = valueStarts[at] as number;
      const end = start < 0 ? start : (valueEnds[at] as number);
      if (textBefore && matchesAt(bytes, start, end, textBefore)) {
        hours[row] = hours[row - 1] as number;
        continue;
      }
      textBefore = start < 0 ? undefined : bytes.subarray(start, end);
      hours[row] = this.#hourOf(textBefore?.toString('latin1') ?? '');
    }
    return hours;
  }

  #hourOf(json: string): number {
    const known = this.#hours.get(json);
    if (known !== undefined) return known;

    const moment = momentOf(json.slice(1, -1));
    if (!moment) this.hasAmbiguousHours = true;
    const number = moment ? moment.instantMs / 1_000 : -1 - this.#hours.size;
    const isKept = this.#hours.size < hoursAtMost && json.length < longestHour;
    if (isKept) this.#hours.set(json, number);
    return number;
  }
}

/** True if the range is exactly this text. For short texts a loop is faster than `compare`. */
export function matchesAt(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text[i]) return false;
  }
  return true;
}

/** A pattern for short texts. Length and first byte exclude most values before it is tried. */
export class ShortTexts {
  readonly #form: RegExp;
  readonly #bytesAtMost: number;

  /** For each byte, true if a text may begin with it. */
  readonly #isInitial: readonly boolean[];

  /**
   * @param form the pattern for a whole JSON text without its quotes
   * @param initials the first characters of the texts, in any case
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

  /** True if the range, without quotes, is one of the texts. */
  matches(bytes: Buffer, start: number, end: number): boolean {
    if (end - start > this.#bytesAtMost || !this.#isInitial[bytes[start] as number]) return false;
    return this.#form.test(bytes.toString('utf8', start, end));
  }
}

/** Words that may be the first or last word of a text. */
export class EdgeWords {
  readonly #first: RegExp;
  readonly #last: RegExp;

  /** The first and last three letters of the words, as numbers. */
  readonly #beginnings = new Set<number>();
  readonly #endings = new Set<number>();

  /** For each byte, 1 if a word begins or ends with it. Excludes most texts. */
  readonly #isFirst = new Uint8Array(256);
  readonly #isLast = new Uint8Array(256);

  /** @param words at least three ASCII letters each, in lower case */
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

  /** True if the JSON text in the range has one of the words as its first or last word. */
  matchesEdge(bytes: Buffer, start: number, end: number): boolean {
    let first = start + 1;
    while (first < end && !isLetterOrDigit(bytes[first] as number)) first++;
    let last = end - 2;
    while (last > first && !isLetterOrDigit(bytes[last] as number)) last--;
    if (last - first < 2) return false;

    // A backslash may begin an escaped letter.
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

/** The rows with a text that begins or ends with one of the words, in one of the fields. */
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

/** The rows without a value in any of the fields; null, empty and `emptyTexts` are not values. */
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

/** True for a missing value, null, or a text of blanks. */
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
  if (bytes[start] !== quote) return emptyTexts.matches(bytes, start, end);
  return end - start === 2 || emptyTexts.matches(bytes, start + 1, end - 1);
}
