import type { FactChunk, Wanted } from '../fixtures/facts.ts';

/** Marks with 1 the facts of a chunk whose members are not all wanted; `undefined` where every fact is. */
export type Exclusion = (chunk: FactChunk) => Uint8Array | undefined;

/** The marks are written to the same array each time. */
export function createExclusion(wanted: Wanted): Exclusion {
  let excluded = new Uint8Array(0);
  return (chunk) => {
    if (wanted.size === 0) return undefined;
    if (excluded.length < chunk.count) excluded = new Uint8Array(chunk.count);
    excluded.fill(0, 0, chunk.count);
    for (const [name, members] of wanted) {
      const codes = chunk.codes[name];
      if (!codes) {
        // Where a source knows nothing of a dimension, every fact is of its first member: unknown.
        if (members[0] !== 1) excluded.fill(1, 0, chunk.count);
        continue;
      }
      for (let row = 0; row < chunk.count; row++) if (members[codes[row] ?? 0] === 0) excluded[row] = 1;
    }
    return excluded;
  };
}
