import type { FactChunk, Wanted } from '../fixtures/facts.ts';

/** Of a dimension that the source knows nothing of: every fact is of its first member, if it has any. */
const noCodes = new Int32Array(0);

/**
 * A function that marks with 1 the facts of a chunk whose members are not all wanted; `undefined` where every fact is.
 * The marks are written to the same array each time.
 */
export function createExclusion(wanted: Wanted): (chunk: FactChunk) => Uint8Array | undefined {
  let excluded = new Uint8Array(0);
  return (chunk) => {
    if (wanted.size === 0) return undefined;
    if (excluded.length < chunk.count) excluded = new Uint8Array(chunk.count);
    excluded.fill(0, 0, chunk.count);
    for (const [name, members] of wanted) {
      const codes = chunk.codes[name] ?? noCodes;
      for (let row = 0; row < chunk.count; row++) if (members[codes[row] ?? 0] !== 1) excluded[row] = 1;
    }
    return excluded;
  };
}
