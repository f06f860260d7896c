import { letterN, quote, space, toDataView } from './bytes.ts';
import type { RangedBatch } from './row-ranges.ts';

export const maxKeys = 1_000_000;

/** Most reports have fewer keys than this. The large table is only created when needed. */
const fewKeys = 4096;

/** At least twice the number of keys, so that a free slot is near. */
const fewSlots = 2 * fewKeys;
const allSlots = 2 ** 21;

/** Parts of the keys of a batch. */
export interface KeyColumns {
  /** Indexes of fields whose values are compared byte by byte. */
  readonly indexes: Int32Array;

  /** Number for the hour of each row, if hours are part of the key. */
  readonly hours: Int32Array | undefined;
}

/** Greater than any value length, and small enough to be multiplied by a field index. */
const valueLengths = 2 ** 21;

/** Block size of the hash, in integers. */
const blockWords = 4;

/**
 * Keeps the keys of rows as hashes (MurmurHash3, 128 bits) in a table of integers. A `Set` of
 * numbers would need an object for each key.
 *
 * One part of the hash selects the slot where the search begins; 64 other bits are stored in the
 * slot, which takes 8 bytes. A new key is only compared with the few keys in its place, so that two
 * of a million different keys collide in one of 10¹² reports.
 *
 * The table takes 64 KB for few keys, otherwise 16 MB, of which the system only allocates the pages
 * that are written to.
 */
export class KeyTable {
  /** Two integers per slot. The first is 0 for a free slot, and never 0 for a key. */
  #slots = new Int32Array(2 * fewSlots);

  /** Key being added, as integers: field and length of each value, followed by its bytes. */
  #words = new Int32Array(256);

  /** Hashes being added, four integers each. With few keys, all earlier hashes come first. */
  #hashes = new Int32Array(4 * 1024);

  /** Earlier hashes in `#hashes`. */
  #hashesBefore = 0;

  /** Contents of the slots read ahead. Unused, but it keeps V8 from removing the reads. */
  protected readAhead = 0;

  /**
   * Adds the keys of the first rows of a batch; at most `maxKeys` in all.
   * @param onRepeat called with each row whose key exists already
   */
  addAll(
    batch: RangedBatch,
    columns: KeyColumns,
    rowCount: number,
    onRepeat: (row: number) => void,
  ): void {
    const isFew = this.#hashesBefore + rowCount <= fewKeys && this.#slots.length === 2 * fewSlots;
    if (!isFew) this.#makeRoomForAll();

    const first = 4 * this.#hashesBefore;
    this.#reserveHashes(this.#hashesBefore + rowCount);
    const hashes = this.#hashes;
    const view = toDataView(batch.bytes);
    for (let row = 0; row < rowCount; row++) {
      const wordCount = this.#readKey(batch, view, columns, row);
      hashInto(hashes, first + 4 * row, this.#words, wordCount);
    }

    // The slots are all over memory. Without branches between the reads they are fetched at the
    // same time, which makes this twice as fast.
    let readAhead = 0;
    for (let row = 0; row < rowCount; row++) {
      readAhead ^= this.#slots[this.#slotOf(hashes[first + 4 * row + 2] as number)] as number;
    }
    this.readAhead = readAhead;

    for (let row = 0; row < rowCount; row++) {
      if (!this.#insert(hashes, first + 4 * row)) onRepeat(row);
    }
    if (isFew) this.#hashesBefore += rowCount;
  }

  /** Replaces the small table with the large one, unless that has been done. */
  #makeRoomForAll(): void {
    if (this.#slots.length === 2 * allSlots) return;

    this.#slots = new Int32Array(2 * allSlots);
    for (let key = 0; key < this.#hashesBefore; key++) this.#insert(this.#hashes, 4 * key);
    this.#hashesBefore = 0;
  }

  /** Inserts the hash at an index. Returns false if it exists already. */
  #insert(hashes: Int32Array, from: number): boolean {
    const slots = this.#slots;
    const first = hashes[from] || 1;
    const second = hashes[from + 1] as number;
    let at = this.#slotOf(hashes[from + 2] as number);
    while (slots[at] !== 0) {
      if (slots[at] === first && slots[at + 1] === second) return false;
      at = (at + 2) & (slots.length - 1);
    }

    slots[at] = first;
    slots[at + 1] = second;
    return true;
  }

  /** Writes the integers of a key into `#words`, padded to a block. Returns their number. */
  #readKey(
    { bytes, fields, valueStarts, valueEnds }: RangedBatch,
    view: DataView,
    { indexes, hours }: KeyColumns,
    row: number,
  ): number {
    let count = 0;
    if (hours) this.#words[count++] = hours[row] as number;
    for (let i = 0; i < indexes.length; i++) {
      const at = row * fields.length + (indexes[i] as number);
      let start = valueStarts[at] as number;
      // Fields without a value, which are most, are not part of the key.
      if (start < 0 || bytes[start] === letterN) continue;

      let length = (valueEnds[at] as number) - start;
      if (bytes[start] === quote) {
        // A text of digits is the same id as the number. Trailing blanks do not count.
        start++;
        length -= 2;
        while (length > 0 && bytes[start + length - 1] === space) length--;
      }
      this.#reserve(count + 1 + (length >> 2) + blockWords);
      const words = this.#words;

      // The length distinguishes `"a" "bc"` from `"ab" "c"`; the field distinguishes the values of
      // two fields, and an absent value from an empty one.
      words[count++] = (i + 1) * valueLengths + length;
      const end = start + length;
      let p = start;
      for (; p + 4 <= end; p += 4) words[count++] = view.getInt32(p, true);
      if (p < end) words[count++] = view.getInt32(p, true) & ((1 << (8 * (end - p))) - 1);
    }

    while (count % blockWords !== 0) this.#words[count++] = 0;
    return count;
  }

  /** Returns the slot where the search for a key begins. */
  #slotOf(hash: number): number {
    return (hash << 1) & (this.#slots.length - 1);
  }

  #reserveHashes(count: number): void {
    if (4 * count <= this.#hashes.length) return;
    const hashes = new Int32Array(8 * count);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
  }

  #reserve(wordCount: number): void {
    if (wordCount <= this.#words.length) return;
    const words = new Int32Array(2 * wordCount);
    words.set(this.#words);
    this.#words = words;
  }
}

/** MurmurHash3 (x86, 128 bits, by Austin Appleby, public domain) of whole blocks. */
function hashInto(hashes: Int32Array, at: number, words: Int32Array, wordCount: number): void {
  let h1 = 0;
  let h2 = 0;
  let h3 = 0;
  let h4 = 0;

  for (let i = 0; i < wordCount; i += blockWords) {
    h1 ^= scrambled(words[i] as number, 0x239b961b, 15, 0xab0e9789);
    h1 = (Math.imul(rotated(h1, 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 ^= scrambled(words[i + 1] as number, 0xab0e9789, 16, 0x38b34ae5);
    h2 = (Math.imul(rotated(h2, 17) + h3, 5) + 0x0bcaa747) | 0;
    h3 ^= scrambled(words[i + 2] as number, 0x38b34ae5, 17, 0xa1e38b93);
    h3 = (Math.imul(rotated(h3, 15) + h4, 5) + 0x96cd1c35) | 0;
    h4 ^= scrambled(words[i + 3] as number, 0xa1e38b93, 18, 0x239b961b);
    h4 = (Math.imul(rotated(h4, 13) + h1, 5) + 0x32ac3b17) | 0;
  }

  h1 ^= wordCount;
  h2 ^= wordCount;
  h3 ^= wordCount;
  h4 ^= wordCount;
  h1 = mixed(h1 + h2 + h3 + h4);
  h2 = mixed(h2 + h1);
  h3 = mixed(h3 + h1);
  h4 = mixed(h4 + h1);
  h1 = (h1 + h2 + h3 + h4) | 0;

  hashes[at] = h1;
  hashes[at + 1] = h2 + h1;
  hashes[at + 2] = h3 + h1;
  hashes[at + 3] = h4 + h1;
}

function scrambled(word: number, factor: number, shift: number, nextFactor: number): number {
  return Math.imul(rotated(Math.imul(word, factor), shift), nextFactor);
}

function rotated(word: number, shift: number): number {
  return (word << shift) | (word >>> (32 - shift));
}

function mixed(word: number): number {
  let hash = word ^ (word >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
