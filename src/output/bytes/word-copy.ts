import { backslash } from '../../rows/ascii.ts';
import { repeated, zeroBytes } from '../../rows/words.ts';

const backslashes = repeated(backslash);

/** Which bits of a run's last word count, where 1, 2 or 3 of its bytes belong to the run. */
export const lastWordMasks = Int32Array.of(0, 0xff, 0xffff, 0xffffff);

/**
 * Copies the bytes from `start` to `end`, unless one of them is a backslash or the one that `stops` repeats. May read
 * and write up to three bytes beyond.
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
    // Bytes beyond the end become zero, which is no stop.
    const counted = end - p < 4 ? word & (lastWordMasks[end - p] as number) : word;
    if ((zeroBytes(counted ^ backslashes) | zeroBytes(counted ^ stops)) !== 0) return false;
  }
  return true;
}

/** Copies the bytes from `start` to `end`. May read and write up to three bytes beyond. */
export function copyWords(out: DataView, at: number, from: DataView, start: number, end: number): void {
  const shift = at - start;
  for (let p = start; p < end; p += 4) out.setInt32(p + shift, from.getInt32(p, true), true);
}
