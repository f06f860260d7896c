import { parseTimestamp } from '../contract/values.ts';
import { letterN } from './bytes.ts';
import { KeyTable, maxKeys } from './key-table.ts';
import { hasValue } from './row-batch.ts';
import { type RangedBatch, type RowBatch, rangesOf } from './row-ranges.ts';

/** Limits the hour cache: eleven years of hours, and more characters than an hour has. */
const maxHours = 100_000;
const longestHour = 64;

/** Rows with the key of an earlier row. */
interface RepeatedRows {
  readonly count: number;

  /** First of them, counted from 1; 0 if there is none. */
  readonly firstRow: number;
}

/** Finds rows with the key of an earlier row, among the first million. Keys are kept as hashes. */
export class RepeatFinder {
  /** Set if an hour had no offset: when clocks are set back, two hours have the same name. */
  hasAmbiguousHours = false;

  readonly #keyFields: readonly string[];
  readonly #ignoredFields: readonly string[];

  /** Fields of the last batch, and the indexes of those that are part of the key. */
  #fields: readonly string[] = [];
  #indexes = new Int32Array();
  #keys = new KeyTable();

  /** Hours as numbers, by their JSON. */
  readonly #hours = new Map<string, number>();
  #rowsSeen = 0;

  /** Fields that had a value in any row. */
  readonly #filledFields = new Set<string>();

  /** Repeated rows, grouped by the fields they do not have. */
  readonly #repeats = new Map<
    string,
    { count: number; readonly firstRow: number; readonly missingFields: readonly string[] }
  >();

  /**
   * @param keyFields fields that identify a row; without a value in each of them it has no key
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
    const rowCount = Math.min(batch.rowCount, maxKeys - this.#rowsSeen);
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
   * Returns the repeated rows, without those that miss an extra field which other rows have: their
   * key may be incomplete.
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
   * Returns a number for each row's hour: its instant, whatever its offset is, or a unique number
   * if it is not a time.
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

    const moment = parseTimestamp(json.slice(1, -1));
    if (!moment) this.hasAmbiguousHours = true;
    const number = moment ? moment.instantMs / 1_000 : -1 - this.#hours.size;
    const isKept = this.#hours.size < maxHours && json.length < longestHour;
    if (isKept) this.#hours.set(json, number);
    return number;
  }
}

/** Compares in a loop, which is faster than `compare` for short text. */
export function matchesAt(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text[i]) return false;
  }
  return true;
}

/** Also for a missing value, null, or a string of blanks. */
function isBlank({ bytes, valueStarts, valueEnds }: RangedBatch, at: number): boolean {
  const start = valueStarts[at] as number;
  if (start < 0 || bytes[start] === letterN) return true;
  return /^" *"$/.test(bytes.toString('latin1', start, valueEnds[at]));
}
