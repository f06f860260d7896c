import { growArray } from './grow-array.ts';

/**
 * The keys of the rows as they stand in the document, to be compared eight bytes at a time: each with its quotes, its
 * colon, and what comes before it, which is the `{` for the first key and a comma for the others.
 *
 * Eight bytes are read as one floating-point number, the only type of that size that is fast. Two such numbers are
 * equal where their bits are, but for zeros and NaNs; and text has no zero bytes, nor UTF-8 the bits of a NaN.
 */
export class KeyTexts {
  /** The length of each key's text in bytes; 0 after the last key. */
  lengths = new Int32Array(64);
  /** Where the words of each key begin in `words`, and, one on, where they end. */
  firstWords = new Int32Array(64);
  words = new Float64Array(256);
  readonly #quoted: Buffer[] = [];

  /** Adds the text of a key, its quotes included. */
  add(key: string): void {
    const count = this.#quoted.push(Buffer.from(key)) - 1;
    const bytes = Buffer.from(`${count === 0 ? '{' : ','}${key}:`);
    if (count + 2 > this.lengths.length) {
      this.lengths = growArray(this.lengths, count + 2);
      this.firstWords = growArray(this.firstWords, count + 2);
    }
    const first = this.firstWords[count] as number;
    const words = wordsOf(bytes);
    if (first + words.length > this.words.length) this.#growWords(first + words.length);
    this.words.set(words, first);
    this.lengths[count] = bytes.length;
    this.firstWords[count + 1] = first + words.length;
  }

  /** Whether the text of that key, in quotes, is what stands between `start` and `end`. */
  isAt(key: number, bytes: Buffer, start: number, end: number): boolean {
    const quoted = this.#quoted[key];
    if (quoted === undefined || quoted.length !== end - start) return false;
    for (let i = 0; i < quoted.length; i++) if (quoted[i] !== bytes[start + i]) return false;
    return true;
  }

  #growWords(length: number): void {
    const larger = new Float64Array(Math.max(length, 2 * this.words.length));
    larger.set(this.words);
    this.words = larger;
  }
}

/** The words of a text, of which the last ends with it and may overlap the one before. Short texts have two of four. */
function wordsOf(bytes: Buffer): number[] {
  if (bytes.length < 8) return [bytes.readInt32LE(0), bytes.readInt32LE(bytes.length - 4)];
  return Array.from({ length: Math.ceil(bytes.length / 8) }, (_, word) =>
    bytes.readDoubleLE(Math.min(8 * word, bytes.length - 8)),
  );
}

/**
 * Whether the text of `length` bytes whose words stand from `first` to before `end` in `words` is what stands at `at`.
 * Since no text has a zero byte, one that is here is here as a whole. The arrays are arguments, and not a `KeyTexts`,
 * because this runs once a value.
 */
export function standsAt(
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
