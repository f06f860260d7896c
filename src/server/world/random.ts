/**
 * Mixes two integers into 32 well-distributed bits, as a signed integer. Integer arithmetic gives
 * the same data on every machine.
 */
export function mixBits(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return hash ^ (hash >>> 16);
}
