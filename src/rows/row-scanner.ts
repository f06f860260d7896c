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
import { absent, maxFields, nullInRun, RowRanges } from './row-ranges.ts';

/** The batch is full: hand its rows out, then scan the row again. */
export const batchFull = -2;

/** How long a value may be, in bytes. */
export const maxValueBytes = 1024 * 1024;

/** What stands between two values is learned up to this length, in bytes. */
const longestGap = 256;
const longestWords = longestGap / 8;

/** In the place of a gap's length: nothing is learned yet, or the gap is too long. */
const unlearned = 0;
const tooLongToLearn = -1;

const nullWord = Buffer.from('null').readInt32LE(0);

/** So many fields that are null one after the other are compared as one text. */
const nullsAtLeast = 4;

/** Fields one after the other that were null in every row since this was learned. */
interface NullRun {
  readonly fieldCount: number;

  /**
   * How long the text of all of them is, from the end of the value before to the end of the last
   * null.
   */
  readonly length: number;

  /** That text, eight bytes a word; the last word ends with the text, and may overlap. */
  readonly words: Float64Array;
}

/** The bytes that have arrived, as the functions of `json-scan.ts` take them. */
interface ScannedBytes {
  readonly bytes: Buffer;
  readonly view: DataView;

  /** The index of the first byte that has not arrived. */
  readonly end: number;
}

/**
 * Scans row objects and notes where their values stand, by what stood before them in the first rows
 * (`README.md`, 3).
 */
export class RowScanner {
  readonly ranges = new RowRanges();

  /** How long is what stands before the value of each field, in bytes, once it is learned. */
  readonly #gapLengths = new Int32Array(maxFields + 1);

  /**
   * The same texts, eight bytes a word, or four in a short one; the last word ends with the text,
   * and may overlap.
   */
  readonly #gapWords = new Float64Array(maxFields * longestWords);

  /** By their first field: most fields of a row are null, because nobody asked for them. */
  readonly #nullRuns = new Array<NullRun | undefined>(maxFields + 1).fill(undefined);

  #areNullRunsLearned = false;

  /** The field that is expected next. */
  #nextField = 0;

  /**
   * The first field of a run of nulls that the row being read has not as a whole; -1 while it has
   * each.
   */
  #brokenRunAt = -1;

  /**
   * Scans the row whose `{` is at `start`: the members that come as expected, then one that does
   * not, and so on.
   * @returns the index after its `}`, `cut` or `batchFull`; nothing is noted in the last two cases
   * @throws MalformedJson
   */
  scanRow(bytes: Buffer, view: DataView, start: number, end: number): number {
    if (this.ranges.isFull) return batchFull;

    this.#nextField = 0;
    this.#brokenRunAt = -1;
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
   * Scans members as long as each begins as expected and has no nested value. This is the loop in
   * which a download spends its time: it stands in one function, because V8 then puts the scans of
   * values into it.
   * @param at where the value before them ends, or the row begins
   * @returns the index after the last of them, or `cut`
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
        if (standsAt(view, p, run.length, run.words, 0)) {
          const { fieldCount } = run;
          for (let i = 0; i < fieldCount; i++) valueStarts[base + field + i] = nullInRun;
          p += run.length;
          field += fieldCount - 1;
          continue;
        }
        this.#brokenRunAt = field;
      }

      const length = gapLengths[field] as number;
      if (length <= 0 || !standsAt(view, p, length, words, field * longestWords)) break;

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

  /** From the first field on that does not come as expected, each may be absent. */
  #markAbsent(): void {
    const { rowCount, fields, valueStarts } = this.ranges;
    const base = rowCount * fields.length;
    if (this.#nextField < fields.length) {
      valueStarts.fill(absent, base + this.#nextField, base + fields.length);
    }
  }

  /** Notes the row, and learns from it. @param end where its `}` stands */
  #endRow(view: DataView, start: number, end: number): void {
    const { ranges } = this;
    if (end - start > maxValueBytes) this.#checkLengths(start, end);

    const width = ranges.fields.length;
    if (this.#brokenRunAt >= 0) this.#relearnNullRun(view, this.#brokenRunAt);
    else if (!this.#areNullRunsLearned && this.#nextField === width) {
      this.#learnNullRuns(view, 0, width);
    }
    ranges.endRow(start, end + 1);
  }

  /**
   * Scans one member and the `{` or comma before it.
   * @param at where the value before it ends, or the row begins
   * @param rowStart where the row begins
   * @returns the index after the member, `cut` or `batchFull`
   */
  #scanMember({ bytes, view, end }: ScannedBytes, at: number, rowStart: number): number {
    const { ranges } = this;
    const isFirst = at === rowStart;
    const before = skipBlanks(bytes, at);
    if (before >= end) return cut;
    if (!isFirst && bytes[before] !== ascii.comma) throw new MalformedJson(before, '"," or "}"');

    const keyStart = skipBlanks(bytes, before + 1);
    const key = keyStart < end ? scanKey(bytes, view, keyStart, end) : undefined;
    if (!key) return cut;

    const { name, end: valueStart } = key;
    const valueEnd = scanValue(bytes, view, valueStart, end);
    if (valueEnd === cut) return cut;
    if (valueStart - keyStart > maxValueBytes) throw tooLong(keyStart);

    const field = ranges.indexOf(name) ?? this.#addField(name, keyStart);
    if (field === undefined) return batchFull;

    this.#learnGap(field, isFirst, bytes.subarray(at, valueStart));
    const place = ranges.rowCount * ranges.fields.length + field;
    ranges.valueStarts[place] = valueStart;
    ranges.valueEnds[place] = valueEnd;
    this.#nextField = field + 1;
    return valueEnd;
  }

  /** @returns its index, or `undefined` when the rows before have to be handed out first */
  #addField(name: string, keyStart: number): number | undefined {
    if (this.ranges.fields.length >= maxFields) {
      throw new MalformedJson(keyStart, `at most ${maxFields} different keys`);
    }
    return this.ranges.addField(name);
  }

  /** Throws where a row of over 1 MB is too long, or has a value that is. */
  #checkLengths(start: number, end: number): void {
    if (end - start >= ascii.maxRowBytes) throw new MalformedJson(start, 'no row longer than 8 MB');

    const { valueStarts, valueEnds, rowCount, fields } = this.ranges;
    const firstValue = rowCount * fields.length;
    for (let at = firstValue; at < firstValue + fields.length; at++) {
      const valueStart = valueStarts[at] as number;
      if (valueStart < 0) continue;
      if ((valueEnds[at] as number) - valueStart > maxValueBytes) throw tooLong(valueStart);
    }
  }

  /** Learns the runs of nulls that are left of one which the row being read has not as a whole. */
  #relearnNullRun(view: DataView, field: number): void {
    const fieldCount = this.#nullRuns[field]?.fieldCount ?? 0;
    this.#nullRuns[field] = undefined;
    this.#learnNullRuns(view, field, field + fieldCount);
  }

  /**
   * Learns the runs of nulls in the row being read, among the fields from `from` up to `to`,
   * without that one.
   */
  #learnNullRuns(view: DataView, from: number, to: number): void {
    this.#areNullRunsLearned = true;
    let first = from;
    while (first < to) {
      let end = first;
      while (end < to && this.#isUsualNull(view, end, first)) end++;
      if (end - first >= nullsAtLeast) this.#learnNullRun(view, first, end - first);
      first = Math.max(end, first + 1);
    }
  }

  /**
   * Whether a field of the row being read is null and stands behind its usual text; and unless it
   * is the first one of its run, this text behind the value of the field before, so that no other
   * member is between them.
   */
  #isUsualNull(view: DataView, field: number, firstOfRun: number): boolean {
    const { valueStarts, valueEnds, rowCount, fields } = this.ranges;
    const place = rowCount * fields.length + field;
    const valueStart = valueStarts[place] as number;
    const length = this.#gapLengths[field] as number;
    if (valueStart < 0 || length <= 0) return false;
    if (view.getInt32(valueStart, true) !== nullWord) return false;

    const gapStart = valueStart - length;
    if (field > firstOfRun && valueEnds[place - 1] !== gapStart) return false;
    return standsAt(view, gapStart, length, this.#gapWords, field * longestWords);
  }

  #learnNullRun(view: DataView, field: number, fieldCount: number): void {
    const { valueStarts, rowCount, fields } = this.ranges;
    const place = rowCount * fields.length + field;
    const start = (valueStarts[place] as number) - (this.#gapLengths[field] as number);
    const end = (valueStarts[place + fieldCount - 1] as number) + 4;
    const length = end - start;

    const words = new Float64Array(Math.ceil(length / 8));
    for (let i = 0; i < words.length; i++) {
      words[i] = view.getFloat64(start + Math.min(8 * i, length - 8), true);
    }
    // A word that is no number differs from itself, and the run would be learned anew in each row.
    if (words.some(Number.isNaN)) return;

    this.#nullRuns[field] = { fieldCount, length, words };
  }

  /**
   * Learns what stands before the value of a field. The first field is expected at the beginning of
   * a row alone, and every other one behind a value alone: a gap with a `{` would otherwise be
   * taken for one with a comma.
   */
  #learnGap(field: number, isFirstOfRow: boolean, text: Buffer): void {
    if (this.#gapLengths[field] !== unlearned) return;
    if (isFirstOfRow !== (field === 0)) return;
    if (text.length > longestGap) {
      this.#gapLengths[field] = tooLongToLearn;
      return;
    }

    this.#gapLengths[field] = text.length;
    const wordBytes = text.length < 8 ? 4 : 8;
    for (let i = 0; i < longestWords; i++) {
      const p = Math.min(wordBytes * i, text.length - wordBytes);
      const word = wordBytes === 4 ? text.readInt32LE(p) : text.readDoubleLE(p);
      this.#gapWords[field * longestWords + i] = word;
    }
  }
}

function tooLong(at: number): MalformedJson {
  return new MalformedJson(at, 'no value longer than 1 MB');
}

/**
 * Whether the text of `length` bytes whose words begin at `first` stands at `at`. It is there as a
 * whole, because no text has a zero byte. Eight bytes that are no number (NaN) would count as
 * different, which is slower and as right.
 */
function standsAt(
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
