import { backslash } from '../../rows/ascii.ts';
import { repeated, zeroBytes } from '../../rows/words.ts';
import { ByteStore } from './byte-store.ts';
import { lastWordMasks } from './word-copy.ts';

/** What `codeOf` returns instead of a code for a key with a backslash in it. */
export const escaped = -1;

const backslashes = repeated(backslash);

const lengthBytes = 4;

/**
 * Numbers distinct byte strings in order of appearance: 0, 1, 2 …. They are looked up as bytes, because the values of
 * a report repeat, and making a string of each costs more than all the rest.
 */
export class ByteDictionary {
  /** How many keys there are; the next new one gets this code. */
  count = 0;
  /** The keys one after the other, each after its length in four bytes: how Parquet writes texts. */
  readonly keys = new ByteStore(4096);
  #starts = new Int32Array(256);
  #hashes = new Int32Array(256);
  /** Open addressing: code + 1, or 0 for an empty slot. */
  #slots = new Int32Array(512);
  #last = 0;

  /**
   * The code of the bytes from `start` to `end`, which are added where they are new. May read three bytes beyond.
   * @returns `escaped`, and nothing is added, where they contain a backslash and `unescaped` is false
   */
  codeOf(from: DataView, start: number, end: number, unescaped: boolean): number {
    if (this.count > 0 && this.#isKey(this.#last, from, start, end)) return this.#last;
    let hash = end - start;
    let backslashMarks = 0;
    for (let p = start; p < end; p += 4) {
      const word = end - p < 4 ? from.getInt32(p, true) & (lastWordMasks[end - p] as number) : from.getInt32(p, true);
      backslashMarks |= zeroBytes(word ^ backslashes);
      hash = Math.imul(hash ^ word, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    if (backslashMarks !== 0 && !unescaped) return escaped;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const code = (this.#slots[slot] as number) - 1;
      if (code < 0) break;
      if (this.#hashes[code] === hash && this.#isKey(code, from, start, end)) {
        this.#last = code;
        return code;
      }
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.count + 1;
    return this.#add(from, start, end, hash);
  }

  /** The bytes of the key that got a code; good until one is added. */
  keyOf(code: number): Buffer {
    const start = this.#starts[code] as number;
    return this.keys.bytes.subarray(start, start + this.keys.view.getInt32(start - lengthBytes, true));
  }

  /** Forgets every key; the next one gets code 0. */
  clear(): void {
    this.count = 0;
    this.keys.clear();
    this.#slots.fill(0);
  }

  #isKey(code: number, from: DataView, start: number, end: number): boolean {
    const { view } = this.keys;
    const at = this.#starts[code] as number;
    if (view.getInt32(at - lengthBytes, true) !== end - start) return false;
    const shift = at - start;
    let p = start;
    for (; p + 4 <= end; p += 4) if (from.getInt32(p, true) !== view.getInt32(p + shift, true)) return false;
    return (
      p === end ||
      ((from.getInt32(p, true) ^ view.getInt32(p + shift, true)) & (lastWordMasks[end - p] as number)) === 0
    );
  }

  #add(from: DataView, start: number, end: number, hash: number): number {
    const code = this.count++;
    if (code >= this.#starts.length) this.#grow();
    const { keys } = this;
    keys.reserve(lengthBytes + end - start);
    keys.view.setInt32(keys.length, end - start, true);
    keys.length += lengthBytes;
    this.#starts[code] = keys.length;
    this.#hashes[code] = hash;
    for (let p = start; p < end; p++) keys.bytes[keys.length++] = from.getUint8(p);
    this.#last = code;
    if (2 * this.count > this.#slots.length) this.#rehash();
    return code;
  }

  #grow(): void {
    const [starts, hashes] = [this.#starts, this.#hashes];
    this.#starts = new Int32Array(2 * starts.length);
    this.#starts.set(starts);
    this.#hashes = new Int32Array(2 * hashes.length);
    this.#hashes.set(hashes);
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let code = 0; code < this.count; code++) {
      let slot = (this.#hashes[code] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = code + 1;
    }
    this.#slots = slots;
  }
}
