import * as ascii from './bytes.ts';
import {
  cut,
  MalformedJsonError,
  scanKey,
  scanNumber,
  scanString,
  scanValue,
  skipBlanks,
} from './json-scan.ts';
import { absent, maxFields, nullInRun, RowRanges } from './row-ranges.ts';

/** Returned if the batch is full. Take its rows before scanning the row again. */
export const batchFull = -2;

/** Maximum length of a value: 1 MB. */
export const maxValueBytes = 1024 * 1024;

/** Maximum length of a gap (the bytes between two values) that is learned. */
const maxGapBytes = 256;
const maxGapWords = maxGapBytes / 8;

/** Lengths of gaps that are not learned yet, or too long. */
const unlearned = 0;
const tooLongToLearn = -1;

const nullWord = Buffer.from('null').readInt32LE(0);

/** Minimum number of consecutive nulls to compare in one step. */
const minNullRun = 4;

/** Consecutive fields that have been null in every row since the run was learned. */
interface NullRun {
  readonly fieldCount: number;

  /** Number of bytes from the end of the previous value to the end of the last null. */
  readonly length: number;

  /** Words of eight bytes. The last word ends with the run and may overlap. */
  readonly words: Float64Array;
}

/** Bytes that have arrived, for the functions of `json-scan.ts`. */
interface ScannedBytes {
  readonly bytes: Buffer;
  readonly view: DataView;

  /** Index of the first byte that has not arrived. */
  readonly end: number;
}

/**
 * Scans rows and records the ranges of their values, with gaps that it learns from the first rows
 * (`README.md`, 3).
 */
export class RowScanner {
  readonly ranges: RowRanges;

  /** Length of the gap before each field's value, in bytes. */
  readonly #gapLengths = new Int32Array(maxFields + 1);

  /**
   * Gaps in words of eight bytes, or of four if short. The last word ends with the gap and may
   * overlap.
   */
  #gapWords = new Float64Array(32 * maxGapWords);

  /** Null runs by their first field. Most fields are null, because they were not requested. */
  readonly #nullRuns = new Array<NullRun | undefined>(maxFields + 1).fill(undefined);

  #areNullRunsLearned = false;

  #nextField = 0;

  /** First field of a null run that is not complete in the current row, or -1. */
  #brokenRunField = -1;

  /** @param pieceBytes number of bytes to scan at a time */
  constructor(pieceBytes: number) {
    this.ranges = new RowRanges(pieceBytes);
  }

  /**
   * Scans the row whose `{` is at `start`. Alternates between expected and unexpected members.
   * @returns the index after its `}`; `cut` or `batchFull` if nothing is recorded
   * @throws MalformedJsonError
   */
  scanRow(bytes: Buffer, view: DataView, start: number, end: number): number {
    if (this.ranges.isFull) return batchFull;

    this.#nextField = 0;
    this.#brokenRunField = -1;
    let at = this.#scanExpected(bytes, view, start, end);
    if (at === cut) return cut;
    this.#markAbsent();

    for (;;) {
      const next = skipBlanks(bytes, at === start ? at + 1 : at);
      if (bytes[next] === ascii.closeBrace) {
        this.#endRow(view, start, next);
        return next + 1;
      }

      at = this.#scanMember({ bytes, view, end }, at, start);
      if (at < 0) return at;
      at = this.#scanExpected(bytes, view, at, end);
      if (at === cut) return cut;
    }
  }

  /**
   * Scans members as long as they begin as expected and have no nested value. A download spends its
   * time in this loop. It is a single function, so that V8 inlines the scans of values.
   * @param at the end of the previous value, or the start of the row
   * @returns the index after the last member, or `cut`
   */
  #scanExpected(bytes: Buffer, view: DataView, at: number, end: number): number {
    const { ranges } = this;
    const { valueStarts, valueEnds } = ranges;
    const gapLengths = this.#gapLengths;
    const words = this.#gapWords;
    const nullRuns = this.#nullRuns;
    const base = ranges.rowCount * ranges.fields.length;

    let p = at;
    let field = this.#nextField;
    for (; ; field++) {
      const run = nullRuns[field];
      if (run) {
        if (wordsMatch(view, p, run.length, run.words, 0)) {
          const { fieldCount } = run;
          for (let i = 0; i < fieldCount; i++) valueStarts[base + field + i] = nullInRun;
          p += run.length;
          field += fieldCount - 1;
          continue;
        }
        this.#brokenRunField = field;
      }

      const length = gapLengths[field] as number;
      if (length <= 0 || !wordsMatch(view, p, length, words, field * maxGapWords)) break;

      const valueStart = p + length;
      const first = bytes[valueStart] as number;
      let valueEnd: number;
      if (first === ascii.quote) {
        valueEnd = scanString(bytes, view, valueStart + 1, end);
      } else if (first === ascii.letterN && view.getInt32(valueStart, true) === nullWord) {
        valueEnd = valueStart + 4;
      } else if (first === ascii.minus || (first >= ascii.zero && first <= ascii.nine)) {
        valueEnd = scanNumber(bytes, valueStart, end);
      } else {
        break;
      }
      if (valueEnd === cut) return cut;

      valueStarts[base + field] = valueStart;
      valueEnds[base + field] = valueEnd;
      p = valueEnd;
    }
    this.#nextField = field;
    return p;
  }

  /** Marks the remaining fields as absent until they are found. */
  #markAbsent(): void {
    const { rowCount, fields, valueStarts } = this.ranges;
    const base = rowCount * fields.length;
    if (this.#nextField < fields.length) {
      valueStarts.fill(absent, base + this.#nextField, base + fields.length);
    }
  }

  /**
   * Records the row and learns from it.
   *
   * @param end index of its `}`
   */
  #endRow(view: DataView, start: number, end: number): void {
    const { ranges } = this;
    if (end - start > maxValueBytes) this.#checkLengths(start, end);

    const width = ranges.fields.length;
    if (this.#brokenRunField >= 0) this.#relearnNullRun(view, this.#brokenRunField);
    else if (!this.#areNullRunsLearned && this.#nextField === width) {
      this.#learnNullRuns(view, 0, width);
    }
    ranges.endRow(start, end + 1);
  }

  /**
   * Scans a member with the `{` or comma before it.
   * @param at the end of the previous value, or the start of the row
   * @returns the index after the member, `cut` or `batchFull`
   */
  #scanMember({ bytes, view, end }: ScannedBytes, at: number, rowStart: number): number {
    const { ranges } = this;
    const isFirst = at === rowStart;
    const before = skipBlanks(bytes, at);
    if (before >= end) return cut;
    if (!isFirst && bytes[before] !== ascii.comma)
      throw new MalformedJsonError(before, 'expected "," or "}"');

    const keyStart = skipBlanks(bytes, before + 1);
    const key = keyStart < end ? scanKey(bytes, view, keyStart, end) : undefined;
    if (!key) return cut;

    const { name, end: valueStart } = key;
    const valueEnd = scanValue(bytes, view, valueStart, end);
    if (valueEnd === cut) return cut;
    if (valueStart - keyStart > maxValueBytes) throw tooLongError(keyStart);

    const field = ranges.indexOf(name) ?? this.#addField(name, keyStart);
    if (field === undefined) return batchFull;

    this.#learnGap(field, isFirst, bytes.subarray(at, valueStart));
    const index = ranges.rowCount * ranges.fields.length + field;
    ranges.valueStarts[index] = valueStart;
    ranges.valueEnds[index] = valueEnd;
    this.#nextField = field + 1;
    return valueEnd;
  }

  /** @returns the index of the field, or `undefined` if the earlier rows must be taken first */
  #addField(name: string, keyStart: number): number | undefined {
    if (this.ranges.fields.length >= maxFields) {
      throw new MalformedJsonError(keyStart, `more than ${maxFields} different keys`);
    }
    return this.ranges.addField(name);
  }

  /** Throws if a long row, or a value in it, is too long. */
  #checkLengths(start: number, end: number): void {
    if (end - start >= ascii.maxRowBytes)
      throw new MalformedJsonError(start, 'a row longer than 8 MB');

    const { valueStarts, valueEnds, rowCount, fields } = this.ranges;
    const firstValue = rowCount * fields.length;
    for (let at = firstValue; at < firstValue + fields.length; at++) {
      const valueStart = valueStarts[at] as number;
      if (valueStart < 0) continue;
      if ((valueEnds[at] as number) - valueStart > maxValueBytes) throw tooLongError(valueStart);
    }
  }

  /** Splits a null run that is not complete in the current row. */
  #relearnNullRun(view: DataView, field: number): void {
    const fieldCount = this.#nullRuns[field]?.fieldCount ?? 0;
    this.#nullRuns[field] = undefined;
    this.#learnNullRuns(view, field, field + fieldCount);
  }

  /** Learns the null runs of the current row among the fields from `from` to `to`, without `to`. */
  #learnNullRuns(view: DataView, from: number, to: number): void {
    this.#areNullRunsLearned = true;
    let first = from;
    while (first < to) {
      let end = first;
      while (end < to && this.#isPlainNull(view, end, first)) end++;
      if (end - first >= minNullRun) this.#learnNullRun(view, first, end - first);
      first = Math.max(end, first + 1);
    }
  }

  /**
   * Whether a field of the current row is null after its usual gap. Unless the field is the first
   * of a run, the gap must also begin where the previous value ends.
   */
  #isPlainNull(view: DataView, field: number, firstOfRun: number): boolean {
    const { valueStarts, valueEnds, rowCount, fields } = this.ranges;
    const index = rowCount * fields.length + field;
    const valueStart = valueStarts[index] as number;
    const length = this.#gapLengths[field] as number;
    if (valueStart < 0 || length <= 0) return false;
    if (view.getInt32(valueStart, true) !== nullWord) return false;

    // Negative if this gap is shorter than the learned gap, in a row at the start of the window.
    const gapStart = valueStart - length;
    if (gapStart < 0) return false;

    if (field > firstOfRun && valueEnds[index - 1] !== gapStart) return false;
    return wordsMatch(view, gapStart, length, this.#gapWords, field * maxGapWords);
  }

  #learnNullRun(view: DataView, field: number, fieldCount: number): void {
    const { valueStarts, rowCount, fields } = this.ranges;
    const index = rowCount * fields.length + field;
    const start = (valueStarts[index] as number) - (this.#gapLengths[field] as number);
    const end = (valueStarts[index + fieldCount - 1] as number) + 4;
    const length = end - start;

    const words = new Float64Array(Math.ceil(length / 8));
    for (let i = 0; i < words.length; i++) {
      words[i] = view.getFloat64(start + Math.min(8 * i, length - 8), true);
    }
    // NaN differs from itself, so that such a run would be learned again for each row.
    if (words.some(Number.isNaN)) return;

    this.#nullRuns[field] = { fieldCount, length, words };
  }

  /**
   * Learns the gap before a field's value. The first field must begin a row, and the others must
   * follow a value. Otherwise, a gap with a `{` would match a gap with a comma.
   */
  #learnGap(field: number, isFirstOfRow: boolean, text: Buffer): void {
    if (this.#gapLengths[field] !== unlearned) return;
    if (isFirstOfRow !== (field === 0)) return;
    if (text.length > maxGapBytes) {
      this.#gapLengths[field] = tooLongToLearn;
      return;
    }

    this.#gapLengths[field] = text.length;
    this.#reserveGap(field);
    const wordBytes = text.length < 8 ? 4 : 8;
    for (let i = 0; i < maxGapWords; i++) {
      const p = Math.min(wordBytes * i, text.length - wordBytes);
      const word = wordBytes === 4 ? text.readInt32LE(p) : text.readDoubleLE(p);
      this.#gapWords[field * maxGapWords + i] = word;
    }
  }

  #reserveGap(field: number): void {
    const before = this.#gapWords;
    if ((field + 1) * maxGapWords <= before.length) return;
    this.#gapWords = new Float64Array(2 * before.length);
    this.#gapWords.set(before);
  }
}

function tooLongError(at: number): MalformedJsonError {
  return new MalformedJsonError(at, 'a value longer than 1 MB');
}

/**
 * Compares the bytes at `at` with `length` bytes whose words begin at `first`. Gaps and runs have
 * no zero bytes, so bytes that have not arrived differ. Eight bytes that are NaN count as
 * different, which is slower but correct.
 */
function wordsMatch(
  view: DataView,
  at: number,
  length: number,
  words: Float64Array,
  first: number,
): boolean {
  if (length < 8) {
    const isSameStart = view.getInt32(at, true) === words[first];
    return isSameStart && view.getInt32(at + length - 4, true) === words[first + 1];
  }

  const lastAt = at + length - 8;
  let word = first;
  for (let p = at; p < lastAt; p += 8) {
    if (view.getFloat64(p, true) !== words[word++]) return false;
  }
  return view.getFloat64(lastAt, true) === words[word];
}
