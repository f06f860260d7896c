import { createHash } from 'node:crypto';

/** An id of 40 hexadecimal digits, made of what it is for; the same parts make the same id. */
export type IdSource = (...parts: readonly unknown[]) => string;

/**
 * Ids that follow from the seed and the start of the clock, so that a test's snapshots stay
 * (`decisions.md` 7).
 */
export function idsFrom(seed: number, clockStartMs: number): IdSource {
  return (...parts) => {
    const text = JSON.stringify([seed, clockStartMs, ...parts]);
    return createHash('sha256').update(text).digest('hex').slice(0, 40);
  };
}
