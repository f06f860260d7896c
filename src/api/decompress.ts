import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Creates the streams that decode a body, in the order of use, from the `Content-Encoding`. The
 * streams fail with zlib errors. Unknown codings are ignored.
 */
export function createDecoders(contentEncoding = ''): Transform[] {
  const codings = contentEncoding.toLowerCase().split(',');
  // The last coding was applied last, and is undone first.
  return codings.reverse().flatMap((coding) => decoders.get(coding.trim())?.() ?? []);
}
