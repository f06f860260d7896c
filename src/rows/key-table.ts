import { letterN, quote, space, viewOf } from './bytes.ts';
import type { RangedBatch } from './row-ranges.ts';

/** How many keys are kept at most. */
export const keysAtMost = 1_000_000;

/** Most reports have fewer keys than this. A table for more of them is made once they come. */
const fewKeys = 4096;

/** At least twice as many as there are keys, so that a free slot is near. */
const fewSlots = 2 * fewKeys;
const allSlots = 2 ** 21;

/** What makes the keys of a batch. */
export interface KeyColumns {
  /** The indexes of the fields whose values are compared as they stand there. */
  readonly indexes: Int32Array;

  /** A number for the hour of each row, where hours are a part of the key. */
  readonly hours: Int32Array | undefined;
}

/** More than a value is long, and so few that the number of any field can be multiplied by them. */
const valueLengths = 2 ** 21;

/** How many integers of a key are mixed at a time. */
const blockWords = 4;

/**
 * The keys of rows as hashes (MurmurHash3, 128 bits) in a table of integers. A `Set` of numbers
 * would keep an object for each key.
 *
 * A part of the hash decides the slot at which the search for a key begins, and 64 other bits stand
 * in the slot: it takes 8 bytes. A new key is compared with the few keys that lie where it belongs,
 * so that of a million keys two different ones are taken for the same in one of 10¹² reports.
 *
 * The table takes 64 KB while there are few keys, and then 16 MB, of which the system gives only
 * the pages that are written to.
 */
export class KeyTable {
  /** Two integers a slot; the first one of a free slot is 0, and that of a key never is. */
  #slots = new Int32Array(2 * fewSlots);

  /**
   * The key that is being added, as integers: the field and the length of each value, then its
   * bytes.
   */
  #words = new Int32Array(256);

  /**
   * The hashes of the keys that are being added, four integers each; while there are few, behind
   * those of all before.
   */
  #hashes = new Int32Array(4 * 1024);

  /** How many hashes stand before those of the keys that are being added. */
  #hashesBefore = 0;

  /**
   * What the slots held that were read ahead; nobody asks for it, but it keeps the reads from being
   * left out.
   */
  protected readAhead = 0;

  /**
   * Adds the keys of the first rows of a batch. No more than `keysAtMost` may be added in all.
   * @param onRepeat is called with each row whose key is there already
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
    const view = viewOf(batch.bytes);
    for (let row = 0; row < rowCount; row++) {
      const wordCount = this.#readKey(batch, view, columns, row);
      hashInto(hashes, first + 4 * row, this.#words, wordCount);
    }

    // The slots lie all over the memory. Read one after the other without a decision between them,
    // they are fetched at the same time, which makes this twice as fast.
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

  /** Makes the large table, if it is not there yet, and puts the keys of the small one into it. */
  #makeRoomForAll(): void {
    if (this.#slots.length === 2 * allSlots) return;

    this.#slots = new Int32Array(2 * allSlots);
    for (let key = 0; key < this.#hashesBefore; key++) this.#insert(this.#hashes, 4 * key);
    this.#hashesBefore = 0;
  }

  /** Puts the hash that begins at an index into the table. @returns whether it was not there */
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

  /**
   * Puts the integers of a key into `#words`, with zeros up to the end of a block.
   * @returns how many there are
   */
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
      // Most fields have nothing, and are no part of the key.
      if (start < 0 || bytes[start] === letterN) continue;

      let length = (valueEnds[at] as number) - start;
      if (bytes[start] === quote) {
        // A text of digits is the same id as the number, and blanks at its end are no part of it.
        start++;
        length -= 2;
        while (length > 0 && bytes[start + length - 1] === space) length--;
      }
      this.#reserve(count + 1 + (length >> 2) + blockWords);
      const words = this.#words;

      // With its length, `"a" "bc"` and `"ab" "c"` differ; with its field, so do a value that is
      // absent and an empty one, and the values of two fields.
      words[count++] = (i + 1) * valueLengths + length;
      const end = start + length;
      let p = start;
      for (; p + 4 <= end; p += 4) words[count++] = view.getInt32(p, true);
      if (p < end) words[count++] = view.getInt32(p, true) & ((1 << (8 * (end - p))) - 1);
    }

    while (count % blockWords !== 0) this.#words[count++] = 0;
    return count;
  }

  /** Where the search for a key begins, by an integer of its hash. */
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

/** MurmurHash3 (x86, 128 bits, by Austin Appleby, in the public domain) of whole blocks. */
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
