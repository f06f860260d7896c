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
  #count = 0;

  /** Adds the text of a key, its quotes included. */
  add(key: string): void {
    const bytes = Buffer.from(`${this.#count === 0 ? '{' : ','}${key}:`);
    if (this.#count + 2 >= this.lengths.length) {
      this.lengths = doubled(this.lengths);
      this.firstWords = doubled(this.firstWords);
    }
    let word = this.firstWords[this.#count] as number;
    for (let i = 0; i < bytes.length; i += 4) {
      if (word >= this.words.length) this.words = doubled(this.words);
      this.words[word++] = bytes.readInt32LE(Math.min(i, bytes.length - 4));
    }
    this.lengths[this.#count] = bytes.length;
    this.firstWords[++this.#count] = word;
  }
}

/** The length of a key's text if it stands at `at`, else 0. No text has a zero byte, so no match passes the end. */
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
