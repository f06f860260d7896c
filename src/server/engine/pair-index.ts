const smallestTable = 1_024;

/**
 * Numbers pairs of 32-bit integers from 1, in the order in which they are first seen; 0 is no pair.
 * An open-addressing hash table in typed arrays: no object and no string for a pair.
 */
export class PairIndex {
  #size = 0;
  /** The number of the pair in each slot, 0 where it is free; at most half of the slots are taken. */
  #slots = new Int32Array(smallestTable);
  /** The two integers of each pair, side by side at twice its number. */
  #pairs = new Int32Array(smallestTable);

  /** The highest number given. */
  get size(): number {
    return this.#size;
  }

  /** The first (0) or second (1) integers of the pairs, by their numbers less one. */
  integers(which: 0 | 1): Int32Array {
    const integers = new Int32Array(this.#size);
    for (let position = 0; position < integers.length; position++) {
      integers[position] = this.#pairs[2 * position + 2 + which] ?? 0;
    }
    return integers;
  }

  /** Writes the number of each row's pair to `numbers`; a row that `excluded` marks has none. */
  number(
    firsts: Int32Array,
    seconds: Int32Array,
    excluded: Uint8Array | undefined,
    numbers: Int32Array,
    count: number,
  ): void {
    let slots = this.#slots;
    let pairs = this.#pairs;
    for (let row = 0; row < count; row++) {
      if (excluded?.[row] === 1) {
        numbers[row] = 0;
        continue;
      }
      const first = firsts[row] ?? 0;
      const second = seconds[row] ?? 0;
      let slot = hashPair(first, second) & (slots.length - 1);
      let found = slots[slot] ?? 0;
      while (found !== 0 && (pairs[2 * found] !== first || pairs[2 * found + 1] !== second)) {
        slot = (slot + 1) & (slots.length - 1);
        found = slots[slot] ?? 0;
      }
      if (found === 0) {
        found = this.#add(first, second, slot);
        slots = this.#slots;
        pairs = this.#pairs;
      }
      numbers[row] = found;
    }
  }

  /** Forgets every pair; numbers start at 1 again. */
  clear(): void {
    this.#slots.fill(0);
    this.#size = 0;
  }

  #add(first: number, second: number, slot: number): number {
    const added = ++this.#size;
    this.#pairs[2 * added] = first;
    this.#pairs[2 * added + 1] = second;
    this.#slots[slot] = added;
    // The next pair must still have its place, and half of the slots must stay free.
    if (2 * added + 2 >= this.#slots.length) this.#grow();
    return added;
  }

  #grow(): void {
    const length = this.#slots.length * 2;
    const pairs = new Int32Array(length);
    pairs.set(this.#pairs);
    const slots = new Int32Array(length);
    for (let number = 1; number <= this.#size; number++) {
      let slot = hashPair(pairs[2 * number] ?? 0, pairs[2 * number + 1] ?? 0) & (length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (length - 1);
      slots[slot] = number;
    }
    this.#slots = slots;
    this.#pairs = pairs;
  }
}

function hashPair(first: number, second: number): number {
  const hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
