import { createHash } from 'node:crypto';

/** Builds an ID of 40 hexadecimal digits. The same parts give the same ID. */
export type IdSource = (...parts: readonly unknown[]) => string;

/**
 * Creates a source of IDs that depend only on the seed, the start of the clock and the parts, so
 * that snapshots in tests are stable (`decisions.md` 7).
 */
export function createIdSource(seed: number, clockStartMs: number): IdSource {
  return (...parts) => {
    const text = JSON.stringify([seed, clockStartMs, ...parts]);
    return createHash('sha256').update(text).digest('hex').slice(0, 40);
  };
}
