import * as ascii from './bytes.ts';
import {
  cut,
  MalformedJson,
  scanKey,
  scanNumber,
  scanString,
  scanValue,
  skipBlanks,
} from './json-scan.ts';
import { maxFields, RowRanges } from './row-ranges.ts';

/** The batch is full: hand its rows out, then scan the row again. */
export const batchFull = -2;

/** How long a value may be, in bytes. */
export const maxValueBytes = 1024 * 1024;

/** What stands between two values is learned up to this length, in bytes. */
const longestGap = 256;
const longestWords = longestGap / 8;

const nullWord = Buffer.from('null').readInt32LE(0);

/** Scans row objects and notes where their values stand, by what stood before them in the first row (`README.md`, 3). */
export class RowScanner {
  readonly ranges = new RowRanges();
  /** How long is what stands before the value of each field, in bytes; 0 where it is too long to be learned. */
  readonly #gapLengths = new Int32Array(maxFields + 1);
  /** The same texts, eight bytes a word, or four in a short one; the last word ends with the text, and may overlap. */
  readonly #gapWords = new Float64Array(maxFields * longestWords);
  /** The field that is expected next. */
  #nextField = 0;

  /**
   * Scans the row whose `{` is at `start`. This is the loop in which a download spends its time: it stands in one
   * function, because V8 then puts the scans of values into it.
   * @returns the index after its `}`, `cut` or `batchFull`; nothing is noted in the last two cases
   * @throws MalformedJson
   */
  scanRow(bytes: Buffer, view: DataView, start: number, end: number): number {
    const { ranges } = this;
    if (ranges.isFull) return batchFull;
    const { valueStarts, valueEnds } = ranges;
    const gapLengths = this.#gapLengths;
    const words = this.#gapWords;
    this.#nextField = 0;
    let isFilled = false;
    for (let p = start; ; ) {
      const width = ranges.fields.length;
      const base = ranges.rowCount * width;
      let field = this.#nextField;
      // Members that begin as expected and have no nested value.
      for (; ; field++) {
        const length = gapLengths[field] as number;
        if (length === 0 || !standsAt(view, p, length, words, field * longestWords)) break;
        const valueStart = p + length;
        const first = bytes[valueStart] as number;
        let valueEnd: number;
        if (first === ascii.quote) valueEnd = scanString(bytes, view, valueStart + 1, end);
        else if (first === ascii.letterN && view.getInt32(valueStart, true) === nullWord)
          valueEnd = valueStart + 4;
        else if (first === ascii.minus || (first >= ascii.zero && first <= ascii.nine))
          valueEnd = scanNumber(bytes, valueStart, end);
        else break;
        if (valueEnd === cut) return cut;
        valueStarts[base + field] = valueStart;
        valueEnds[base + field] = valueEnd;
        p = valueEnd;
      }
      this.#nextField = field;
      // From the first field that does not come as expected, each may be absent.
      if (!isFilled && field < width) valueStarts.fill(-1, base + field, base + width);
      isFilled = true;
      const next = skipBlanks(bytes, p === start ? p + 1 : p);
      if (bytes[next] === ascii.closeBrace) {
        if (next - start > maxValueBytes) this.#checkLengths(start, next);
        ranges.endRow(start, next + 1);
        return next + 1;
      }
      p = this.#scanMember(bytes, view, p, start, end);
      if (p < 0) return p;
    }
  }

  /** Scans one member and the `{` or comma before it. Returns the index after it, `cut` or `batchFull`. */
  #scanMember(bytes: Buffer, view: DataView, at: number, start: number, end: number): number {
    const { ranges } = this;
    let p = skipBlanks(bytes, at);
    if (p >= end) return cut;
    if (p > start && bytes[p] !== ascii.comma) throw new MalformedJson(p, '"," or "}"');
    p = skipBlanks(bytes, p + 1);
    const key = p < end ? scanKey(bytes, view, p, end) : undefined;
    if (!key) return cut;
    const { name, end: valueStart } = key;
    const valueEnd = scanValue(bytes, view, valueStart, end);
    if (valueEnd === cut) return cut;
    if (valueStart - p > maxValueBytes) throw tooLong(p);
    let field = ranges.indexOf(name);
    if (field === undefined) {
      if (ranges.fields.length >= maxFields)
        throw new MalformedJson(p, `at most ${maxFields} different keys`);
      field = ranges.addField(name);
      if (field === undefined) return batchFull;
      this.#learnGap(field, bytes.subarray(at, valueStart));
    }
    const place = ranges.rowCount * ranges.fields.length + field;
    ranges.valueStarts[place] = valueStart;
    ranges.valueEnds[place] = valueEnd;
    this.#nextField = field + 1;
    return valueEnd;
  }

  /** Throws where a row of over 1 MB is too long, or has a value that is. */
  #checkLengths(start: number, end: number): void {
    if (end - start >= ascii.maxRowBytes) throw new MalformedJson(start, 'no row longer than 8 MB');
    const { valueStarts, valueEnds, rowCount, fields } = this.ranges;
    for (let at = rowCount * fields.length; at < (rowCount + 1) * fields.length; at++) {
      const valueStart = valueStarts[at] as number;
      if (valueStart >= 0 && (valueEnds[at] as number) - valueStart > maxValueBytes)
        throw tooLong(valueStart);
    }
  }

  #learnGap(field: number, text: Buffer): void {
    const size = text.length < 8 ? 4 : 8;
    this.#gapLengths[field] = text.length > longestGap ? 0 : text.length;
    for (let i = 0; i < longestWords; i++) {
      const p = Math.min(size * i, text.length - size);
      this.#gapWords[field * longestWords + i] =
        size === 4 ? text.readInt32LE(p) : text.readDoubleLE(p);
    }
  }
}

function tooLong(at: number): MalformedJson {
  return new MalformedJson(at, 'no value longer than 1 MB');
}

/**
 * Whether the text of `length` bytes whose words begin at `first` stands at `at`. It is there as a whole, because no text has
 * a zero byte. Eight bytes that are no number (NaN) would count as different, which is slower and no mistake.
 */
function standsAt(
  view: DataView,
  at: number,
  length: number,
  words: Float64Array,
  first: number,
): boolean {
  if (length < 8)
    return (
      view.getInt32(at, true) === words[first] &&
      view.getInt32(at + length - 4, true) === words[first + 1]
    );
  const lastAt = at + length - 8;
  let word = first;
  for (let p = at; p < lastAt; p += 8) if (view.getFloat64(p, true) !== words[word++]) return false;
  return view.getFloat64(lastAt, true) === words[word];
}
