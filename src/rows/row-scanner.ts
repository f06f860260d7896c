import { carriageReturn, closeBrace, comma, letterN, lineFeed, minus, nine, quote, zero } from './ascii.ts';
import {
  cut,
  MalformedJson,
  scanColon,
  scanPlainNumber,
  scanPlainString,
  scanString,
  scanValue,
  skipBlanks,
} from './json-scan.ts';
import { KeyTexts, standsAt } from './key-texts.ts';
import { maxFields, RowRanges } from './row-ranges.ts';

/** The batch is full: hand its rows out, then scan the row again. */
export const batchFull = -2;

/** Where a key was looked for, the row ends. */
const endOfRow = -3;

const nullWord = Buffer.from('null').readInt32LE(0);

/**
 * Scans row objects and notes where their values stand.
 *
 * Rows repeat the same keys in the same order and have no blanks: while that holds, `#scanExpected` goes through them
 * in one small loop. The other methods take what is different.
 */
export class RowScanner {
  readonly ranges = new RowRanges();
  readonly #keys = new KeyTexts();
  /** The field that is expected next. */
  #nextField = 0;
  /** Fields of the row so far whose range has been set, or set to absent, counted from the left. */
  #setCount = 0;

  /**
   * Scans the row whose `{` is at `start`.
   * @returns the index after its `}`, `cut` or `batchFull`; nothing is noted in the last two cases
   * @throws MalformedJson
   */
  scanRow(bytes: Buffer, view: DataView, start: number, end: number): number {
    const { ranges } = this;
    if (ranges.isFull) return batchFull;
    ranges.reserveRow();
    this.#nextField = 0;
    this.#setCount = 0;
    let p = start;
    for (;;) {
      p = this.#scanExpected(bytes, view, p, end);
      if (p === cut) return cut;
      const atKey = p;
      p = this.#readKey(bytes, atKey, start, end);
      if (p === endOfRow) return this.#endRow(bytes, atKey, start);
      if (p < 0) return p;
      p = this.#readValue(bytes, p, end);
      if (p === cut) return cut;
    }
  }

  /**
   * Scans members as long as each has the expected key, in `,"key":value` without blanks, and a value that is not
   * nested. Returns the index after the last one, or `cut`.
   */
  #scanExpected(bytes: Buffer, view: DataView, start: number, end: number): number {
    const { valueStarts, valueEnds, rowCount, fields } = this.ranges;
    const { lengths, firstWords, words } = this.#keys;
    const base = rowCount * fields.length;
    let field = this.#nextField;
    let p = start;
    for (;;) {
      const keyLength = lengths[field] as number;
      if (keyLength === 0) break;
      if (!standsAt(view, p, keyLength, words, firstWords[field] as number, firstWords[field + 1] as number)) break;
      const valueStart = p + keyLength;
      const first = bytes[valueStart] as number;
      let valueEnd: number;
      if (first === quote) valueEnd = scanPlainString(bytes, view, valueStart + 1, end);
      else if (first === letterN && view.getInt32(valueStart, true) === nullWord) valueEnd = valueStart + 4;
      else if ((first >= zero && first <= nine) || first === minus) valueEnd = scanPlainNumber(bytes, valueStart, end);
      else break;
      if (valueEnd === cut) return cut;
      valueStarts[base + field] = valueStart;
      valueEnds[base + field] = valueEnd;
      field++;
      p = valueEnd;
    }
    if (this.#setCount === this.#nextField) this.#setCount = field;
    this.#nextField = field;
    return p;
  }

  /**
   * Reads what comes at `at`, after a value or at the row's `{`: a key, up to and with its colon, or the end of the
   * row. A new key becomes a field.
   */
  #readKey(bytes: Buffer, at: number, start: number, end: number): number {
    let p = at === start ? at : this.#skipBlanks(bytes, at);
    if (bytes[p] === closeBrace) return endOfRow;
    if (p >= end) return cut;
    if (p > start && bytes[p] !== comma) throw new MalformedJson(p, '"," or "}"');
    p = this.#skipBlanks(bytes, p + 1);
    if (bytes[p] === closeBrace && at === start) return endOfRow;
    if (p >= end) return cut;
    if (bytes[p] !== quote) throw new MalformedJson(p, 'a key in quotes');
    const keyEnd = scanString(bytes, p + 1, end);
    if (keyEnd === cut) return cut;
    const afterColon = scanColon(bytes, keyEnd, end);
    if (afterColon === cut) return cut;
    this.#noteLineBreaks(bytes, keyEnd, afterColon);
    const isKnown =
      this.#keys.isAt(this.#nextField, bytes, p, keyEnd) || this.#findField(bytes.toString('utf8', p, keyEnd), p);
    return isKnown ? afterColon : batchFull;
  }

  /** Sets `#nextField` to the field of a key's text; `false` where there is no room for a new one in this batch. */
  #findField(text: string, at: number): boolean {
    const { ranges } = this;
    const name: string = text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
    let field = ranges.indexOf(name);
    if (field === undefined) {
      if (ranges.fields.length >= maxFields) throw new MalformedJson(at, `at most ${maxFields} different keys`);
      field = ranges.addField(name);
      if (field === undefined) return false;
      this.#keys.add(text);
    }
    if (field !== this.#nextField) this.#setAbsent();
    this.#nextField = field;
    return true;
  }

  /** Reads any value of the field `#nextField`, with blanks before it. */
  #readValue(bytes: Buffer, at: number, end: number): number {
    const { ranges } = this;
    const start = this.#skipBlanks(bytes, at);
    const valueEnd = scanValue(bytes, start, end, 1);
    if (valueEnd === cut) return cut;
    this.#noteLineBreaks(bytes, start, valueEnd);
    const place = ranges.rowCount * ranges.fields.length + this.#nextField;
    ranges.valueStarts[place] = start;
    ranges.valueEnds[place] = valueEnd;
    if (this.#setCount === this.#nextField) this.#setCount++;
    this.#nextField++;
    return valueEnd;
  }

  /** Marks the fields that have not been set yet as absent from the row. */
  #setAbsent(): void {
    const { ranges } = this;
    const width = ranges.fields.length;
    const base = ranges.rowCount * width;
    ranges.valueStarts.fill(-1, base + this.#setCount, base + width);
    this.#setCount = width;
  }

  /** Notes the row, whose `}` is the next token at `at`. */
  #endRow(bytes: Buffer, at: number, start: number): number {
    if (this.#setCount < this.ranges.fields.length) this.#setAbsent();
    const end = skipBlanks(bytes, at === start ? at + 1 : at) + 1;
    this.ranges.endRow(start, end);
    return end;
  }

  #skipBlanks(bytes: Buffer, at: number): number {
    const p = skipBlanks(bytes, at);
    this.#noteLineBreaks(bytes, at, p);
    return p;
  }

  #noteLineBreaks(bytes: Buffer, start: number, end: number): void {
    for (let p = start; p < end; p++) {
      if (bytes[p] === lineFeed || bytes[p] === carriageReturn) this.ranges.singleLine = false;
    }
  }
}
