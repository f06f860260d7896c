/** Copies bytes four at a time: several times faster than one by one, for runs as short as report values are. */

/** A word whose four bytes are this one. */
export function repeated(byte: number): number {
  return Math.imul(byte, 0x01010101);
}

const backslashes = repeated(0x5c);

/** By how many bytes of a word count: 1, 2 or 3, the first being the lowest. */
const masks = Int32Array.of(0, 0xff, 0xffff, 0xffffff);

/**
 * Copies the bytes from `start` to `end` unless one of them is a backslash, or the one that `stops` repeats. May write
 * and read up to three bytes beyond.
 * @returns whether they were copied
 */
export function copyUnless(
  out: DataView,
  at: number,
  from: DataView,
  start: number,
  end: number,
  stops: number,
): boolean {
  const shift = at - start;
  for (let p = start; p < end; p += 4) {
    const word = from.getInt32(p, true);
    out.setInt32(p + shift, word, true);
    const counted = end - p < 4 ? word & (masks[end - p] as number) : word;
    const a = counted ^ backslashes;
    const b = counted ^ stops;
    // Nonzero where a byte of `a` or `b` is zero (Mycroft): only a zero byte borrows into its empty top bit.
    if (((((a - 0x01010101) & ~a) | ((b - 0x01010101) & ~b)) & 0x80808080) !== 0) return false;
  }
  return true;
}

/** Copies the bytes from `start` to `end`. May write and read up to three bytes beyond. */
export function copyWords(out: DataView, at: number, from: DataView, start: number, end: number): void {
  const shift = at - start;
  for (let p = start; p < end; p += 4) out.setInt32(p + shift, from.getInt32(p, true), true);
}
