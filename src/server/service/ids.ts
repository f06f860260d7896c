import { createHash } from 'node:crypto';

/** Returns an id of 40 hexadecimal digits. The same parts give the same id. */
export type IdSource = (...parts: readonly unknown[]) => string;

/**
 * Returns ids that depend only on the seed, the start of the clock and the parts, so that snapshots
 * in tests are stable (`decisions.md` 7).
 */
export function idsFrom(seed: number, clockStartMs: number): IdSource {
  return (...parts) => {
    const text = JSON.stringify([seed, clockStartMs, ...parts]);
    return createHash('sha256').update(text).digest('hex').slice(0, 40);
  };
}
