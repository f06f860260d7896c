/**
 * Four bytes at a time: a word is a 32-bit integer whose lowest byte comes first. Report values are short runs of
 * bytes, and looking at each byte by itself costs more than anything else that is done with them.
 */

/** The words of a buffer: `getInt32(at, true)` reads the one that begins at any byte. */
export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A word whose four bytes are this one. */
export function repeated(byte: number): number {
  return Math.imul(byte, 0x01010101);
}

/**
 * Nonzero where a byte of the word is zero; the lowest bit that is set is the top bit of the first such byte (Mycroft).
 * Only a zero byte borrows into its own empty top bit; what is set above the first may be wrong.
 */
export function zeroBytes(word: number): number {
  return (word - 0x01010101) & ~word & 0x80808080;
}

/** Nonzero where a byte of the word is below 0x20, with the same meaning as in `zeroBytes`. */
export function controlBytes(word: number): number {
  return (word - 0x20202020) & ~word & 0x80808080;
}

/** The index, 0 to 3, of the first byte that is marked in a result of the functions above, which must not be zero. */
export function firstMarked(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}
