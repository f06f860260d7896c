import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Creates the decoding streams for a `Content-Encoding`, in the order to apply them. The streams
 * fail with zlib errors. Unknown encodings are ignored.
 */
export function createDecoders(contentEncoding = ''): Transform[] {
  const codings = contentEncoding.toLowerCase().split(',');
  // The encoding that was applied last is undone first.
  return codings.reverse().flatMap((coding) => decoders.get(coding.trim())?.() ?? []);
}
