import { numberTextOf } from '../contract/values.ts';
import * as ascii from './bytes.ts';
import { parseValue, type RowBatch, type Value } from './row-batch.ts';
import { standsAt } from './row-keys.ts';
import { nullInRun, type RangedBatch, rangesOf } from './row-ranges.ts';

/** What `hundredthsOf` has for a value that has to be looked at itself. */
export const notHundredths = Number.POSITIVE_INFINITY;

/** So many digits before the decimals make hundredths that a double holds. */
const integerDigitsAtMost = 13;

/** Up to this many hundredths a double counts exactly. */
export const exactHundredthsAtMost = 1e15;

/** What the numbers of a field in a batch come to. */
export interface NumberFacts {
  /** The sum of those rows that have a number. */
  readonly sum: number;

  /**
   * The sum in whole hundredths, to the last digit; absent where a row has no number in its usual
   * form, and where a double might not hold it.
   */
  readonly exactHundredths?: number;

  /**
   * Whether every row has a number in its usual form: at most 13 digits, and at most two decimals.
   */
  readonly areAllNumbers: boolean;

  /** Whether all of these are whole. */
  readonly areAllWhole: boolean;
}

/** The columns that have been read of a batch, by field. */
class BatchColumns {
  readonly values = new Map<string, readonly (Value | undefined)[]>();
  readonly hundredths = new Map<string, Float64Array>();
  readonly numbers = new Map<string, Float64Array>();
  readonly facts = new Map<string, NumberFacts>();

  #batch: RowBatch | undefined;

  /**
   * The memory of numbers, by name. It is used again for the next batch: to get it anew for each
   * takes long.
   */
  readonly #memory = new Map<string, Float64Array>();

  /** Forgets the columns of the batch before. */
  follow(batch: RowBatch): void {
    if (batch === this.#batch) return;
    this.#batch = batch;
    this.values.clear();
    this.hundredths.clear();
    this.numbers.clear();
    this.facts.clear();
  }

  /** The numbers of that name for as many rows as the batch has, all of them NaN. */
  numbersFor(name: string, rowCount: number): Float64Array {
    let memory = this.#memory.get(name);
    if (!memory || memory.length < rowCount) {
      memory = new Float64Array(2 * rowCount);
      this.#memory.set(name, memory);
    }
    return memory.subarray(0, rowCount).fill(Number.NaN);
  }
}

/** What has been read of each report, by the ranges that its batches share. */
const columnsByRanges = new WeakMap<Int32Array, BatchColumns>();

/** The columns of a batch that somebody has asked for: several ask for the same. */
function columnsOf(batch: RowBatch): BatchColumns {
  const { valueStarts } = rangesOf(batch);
  let columns = columnsByRanges.get(valueStarts);
  if (!columns) {
    columns = new BatchColumns();
    columnsByRanges.set(valueStarts, columns);
  }
  columns.follow(batch);
  return columns;
}

/**
 * The values of a field, one a row, as in the objects of `rowsOf`. A text that has been read before
 * is the same string again, so that comparing two costs nothing.
 */
export function valuesOf(batch: RowBatch, field: string): readonly (Value | undefined)[] {
  const { values: columns } = columnsOf(batch);
  const known = columns.get(field);
  if (known) return known;

  const values = readValues(rangesOf(batch), field);
  columns.set(field, values);
  return values;
}

function readValues(batch: RangedBatch, field: string): (Value | undefined)[] {
  const { bytes, fields, rowCount, valueStarts, valueEnds } = batch;
  const values = new Array<Value | undefined>(rowCount).fill(undefined);
  const index = fields.indexOf(field);
  if (index < 0) return values;

  const view = ascii.viewOf(bytes);
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
      values[row] = texts.read(bytes, view, start, end);
    } else {
      const hundredths = hundredthsAt(bytes, start, end);
      const isRead = hundredths !== notHundredths;
      values[row] = isRead ? hundredths / 100 : parseValue(bytes.toString('utf8', start, end));
    }
  }
  return values;
}

/**
 * The numbers of a field in hundredths, which a double holds exactly, one a row: of numbers, and of
 * texts that hold one (`"1234,50"`). NaN where a row has nothing, null or an empty text, and
 * `notHundredths` for any other value: no number, more decimals or digits. They are good until the
 * next batch is asked for.
 */
export function hundredthsOf(batch: RowBatch, field: string): Float64Array {
  const columns = columnsOf(batch);
  const known = columns.hundredths.get(field);
  if (known) return known;

  const numbers = columns.numbersFor(field, batch.rowCount);
  readHundredths(rangesOf(batch), field, numbers);
  columns.hundredths.set(field, numbers);
  return numbers;
}

function readHundredths(batch: RangedBatch, field: string, numbers: Float64Array): void {
  const { bytes, fields, rowCount, valueStarts, valueEnds } = batch;
  const index = fields.indexOf(field);
  if (index < 0) return;

  const view = ascii.viewOf(bytes);
  for (let row = 0, at = index; row < rowCount; row++, at += fields.length) {
    const start = valueStarts[at] as number;
    if (start < 0) continue;

    const end = valueEnds[at] as number;
    const usual = usualHundredthsAt(bytes, view, start, end);
    if (usual >= 0) {
      numbers[row] = usual;
      continue;
    }

    const isText = bytes[start] === ascii.quote;
    const isEmpty = isText && end - start === 2;
    if (!isEmpty && bytes[start] !== ascii.letterN) numbers[row] = hundredthsAt(bytes, start, end);
  }
}

/**
 * The hundredths of a number without a sign that has up to eight digits, and perhaps one or two
 * decimals behind them; -1 of any other value, a text with a number in it too. Digits are read four
 * at a time: a loop over them takes three times as long, because its end is hard to foresee.
 */
function usualHundredthsAt(bytes: Buffer, view: DataView, start: number, end: number): number {
  let digits = end - start;
  let decimals = 0;
  if (digits > 3 && bytes[end - 3] === ascii.dot) {
    decimals = 10 * digitAt(bytes, end - 2) + digitAt(bytes, end - 1);
    digits -= 3;
  } else if (digits > 2 && bytes[end - 2] === ascii.dot) {
    decimals = 10 * digitAt(bytes, end - 1);
    digits -= 2;
  }

  if (digits <= 4) {
    const number = fourDigitsAt(view, start, digits);
    return number < 0 ? -1 : number * 100 + decimals;
  }
  if (digits > 8) return -1;

  const high = fourDigitsAt(view, start, digits - 4);
  const low = fourDigitsAt(view, start + digits - 4, 4);
  return high < 0 || low < 0 ? -1 : (high * 10_000 + low) * 100 + decimals;
}

function digitAt(bytes: Buffer, at: number): number {
  return (bytes[at] as number) - ascii.zero;
}

const fourZeros = ascii.repeated(ascii.zero);
const topBits = ascii.repeated(0x80);

/** Added to a byte, it sets the top bit where the byte is more than nine. */
const toTopBit = ascii.repeated(0x80 - 10);

/** The number that one to four digits are; -1 where a byte is none. */
function fourDigitsAt(view: DataView, at: number, count: number): number {
  // The first digit is the lowest byte; zeros stand before it where there are fewer than four.
  const digits = (view.getInt32(at, true) ^ fourZeros) << (32 - 8 * count);
  const isOther = (((digits + toTopBit) | digits) & topBits) !== 0;
  if (isOther) return -1;

  const pairs = Math.imul(digits, 10) + (digits >>> 8);
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
}

/**
 * The numbers of a field, one a row, of texts that hold one too; NaN where a row has no number
 * there. They are good until the next batch is asked for.
 */
function numbersOf(batch: RowBatch, field: string): Float64Array {
  const columns = columnsOf(batch);
  const known = columns.numbers.get(field);
  if (known) return known;

  const numbers = columns.numbersFor(`${field} as a number`, batch.rowCount);
  readNumbers(rangesOf(batch), field, hundredthsOf(batch, field), numbers);
  columns.numbers.set(field, numbers);
  return numbers;
}

/** @param hundredths what `hundredthsOf` has of the field */
function readNumbers(
  { bytes, fields, rowCount, valueStarts, valueEnds }: RangedBatch,
  field: string,
  hundredths: Float64Array,
  numbers: Float64Array,
): void {
  const index = fields.indexOf(field);

  for (let row = 0; row < rowCount; row++) {
    const inHundredths = hundredths[row] as number;
    if (inHundredths !== notHundredths) {
      numbers[row] = inHundredths / 100;
      continue;
    }
    const at = row * fields.length + index;
    const json = bytes.toString('utf8', valueStarts[at], valueEnds[at]);
    // A number is read from its digits; a text is what stands in its quotation marks.
    const value: unknown = json.startsWith('"') ? JSON.parse(json) : json;
    numbers[row] = Number(numberTextOf(value) ?? Number.NaN);
  }
}

/** What the numbers of a field come to, of texts that hold one too. */
export function numberFactsOf(batch: RowBatch, field: string): NumberFacts {
  const { facts: columns } = columnsOf(batch);
  const known = columns.get(field);
  if (known) return known;

  const facts = readNumberFacts(batch, field);
  columns.set(field, facts);
  return facts;
}

function readNumberFacts(batch: RowBatch, field: string): NumberFacts {
  const hundredths = hundredthsOf(batch, field);
  let sum = 0;
  let numberCount = 0;
  let wholeCount = 0;
  for (let row = 0; row < hundredths.length; row++) {
    const inHundredths = hundredths[row] as number;
    const isNumber = inHundredths < notHundredths;
    if (!isNumber) continue;

    sum += inHundredths;
    numberCount++;
    const number = inHundredths / 100;
    if (Math.floor(number) === number) wholeCount++;
  }
  const areAllNumbers = numberCount === batch.rowCount;
  const areAllWhole = wholeCount === batch.rowCount;
  if (areAllNumbers) {
    const facts = { sum: sum / 100, areAllNumbers, areAllWhole };
    return Math.abs(sum) < exactHundredthsAtMost ? { ...facts, exactHundredths: sum } : facts;
  }

  let sumOfAll = 0;
  for (const number of numbersOf(batch, field)) {
    if (!Number.isNaN(number)) sumOfAll += number;
  }
  return { sum: sumOfAll, areAllNumbers, areAllWhole };
}

/**
 * The hundredths of a value that is no more than digits, perhaps with a sign, and with one or two
 * decimals.
 */
function hundredthsAt(bytes: Buffer, valueStart: number, valueEnd: number): number {
  const isText = bytes[valueStart] === ascii.quote;
  const end = isText ? valueEnd - 1 : valueEnd;
  let at = isText ? valueStart + 1 : valueStart;
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
  if (digits === 0 || digits > integerDigitsAtMost) return notHundredths;
  if (bytes[first] === ascii.zero && digits > 1) return notHundredths;

  const decimals = Math.max(0, end - at - 1);
  if (at < end) {
    const isMark = bytes[at] === ascii.dot || (isText && bytes[at] === ascii.comma);
    if (!isMark || decimals < 1 || decimals > 2) return notHundredths;
    for (at++; at < end; at++) {
      const digit = (bytes[at] as number) - ascii.zero;
      if (digit < 0 || digit > 9) return notHundredths;
      number = number * 10 + digit;
    }
  }

  const hundredths = number * (hundredthsByDecimals[decimals] as number);
  return isNegative ? -hundredths : hundredths;
}

/** How many hundredths the last digit of a number with so many decimals stands for. */
const hundredthsByDecimals = [100, 10, 1];

/** Texts longer than this, with their quotation marks, are not kept. */
const keptTextBytes = 128;

/** A text that has been read, and the bytes that it was read from. */
interface KeptText {
  readonly bytes: Buffer;
  readonly text: string;
}

/**
 * Keeps the texts of a report that come again and again: names, dates. There are 4,096 places, each
 * text has one of them, and the text that comes last stays.
 */
class TextCache {
  readonly #kept = new Array<KeptText | undefined>(4096).fill(undefined);

  /** The text of a string of JSON. */
  read(bytes: Buffer, view: DataView, start: number, end: number): string {
    if (end - start > keptTextBytes) return JSON.parse(bytes.toString('utf8', start, end));

    let hash = end - start;
    let p = start;
    for (; p + 4 <= end; p += 4) hash = Math.imul(hash ^ view.getInt32(p, true), 0x9e3779b1);
    for (; p < end; p++) hash = Math.imul(hash ^ (bytes[p] as number), 0x9e3779b1);
    const place = hash >>> 20;

    const kept = this.#kept[place];
    if (kept && standsAt(bytes, start, end, kept.bytes)) return kept.text;

    const text: string = JSON.parse(bytes.toString('utf8', start, end));
    this.#kept[place] = { bytes: Buffer.from(bytes.subarray(start, end)), text };
    return text;
  }
}

const texts = new TextCache();
