/**
 * Number of slots in a new table. There are always a third more slots than keys, so that a free
 * slot is near.
 */
const firstSlots = 2 ** 13;

const growth = 4;

/** Integers per hash. */
export const hashWidth = 2;

interface NewHashes {
  readonly count: number;

  /** Owner of the first hash, at least 1. */
  readonly owner: number;

  /** Whether each hash has a different owner, numbered consecutively. */
  readonly hasConsecutiveOwners: boolean;
}

/**
 * Set of 64-bit hashes, each with the number of its owner. The set is a table of integers, because
 * a `Map` of numbers would need an object for each key. One half of a hash selects the slot where
 * the search begins.
 */
export class KeyTable {
  /** Two integers per slot. The first is 0 for a free slot, and never 0 for a key. */
  #slots = new Int32Array(2 * firstSlots);

  /** Owner by slot. `undefined` while all keys belong to owner 1. */
  #owners: Int32Array | undefined;
  #count = 0;

  /** Result of reads that only load memory. Without a use, V8 would remove them. */
  protected readAhead = 0;

  /**
   * Adds hashes that are not in the table yet.
   *
   * @param onRepeat called with the index and the owner of each hash that is in the table
   */
  addAll(
    hashes: Int32Array,
    { count, owner, hasConsecutiveOwners }: NewHashes,
    onRepeat: (at: number, owner: number) => void,
  ): void {
    while (4 * (this.#count + count) > 3 * (this.#slots.length / 2)) this.#grow();
    if (owner > 1 || hasConsecutiveOwners)
      this.#owners ??= new Int32Array(this.#slots.length / 2).fill(1);

    // The slots are scattered in memory. Reading them without branches in between loads them in
    // parallel, which takes half as long.
    let readAhead = 0;
    for (let at = 0; at < count; at++) {
      readAhead ^= this.#slots[this.#firstSlot(hashes[hashWidth * at + 1] as number)] as number;
    }
    this.readAhead = readAhead;

    for (let at = 0; at < count; at++) {
      const first = hashes[hashWidth * at] || 1;
      const newOwner = hasConsecutiveOwners ? owner + at : owner;
      const knownOwner = this.#insert(first, hashes[hashWidth * at + 1] as number, newOwner);
      if (knownOwner > 0) onRepeat(at, knownOwner);
    }
  }

  /** @param onFound called with the index and the owner of each hash that is in the table */
  findAll(hashes: Int32Array, count: number, onFound: (at: number, owner: number) => void): void {
    for (let at = 0; at < count; at++) {
      const first = hashes[hashWidth * at] || 1;
      const slot = this.#findSlot(first, hashes[hashWidth * at + 1] as number);
      if (this.#slots[slot] !== 0) onFound(at, this.#owners?.[slot >> 1] ?? 1);
    }
  }

  /** Returns the owner of a known hash. Adds a new hash and returns 0. */
  #insert(first: number, second: number, owner: number): number {
    const slots = this.#slots;
    const at = this.#findSlot(first, second);
    if (slots[at] !== 0) return this.#owners?.[at >> 1] ?? 1;

    slots[at] = first;
    slots[at + 1] = second;
    if (this.#owners) this.#owners[at >> 1] = owner;
    this.#count += 1;
    return 0;
  }

  /** Finds the slot of a hash, or the free slot for a new hash. */
  #findSlot(first: number, second: number): number {
    const slots = this.#slots;
    let at = this.#firstSlot(second);
    while (slots[at] !== 0 && !(slots[at] === first && slots[at + 1] === second)) {
      at = (at + 2) & (slots.length - 1);
    }
    return at;
  }

  #grow(): void {
    const slots = this.#slots;
    const owners = this.#owners;
    this.#slots = new Int32Array(growth * slots.length);
    this.#owners = owners && new Int32Array(growth * owners.length);
    this.#count = 0;
    for (let at = 0; at < slots.length; at += 2) {
      const first = slots[at] as number;
      if (first !== 0) this.#insert(first, slots[at + 1] as number, owners?.[at >> 1] ?? 1);
    }
  }

  /** Returns the slot at which the search for a key begins. */
  #firstSlot(hash: number): number {
    return (hash << 1) & (this.#slots.length - 1);
  }
}
