import * as ascii from './bytes.ts';
import { maxRowBytes } from './bytes.ts';
import {
  cut,
  MalformedJson,
  scanColon,
  scanNumber,
  scanPlainString,
  scanString,
  scanValue,
  skipBlanks,
} from './json-scan.ts';
import { RowRanges } from './row-batch.ts';

/** The batch is full: hand its rows out, then scan the row again. */
export const batchFull = -2;

/** How many different keys the rows of a report may have. */
export const maxFields = 1000;

/** How long a value may be, in bytes. */
export const maxValueBytes = 1024 * 1024;

/** What stands between two values is learned up to this length, in bytes. */
const longestGap = 1024;

const nullWord = Buffer.from('null').readInt32LE(0);

/**
 * Scans row objects and notes where their values stand.
 *
 * Rows repeat the same keys in the same order, with the same blanks: what stands before each value in the row that has
 * its key first (`{"date":`, or `,\n    "clicks": `) is learned, and while the rows repeat that, `#scanExpected` goes
 * through them in one small loop that compares eight bytes at a time. `#scanMember` takes what is different.
 */
export class RowScanner {
  readonly ranges = new RowRanges();
  readonly #gaps = new Gaps();
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
    for (let p = start; ; ) {
      p = this.#scanExpected(bytes, view, p, end);
      if (p === cut) return cut;
      const next = skipBlanks(bytes, p === start ? p + 1 : p);
      if (bytes[next] === ascii.closeBrace) return this.#endRow(bytes, p, start, next + 1);
      p = this.#scanMember(bytes, p, start, end);
      if (p < 0) return p;
    }
  }

  /** Scans members as long as each begins as expected and has no nested value; returns the index after them, or `cut`. */
  #scanExpected(bytes: Buffer, view: DataView, start: number, end: number): number {
    const { valueStarts, valueEnds, rowCount, fields } = this.ranges;
    const { lengths, firstWords, words } = this.#gaps;
    const base = rowCount * fields.length;
    let field = this.#nextField;
    let p = start;
    for (;;) {
      const gapLength = lengths[field] as number;
      if (gapLength === 0) break;
      if (!standsAt(view, p, gapLength, words, firstWords[field] as number, firstWords[field + 1] as number)) break;
      const valueStart = p + gapLength;
      const first = bytes[valueStart] as number;
      let valueEnd: number;
      if (first === ascii.quote) valueEnd = scanPlainString(bytes, view, valueStart + 1, end);
      else if (first === ascii.letterN && view.getInt32(valueStart, true) === nullWord) valueEnd = valueStart + 4;
      else if ((first >= ascii.zero && first <= ascii.nine) || first === ascii.minus)
        valueEnd = scanNumber(bytes, valueStart, end);
      else break;
      if (valueEnd === cut) return cut;
      if (valueEnd - valueStart > maxValueBytes) throw tooLong(valueStart);
      valueStarts[base + field] = valueStart;
      valueEnds[base + field] = valueEnd;
      field++;
      p = valueEnd;
    }
    if (this.#setCount === this.#nextField) this.#setCount = field;
    this.#nextField = field;
    return p;
  }

  /** Scans one member and the `{` or comma before it. Returns the index after it, `cut` or `batchFull`. */
  #scanMember(bytes: Buffer, at: number, start: number, end: number): number {
    const { ranges } = this;
    let p = at === start ? at : skipBlanks(bytes, at);
    if (p >= end) return cut;
    if (p > start && bytes[p] !== ascii.comma) throw new MalformedJson(p, '"," or "}"');
    p = skipBlanks(bytes, p + 1);
    if (p >= end) return cut;
    if (bytes[p] !== ascii.quote) throw new MalformedJson(p, 'a key in quotes');
    const keyEnd = scanString(bytes, p + 1, end);
    if (keyEnd === cut) return cut;
    const colonEnd = scanColon(bytes, keyEnd, end);
    if (colonEnd === cut) return cut;
    const valueStart = skipBlanks(bytes, colonEnd);
    const valueEnd = scanValue(bytes, valueStart, end);
    if (valueEnd === cut) return cut;
    if (valueEnd - valueStart > maxValueBytes || keyEnd - p > maxValueBytes) throw tooLong(p);
    const text = bytes.toString('utf8', p, keyEnd);
    const name: string = text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
    let field = ranges.indexOf(name);
    if (field === undefined) {
      if (ranges.fields.length >= maxFields) throw new MalformedJson(p, `at most ${maxFields} different keys`);
      field = ranges.addField(name);
      if (field === undefined) return batchFull;
      this.#gaps.add(bytes.subarray(at, valueStart));
    }
    if (field !== this.#nextField) this.#setAbsent();
    this.#noteLineBreaks(bytes, at, valueStart);
    this.#noteLineBreaks(bytes, valueStart, valueEnd);
    const place = ranges.rowCount * ranges.fields.length + field;
    ranges.valueStarts[place] = valueStart;
    ranges.valueEnds[place] = valueEnd;
    if (this.#setCount === field) this.#setCount++;
    this.#nextField = field + 1;
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

  /** Notes the row. `at` is where its last value ends. */
  #endRow(bytes: Buffer, at: number, start: number, end: number): number {
    if (end - start > maxRowBytes) throw new MalformedJson(start, 'no row longer than 8 MB');
    if (this.#setCount < this.ranges.fields.length) this.#setAbsent();
    this.#noteLineBreaks(bytes, at, end);
    if (this.#gaps.haveLineBreaks) this.ranges.singleLine = false;
    this.ranges.endRow(start, end);
    return end;
  }

  #noteLineBreaks(bytes: Buffer, start: number, end: number): void {
    for (let p = start; p < end; p++) {
      if (bytes[p] === ascii.lineFeed || bytes[p] === ascii.carriageReturn) this.ranges.singleLine = false;
    }
  }
}

function tooLong(at: number): MalformedJson {
  return new MalformedJson(at, 'no value longer than 1 MB');
}

/**
 * What stands before the value of each field, to be compared eight bytes at a time. Eight bytes are read as one
 * floating-point number, the only type of that size that is fast. Two such numbers are equal where their bits are, but
 * for zeros and NaNs; and text has no zero bytes, nor UTF-8 the bits of a NaN.
 */
class Gaps {
  /** The length of each gap in bytes; 0 where nothing was learned, and after the last. */
  readonly lengths = new Int32Array(maxFields + 1);
  /** Where the words of each gap begin in `words`, and, one on, where they end. */
  readonly firstWords = new Int32Array(maxFields + 2);
  words = new Float64Array(256);
  haveLineBreaks = false;
  #count = 0;

  /** Adds the gap of the next field, which is at least four bytes long. */
  add(gap: Buffer): void {
    const first = this.firstWords[this.#count] as number;
    // Of short texts there are two words of four bytes; the last word ends with the text, and may overlap another.
    const isKept = gap.length <= longestGap;
    const wordCount = !isKept ? 0 : gap.length < 8 ? 2 : Math.ceil(gap.length / 8);
    if (first + wordCount > this.words.length) {
      const larger = new Float64Array(2 * (first + wordCount));
      larger.set(this.words);
      this.words = larger;
    }
    for (let word = 0; word < wordCount; word++) {
      this.words[first + word] =
        gap.length < 8
          ? gap.readInt32LE(word === 0 ? 0 : gap.length - 4)
          : gap.readDoubleLE(Math.min(8 * word, gap.length - 8));
    }
    if (isKept && (gap.includes('\n') || gap.includes('\r'))) this.haveLineBreaks = true;
    this.lengths[this.#count++] = isKept ? gap.length : 0;
    this.firstWords[this.#count] = first + wordCount;
  }
}

/**
 * Whether the text of `length` bytes whose words stand from `first` to before `end` in `words` is what stands at `at`.
 * Since no text has a zero byte, one that is here is here as a whole. The arrays are arguments, and not a `Gaps`,
 * because this runs once a value.
 */
function standsAt(
  view: DataView,
  at: number,
  length: number,
  words: Float64Array,
  first: number,
  end: number,
): boolean {
  if (length < 8) {
    return view.getInt32(at, true) === words[first] && view.getInt32(at + length - 4, true) === words[first + 1];
  }
  let p = at;
  for (let word = first; word < end - 1; word++, p += 8) {
    if (view.getFloat64(p, true) !== words[word]) return false;
  }
  return view.getFloat64(at + length - 8, true) === words[end - 1];
}
