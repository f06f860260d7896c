import { toDecimalString } from '../contract/values.ts';
import * as ascii from './bytes.ts';
import { parseValue, type RowBatch, type Value } from './row-batch.ts';
import { equalsBytes } from './row-keys.ts';
import { nullInRun, type RangedBatch, toRanges } from './row-ranges.ts';

/** Returned by `toCents` for a value that it cannot represent. */
export const notCents = Number.POSITIVE_INFINITY;

/** Maximum number of digits before the decimal point for which a double holds the cents. */
const maxIntegerDigits = 13;

/** Maximum sum. A double holds every whole number of cents up to this limit. */
export const maxExactCents = 1e15;

export interface NumberSummary {
  /**
   * Sum in whole cents. Only set if every row has a number in the usual form and a double holds
   * the sum.
   */
  readonly exactCents?: number;

  /** Whether every row has a number in the usual form: at most 13 digits and two decimals. */
  readonly areAllNumbers: boolean;

  readonly areAllWhole: boolean;
}

interface NumberColumn {
  /** One number per row, as `toCents` returns them. */
  readonly cents: Float64Array;
  readonly summary: NumberSummary;
}

/** Columns that were read from the current batch, by field. */
class BatchColumns {
  readonly values = new Map<string, readonly (Value | undefined)[]>();
  readonly numbers = new Map<string, NumberColumn>();

  #batch: RowBatch | undefined;

  /** Memory for numbers, by field. It is reused, because allocation is slow. */
  readonly #memory = new Map<string, Float64Array>();

  /** Switches to another batch, and drops the columns of the previous batch. */
  follow(batch: RowBatch): void {
    if (batch === this.#batch) return;
    this.#batch = batch;
    this.values.clear();
    this.numbers.clear();
  }

  /** Reserves memory for a field, filled with `NaN`. */
  reserveNumbers(field: string, rowCount: number): Float64Array {
    let memory = this.#memory.get(field);
    if (!memory || memory.length < rowCount) {
      memory = new Float64Array(2 * rowCount);
      this.#memory.set(field, memory);
    }
    return memory.subarray(0, rowCount).fill(Number.NaN);
  }
}

/** Columns of each report, by an array that its batches share. */
const columnsByRanges = new WeakMap<Int32Array, BatchColumns>();

/** Finds the columns that were read from a batch. Several checks share them. */
function findColumns(batch: RowBatch): BatchColumns {
  const { valueStarts } = toRanges(batch);
  let columns = columnsByRanges.get(valueStarts);
  if (!columns) {
    columns = new BatchColumns();
    columnsByRanges.set(valueStarts, columns);
  }
  columns.follow(batch);
  return columns;
}

/**
 * Reads one value per row, as in the objects of `toRows`. Equal strings are often the same object,
 * which makes comparisons cheap.
 */
export function readField(batch: RowBatch, field: string): readonly (Value | undefined)[] {
  const { values: columns } = findColumns(batch);
  const known = columns.get(field);
  if (known) return known;

  const values = readValues(toRanges(batch), field);
  columns.set(field, values);
  return values;
}

function readValues(batch: RangedBatch, field: string): (Value | undefined)[] {
  const { bytes, fields, rowCount, valueStarts, valueEnds } = batch;
  const index = fields.indexOf(field);
  const absentValue = index < 0 && field === 'date' ? batch.day : undefined;
  const values = new Array<Value | undefined>(rowCount).fill(absentValue);
  if (index < 0) return values;

  const view = ascii.toDataView(bytes);
  for (let row = 0, at = index; row < rowCount; row++, at += fields.length) {
    const start = valueStarts[at] as number;
    if (start < 0) {
      if (start === nullInRun) values[row] = null;
      continue;
    }

    const end = valueEnds[at] as number;
    const first = bytes[start];
    if (first === ascii.letterN) {
      values[row] = null;
    } else if (first === ascii.quote) {
      values[row] = strings.read(bytes, view, start, end);
    } else {
      const cents = parseCents(bytes, start, end);
      const isRead = cents !== notCents;
      values[row] = isRead ? cents / 100 : parseValue(bytes.toString('utf8', start, end));
    }
  }
  return values;
}

/**
 * Reads the numbers of a field in exact cents, one per row, also from strings (`"1234,50"`). A
 * missing value, null and an empty string are `NaN`. Anything else, such as a number with more
 * digits or decimals, is `notCents`. The result is valid until the next batch is requested.
 */
export function toCents(batch: RowBatch, field: string): Float64Array {
  return findNumbers(batch, field).cents;
}

/** Sums up the numbers of a field, including those in strings. */
export function summarizeNumbers(batch: RowBatch, field: string): NumberSummary {
  return findNumbers(batch, field).summary;
}

function findNumbers(batch: RowBatch, field: string): NumberColumn {
  const columns = findColumns(batch);
  const known = columns.numbers.get(field);
  if (known) return known;

  const cents = columns.reserveNumbers(field, batch.rowCount);
  const numbers = { cents, summary: readNumbers(toRanges(batch), field, cents) };
  columns.numbers.set(field, numbers);
  return numbers;
}

/** Writes the cents of each row to `cents`, and summarizes them in the same pass. */
function readNumbers(batch: RangedBatch, field: string, cents: Float64Array): NumberSummary {
  const { bytes, fields, rowCount, valueStarts, valueEnds } = batch;
  const index = fields.indexOf(field);
  const endRow = index < 0 ? 0 : rowCount;
  const view = ascii.toDataView(bytes);
  let sum = 0;
  let numberCount = 0;
  let wholeCount = 0;

  for (let row = 0, at = index; row < endRow; row++, at += fields.length) {
    const start = valueStarts[at] as number;
    if (start < 0) continue;

    const end = valueEnds[at] as number;
    let inCents = parsePlainCents(bytes, view, start, end);
    if (inCents < 0) {
      const isEmpty = bytes[start] === ascii.quote && end - start === 2;
      if (isEmpty || bytes[start] === ascii.letterN) continue;
      inCents = parseCents(bytes, start, end);
    }
    cents[row] = inCents;
    if (inCents === notCents) continue;

    sum += inCents;
    numberCount++;
    const number = inCents / 100;
    if (Math.floor(number) === number) wholeCount++;
  }

  const areAllNumbers = numberCount === rowCount;
  const areAllWhole = wholeCount === rowCount;
  const isExact = areAllNumbers && Math.abs(sum) < maxExactCents;
  return { areAllNumbers, areAllWhole, ...(isExact && { exactCents: sum }) };
}

/**
 * Parses an unsigned number with up to eight digits and two decimals to cents. Returns -1 for any
 * other value, including strings. Digits are read four at a time. A loop takes three times as long,
 * because its end is hard to predict.
 */
function parsePlainCents(bytes: Buffer, view: DataView, start: number, end: number): number {
  let digits = end - start;
  let decimals = 0;
  if (digits > 3 && bytes[end - 3] === ascii.dot) {
    decimals = 10 * readDigit(bytes, end - 2) + readDigit(bytes, end - 1);
    digits -= 3;
  } else if (digits > 2 && bytes[end - 2] === ascii.dot) {
    decimals = 10 * readDigit(bytes, end - 1);
    digits -= 2;
  }

  if (digits <= 4) {
    const number = parseFourDigits(view, start, digits);
    return number < 0 ? -1 : number * 100 + decimals;
  }
  if (digits > 8) return -1;

  const high = parseFourDigits(view, start, digits - 4);
  const low = parseFourDigits(view, start + digits - 4, 4);
  return high < 0 || low < 0 ? -1 : (high * 10_000 + low) * 100 + decimals;
}

function readDigit(bytes: Buffer, at: number): number {
  return (bytes[at] as number) - ascii.zero;
}

const fourZeros = ascii.repeatByte(ascii.zero);
const topBits = ascii.repeatByte(0x80);

/** When added to a byte, sets its top bit if the byte is greater than nine. */
const nineToTopBit = ascii.repeatByte(0x80 - 10);

/** Parses one to four digits. Returns -1 if a byte is not a digit. */
function parseFourDigits(view: DataView, at: number, count: number): number {
  // The first digit is the lowest byte. Fewer than four digits get leading zeros.
  const digits = (view.getInt32(at, true) ^ fourZeros) << (32 - 8 * count);
  const isOther = (((digits + nineToTopBit) | digits) & topBits) !== 0;
  if (isOther) return -1;

  const pairs = Math.imul(digits, 10) + (digits >>> 8);
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
}

/** Whether any row has a number other than 0, even as a string. */
export function hasNonZero(batch: RowBatch, field: string): boolean {
  return toCents(batch, field).some((cents, row) => {
    if (cents !== notCents) return !Number.isNaN(cents) && cents !== 0;
    return Number(toDecimalString(readField(batch, field)[row]) ?? 0) !== 0;
  });
}

/** Parses a number with up to two decimals to cents, also in a string. May return `notCents`. */
function parseCents(bytes: Buffer, valueStart: number, valueEnd: number): number {
  const isString = bytes[valueStart] === ascii.quote;
  const end = isString ? valueEnd - 1 : valueEnd;
  let at = isString ? valueStart + 1 : valueStart;
  const isNegative = bytes[at] === ascii.minus;
  if (isNegative) at++;

  const first = at;
  let number = 0;
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - ascii.zero;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  const digits = at - first;
  if (digits === 0 || digits > maxIntegerDigits) return notCents;
  if (bytes[first] === ascii.zero && digits > 1) return notCents;

  const decimals = Math.max(0, end - at - 1);
  if (at < end) {
    const isMark = bytes[at] === ascii.dot || (isString && bytes[at] === ascii.comma);
    if (!isMark || decimals < 1 || decimals > 2) return notCents;
    for (at++; at < end; at++) {
      const digit = (bytes[at] as number) - ascii.zero;
      if (digit < 0 || digit > 9) return notCents;
      number = number * 10 + digit;
    }
  }

  const cents = number * (centsByDecimals[decimals] as number);
  return isNegative ? -cents : cents;
}

/** Cents of the last digit, by the number of decimals. */
const centsByDecimals = [100, 10, 1];

/** Maximum length of a cached string. */
const maxKeptBytes = 128;

interface KeptString {
  readonly bytes: Buffer;
  readonly text: string;
}

/** Caches repeated strings, such as names and dates. Each slot keeps the last string. */
class StringCache {
  readonly #kept = new Array<KeptString | undefined>(4096).fill(undefined);

  read(bytes: Buffer, view: DataView, start: number, end: number): string {
    if (end - start > maxKeptBytes) return JSON.parse(bytes.toString('utf8', start, end));

    let hash = end - start;
    let p = start;
    for (; p + 4 <= end; p += 4) hash = Math.imul(hash ^ view.getInt32(p, true), 0x9e3779b1);
    for (; p < end; p++) hash = Math.imul(hash ^ (bytes[p] as number), 0x9e3779b1);
    const slot = hash >>> 20;

    const kept = this.#kept[slot];
    if (kept && equalsBytes(bytes, start, end, kept.bytes)) return kept.text;

    const text: string = JSON.parse(bytes.toString('utf8', start, end));
    this.#kept[slot] = { bytes: Buffer.from(bytes.subarray(start, end)), text };
    return text;
  }
}

const strings = new StringCache();
