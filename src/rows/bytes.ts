/** The bytes that JSON and CSV are made of, by name. */

export const tab = 0x09;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const quote = 0x22;
export const plus = 0x2b;
export const comma = 0x2c;
export const minus = 0x2d;
export const dot = 0x2e;
export const zero = 0x30;
export const nine = 0x39;
export const colon = 0x3a;
export const semicolon = 0x3b;
export const less = 0x3c;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const letterE = 0x65;
export const letterN = 0x6e;
export const letterU = 0x75;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

/*
 * Four bytes at a time: a word is a 32-bit integer whose lowest byte comes first. Report values are short runs of bytes,
 * and looking at each byte by itself costs more than anything else that is done with them.
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

/** A longer copy: at least `length` long, and at least twice as long as before, so that growing stays cheap. */
export function growArray(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
