/**
 * The keys of the rows as they stand in the document, to be compared a word of four bytes at a time: each with its
 * quotes, its colon, and what comes before it, which is the `{` for the first key and a comma for the others.
 */
export class KeyTexts {
  /** The length of each key's text; 0 after the last key. */
  lengths = new Int32Array(64);
  /** Where the words of each key begin in `words`; its last word ends with its last byte. */
  firstWords = new Int32Array(64);
  words = new Int32Array(512);
  readonly #quoted: Buffer[] = [];

  /** Adds the text of a key, its quotes included. */
  add(key: string): void {
    const count = this.#quoted.push(Buffer.from(key)) - 1;
    const bytes = Buffer.from(`${count === 0 ? '{' : ','}${key}:`);
    if (count + 2 >= this.lengths.length) {
      this.lengths = doubled(this.lengths);
      this.firstWords = doubled(this.firstWords);
    }
    let word = this.firstWords[count] as number;
    for (let i = 0; i < bytes.length; i += 4) {
      if (word >= this.words.length) this.words = doubled(this.words);
      this.words[word++] = bytes.readInt32LE(Math.min(i, bytes.length - 4));
    }
    this.lengths[count] = bytes.length;
    this.firstWords[count + 1] = word;
  }

  /** Whether the text of that key, in quotes, is what stands between `start` and `end`. */
  isAt(key: number, bytes: Buffer, start: number, end: number): boolean {
    const quoted = this.#quoted[key];
    if (quoted === undefined || quoted.length !== end - start) return false;
    for (let i = 0; i < quoted.length; i++) if (quoted[i] !== bytes[start + i]) return false;
    return true;
  }
}

/**
 * The length of a key's text, with what comes before and after it, if it stands at `at`, else 0. No text has a zero
 * byte, so that a match never passes the end of the bytes.
 */
export function keyLengthAt(keys: KeyTexts, key: number, view: DataView, at: number): number {
  const { words, firstWords } = keys;
  const length = keys.lengths[key] as number;
  if (length === 0) return 0;
  const last = (firstWords[key + 1] as number) - 1;
  let p = at;
  for (let word = firstWords[key] as number; word < last; word++, p += 4) {
    if (view.getInt32(p, true) !== words[word]) return 0;
  }
  return view.getInt32(at + length - 4, true) === words[last] ? length : 0;
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}
