import { letterN, openBrace, openBracket, quote } from '../../rows/ascii.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { viewOf } from '../../rows/words.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { ByteDictionary, escaped } from '../bytes/byte-dictionary.ts';
import { ByteStore } from '../bytes/byte-store.ts';
import { compact, unescapeText } from '../bytes/json-bytes.ts';
import { exactDouble, exactInteger, numberText, plainNumber } from '../bytes/typed-value.ts';

/** What a column holds, in the order of the rows; of one row group at a time. */
export abstract class ColumnValues {
  /** For each row, whether it has a value: 1, else 0. */
  levels = new Uint8Array(1024);
  rowCount = 0;
  /** How many rows have a value. */
  valueCount = 0;
  /** For each value, its place in the dictionary. */
  codes = new Int32Array(1024);
  protected readonly dictionary = new ByteDictionary();

  /** Adds the values of a batch, whose field `field` they are; -1 where it has no such field. */
  add(batch: RowBatch, view: DataView, field: number): void {
    const { bytes, rowCount, valueStarts, valueEnds } = batch;
    const stride = batch.fields.length;
    this.#reserve(rowCount);
    for (let row = 0; row < rowCount; row++) {
      const start = field < 0 ? -1 : (valueStarts[row * stride + field] as number);
      const hasValue =
        start >= 0 &&
        bytes[start] !== letterN &&
        this.addValue(batch, view, row, start, valueEnds[row * stride + field] as number);
      this.levels[this.rowCount++] = hasValue ? 1 : 0;
    }
  }

  /** Begins the next row group. */
  clear(): void {
    this.rowCount = 0;
    this.valueCount = 0;
    this.dictionary.clear();
  }

  /** The rows before it had no such column. */
  addNulls(rowCount: number): void {
    this.#reserve(rowCount);
    this.levels.fill(0, this.rowCount, this.rowCount + rowCount);
    this.rowCount += rowCount;
  }

  get dictionarySize(): number {
    return this.dictionary.count;
  }

  /** How much memory the group takes so far, in bytes. */
  abstract get sizeBytes(): number;

  /** Adds one value; `false` where it stands for none. */
  protected abstract addValue(batch: RowBatch, view: DataView, row: number, start: number, end: number): boolean;

  /** Columns that are null throughout, as many are, take no room for codes. */
  protected addCode(code: number): void {
    if (this.valueCount === this.codes.length) {
      const codes = this.codes;
      this.codes = new Int32Array(2 * codes.length);
      this.codes.set(codes);
    }
    this.codes[this.valueCount++] = code;
  }

  #reserve(rowCount: number): void {
    const needed = this.rowCount + rowCount;
    if (needed <= this.levels.length) return;
    const levels = this.levels;
    this.levels = new Uint8Array(2 ** Math.ceil(Math.log2(needed)));
    this.levels.set(levels);
  }
}

/** Texts, and whatever else is kept as its text. */
export class TextValues extends ColumnValues {
  readonly #scratch = new ByteBuffer(1024);
  #plainBytes = 0;

  /** The texts one after the other, each after its length in four bytes; of each distinct one. */
  get dictionaryBytes(): Buffer {
    return this.dictionary.keys.content;
  }

  get sizeBytes(): number {
    return this.dictionary.keys.length + 4 * this.valueCount;
  }

  /** What the values would take without a dictionary, in bytes. */
  get plainBytes(): number {
    return this.#plainBytes;
  }

  /** The text of a code; good until a value is added. */
  textOf(code: number): Buffer {
    return this.dictionary.keyOf(code);
  }

  override clear(): void {
    super.clear();
    this.#plainBytes = 0;
  }

  protected addValue({ bytes }: RowBatch, view: DataView, _row: number, start: number, end: number): boolean {
    const first = bytes[start];
    const isString = first === quote;
    let code = escaped;
    let length = isString ? end - start - 2 : end - start;
    if (first !== openBrace && first !== openBracket) {
      code = this.dictionary.codeOf(view, isString ? start + 1 : start, isString ? end - 1 : end, false);
    }
    if (code === escaped) {
      const out = this.#scratch.reserve(end - start + 4);
      length = isString ? unescapeText(out, 0, bytes, start + 1, end - 1) : compact(out, 0, bytes, start, end);
      code = this.dictionary.codeOf(viewOf(out), 0, length, true);
    }
    this.#plainBytes += 4 + length;
    this.addCode(code);
    return true;
  }
}

/** Says of which row a value does not fit its column. Rows count from 1. */
export type Refuse = (row: number, json: string) => never;

/** So many values are looked at before it is decided whether a dictionary is worth it. */
const probedValues = 2048;

/** Numbers of eight bytes, little-endian: INT64 or DOUBLE. */
export class NumberValues extends ColumnValues {
  /** Of each distinct number, or, once `isPlain`, of each value. */
  readonly numbers = new ByteStore(8 * 1024);
  /** Whether there is no dictionary and no codes any more, because too few numbers repeat; so in all later groups. */
  isPlain = false;
  /** The least and the greatest; `undefined` where there is none. */
  min: number | bigint | undefined;
  max: number | bigint | undefined;
  readonly #isInteger: boolean;
  readonly #refuse: Refuse;

  /** @param refuse is called for a value that is no such number, or that eight bytes do not hold exactly */
  constructor(type: 'integer' | 'money', refuse: Refuse) {
    super();
    this.#isInteger = type === 'integer';
    this.#refuse = refuse;
  }

  get sizeBytes(): number {
    return this.numbers.length + this.dictionary.keys.length + 4 * this.valueCount;
  }

  override clear(): void {
    super.clear();
    this.numbers.clear();
    this.min = undefined;
    this.max = undefined;
  }

  protected addValue({ bytes, firstRow }: RowBatch, view: DataView, row: number, start: number, end: number): boolean {
    // Nothing at all between the quotes: what an empty field of a CSV body is.
    if (end - start === 2 && bytes[start] === quote) return false;
    if (this.isPlain) this.valueCount++;
    else {
      const known = this.dictionary.count;
      const code = this.dictionary.codeOf(view, start, end, true);
      this.addCode(code);
      if (code < known) return true;
      if (this.valueCount >= probedValues && 2 * known > this.valueCount) this.#makePlain();
    }
    this.#append(bytes, firstRow + row + 1, start, end);
    return true;
  }

  #append(bytes: Buffer, row: number, start: number, end: number): void {
    const { numbers } = this;
    numbers.reserve(8);
    const number = plainNumber(bytes, start, end);
    if (this.#isInteger && Number.isInteger(number)) {
      // The two halves of a 64-bit integer: BigInt would take ten times as long.
      numbers.view.setInt32(numbers.length, number | 0, true);
      numbers.view.setInt32(numbers.length + 4, Math.floor(number / 2 ** 32), true);
      this.#note(number);
    } else if (!this.#isInteger && !Number.isNaN(number)) {
      numbers.view.setFloat64(numbers.length, number, true);
      this.#note(number);
    } else this.#appendExactly(bytes, row, start, end);
    numbers.length += 8;
  }

  #appendExactly(bytes: Buffer, row: number, start: number, end: number): void {
    const text = numberText(bytes, start, end);
    const exact = text === undefined ? undefined : this.#isInteger ? exactInteger(text) : exactDouble(text);
    if (exact === undefined) this.#refuse(row, bytes.toString('utf8', start, end));
    const { view, length } = this.numbers;
    if (typeof exact === 'bigint') view.setBigInt64(length, exact, true);
    else view.setFloat64(length, exact, true);
    this.#note(exact);
  }

  #note(number: number | bigint): void {
    if (this.min === undefined || number < this.min) this.min = number;
    if (this.max === undefined || number > this.max) this.max = number;
  }

  /** Writes out the values so far, the one that is being added excluded: its number is not known yet. */
  #makePlain(): void {
    const { numbers, codes } = this;
    const distinct = Buffer.from(numbers.content);
    numbers.clear();
    numbers.reserve(8 * this.valueCount);
    for (let i = 0; i < this.valueCount - 1; i++) {
      const at = 8 * (codes[i] as number);
      distinct.copy(numbers.bytes, numbers.length, at, at + 8);
      numbers.length += 8;
    }
    this.dictionary.clear();
    this.isPlain = true;
  }
}
