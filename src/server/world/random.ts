/**
 * Mixes two integers into 32 well-spread bits, as a signed integer.
 * It uses integer arithmetic alone, because the built-in data must be the same on every machine.
 */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return hash ^ (hash >>> 16);
}

/** Numbers from 0 (inclusive) to 1, the same for the same seed on every machine. */
export function seededRandom(seed: number): () => number {
  let count = 0;
  return () => (mix(seed, ++count) >>> 0) / 2 ** 32;
}

/**
 * A table of 256 entries in which each choice takes a share that follows its weight, so that a byte of a hash is
 * a weighted draw. A choice of at least 1/256 of the weight is never left out.
 */
export function spread<Choice extends { readonly weight: number }>(choices: readonly Choice[]): Choice[] {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0);
  const table: Choice[] = [];
  let before = 0;
  for (const choice of choices) {
    before += choice.weight;
    while (table.length < Math.floor((before * 256) / total)) table.push(choice);
  }
  return table;
}
