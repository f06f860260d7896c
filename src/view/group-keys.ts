import { unescapeText } from '../output/bytes/json-bytes.ts';
import { copyUnless, copyWords } from '../output/bytes/word-copy.ts';
import { backslash, letterN, quote } from '../rows/ascii.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import { repeated, viewOf } from '../rows/words.ts';

const backslashes = repeated(backslash);

/**
 * Numbers the different combinations that the values of some fields have, from 0, in order of first appearance.
 *
 * A key is kept as words: the length of each value in bytes (-1 for null), then the values' text as UTF-8 one after the
 * other, filled up with zeros. So a row's key is found without making a string of it, and a million keys take few
 * megabytes.
 */
export class GroupKeys {
  /** How many keys there are. */
  count = 0;
  readonly #by: readonly string[];
  #fields: readonly string[] | undefined;
  #indexes: readonly number[] = [];
  #viewed: Buffer | undefined;
  #view = viewOf(Buffer.alloc(0));
  /** The key of the row that is looked at. */
  #key = new Int32Array(256);
  #keyBytes = Buffer.from(this.#key.buffer);
  #keyView = new DataView(this.#key.buffer);
  /** The words of all keys, and where each begins. */
  #words = new Int32Array(1024);
  #starts = new Int32Array(256);
  #hashes = new Int32Array(256);
  /** Numbers of keys plus one, by hash, open addressing; 0 is an empty slot. */
  #table = new Int32Array(1024);
  #last = 0;

  constructor(by: readonly string[]) {
    this.#by = by;
  }

  /** The number of a row's key. */
  numberOf(batch: RowBatch, row: number): number {
    if (batch.fields !== this.#fields) {
      this.#fields = batch.fields;
      this.#indexes = this.#by.map((field) => batch.fields.indexOf(field));
    }
    if (batch.bytes !== this.#viewed) {
      this.#viewed = batch.bytes;
      this.#view = viewOf(batch.bytes);
    }
    const length = this.#readKey(batch, row);
    // Reports are sorted: neighbours are often alike.
    if (this.count > 0 && this.#isKey(this.#last, length)) return this.#last;
    this.#last = this.#find(length);
    return this.#last;
  }

  /** The values of a key, in the order of the fields; `null` for null and for an absent one. */
  at(number: number): (string | null)[] {
    const start = this.#starts[number] as number;
    const bytes = Buffer.from(this.#words.buffer);
    let at = 4 * (start + this.#by.length);
    return this.#by.map((_, i) => {
      const length = this.#words[start + i] as number;
      if (length < 0) return null;
      at += length;
      return bytes.toString('utf8', at - length, at);
    });
  }

  /** Puts the row's key into `#key`; returns its length in words. */
  #readKey({ bytes, fields, valueStarts, valueEnds }: RowBatch, row: number): number {
    const indexes = this.#indexes;
    let at = 4 * indexes.length;
    for (let i = 0; i < indexes.length; i++) {
      const index = indexes[i] as number;
      const place = row * fields.length + index;
      const start = index < 0 ? -1 : (valueStarts[place] as number);
      if (start < 0 || bytes[start] === letterN) {
        this.#key[i] = -1;
        continue;
      }
      const end = valueEnds[place] as number;
      if (at + end - start + 8 > this.#keyBytes.length) this.#growKey(at + end - start + 8);
      const valueEnd = this.#copyValue(at, bytes, start, end);
      this.#key[i] = valueEnd - at;
      at = valueEnd;
    }
    this.#keyView.setInt32(at, 0);
    return (at + 3) >> 2;
  }

  #copyValue(at: number, bytes: Buffer, start: number, end: number): number {
    if (bytes[start] !== quote) {
      copyWords(this.#keyView, at, this.#view, start, end);
      return at + end - start;
    }
    if (copyUnless(this.#keyView, at, this.#view, start + 1, end - 1, backslashes)) return at + end - start - 2;
    return unescapeText(this.#keyBytes, at, bytes, start + 1, end - 1);
  }

  #isKey(number: number, length: number): boolean {
    const start = this.#starts[number] as number;
    if ((this.#starts[number + 1] as number) - start !== length) return false;
    for (let i = 0; i < length; i++) if (this.#words[start + i] !== this.#key[i]) return false;
    return true;
  }

  #find(length: number): number {
    const hash = hashOf(this.#key, length);
    const mask = this.#table.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#table[slot] as number) - 1;
      if (number < 0) return this.#add(hash, length);
      if (this.#hashes[number] === hash && this.#isKey(number, length)) return number;
    }
  }

  #add(hash: number, length: number): number {
    const number = this.count++;
    const start = this.#starts[number] as number;
    this.#words = reserve(this.#words, start + length);
    this.#words.set(this.#key.subarray(0, length), start);
    this.#starts = reserve(this.#starts, number + 2);
    this.#starts[number + 1] = start + length;
    this.#hashes = reserve(this.#hashes, number + 1);
    this.#hashes[number] = hash;
    if (2 * this.count > this.#table.length) this.#growTable();
    else this.#place(number);
    return number;
  }

  #place(number: number): void {
    const mask = this.#table.length - 1;
    let slot = (this.#hashes[number] as number) & mask;
    while (this.#table[slot] !== 0) slot = (slot + 1) & mask;
    this.#table[slot] = number + 1;
  }

  #growTable(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    for (let number = 0; number < this.count; number++) this.#place(number);
  }

  #growKey(sizeBytes: number): void {
    this.#key = reserve(this.#key, Math.ceil(sizeBytes / 4));
    this.#keyBytes = Buffer.from(this.#key.buffer);
    this.#keyView = new DataView(this.#key.buffer);
  }
}

function hashOf(words: Int32Array, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) {
    hash = Math.imul(hash ^ (words[i] as number), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** The array, made longer by half where it has no room for so many. */
function reserve(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Int32Array(Math.max(length, Math.ceil(1.5 * array.length)));
  larger.set(array);
  return larger;
}
