import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Decodes a body by its `Content-Encoding`. A body that is not compressed as declared, or was cut,
 * fails with an error of zlib; other codings are left as they are.
 */
export function decompress(body: Readable, contentEncoding = ''): Readable {
  let content = body;
  // The last coding was applied last, and is undone first.
  for (const coding of contentEncoding.toLowerCase().split(',').toReversed()) {
    const createDecoder = decoders.get(coding.trim());
    // Without a callback an error would be thrown; the reader gets it from the stream.
    if (createDecoder) content = pipeline(content, createDecoder(), () => {});
  }
  return content;
}
