import { pipeline, type Readable, Transform } from 'node:stream';

type Zlib = typeof import('node:zlib');

/** The encodings that are asked for, in order of preference. */
export const acceptEncoding = 'gzip, br, deflate';

/**
 * The stream with its `Content-Encoding` undone; an encoding that is not known stays as it is.
 * A truncated stream is an error of the result: zlib insists on the trailer.
 */
export async function decompress(body: Readable, contentEncoding: string | undefined): Promise<Readable> {
  if (contentEncoding === undefined) return body;
  const zlib = await import('node:zlib');
  let stream = body;
  for (const coding of contentEncoding.toLowerCase().split(',').reverse()) {
    const decoder = decoderFor(coding.trim(), zlib);
    // The callback is there because an error without one would be thrown; the reader sees it on the stream itself.
    if (decoder) stream = pipeline(stream, decoder, () => {}) as unknown as Readable;
  }
  return stream;
}

function decoderFor(coding: string, zlib: Zlib): Transform | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'deflate':
      return inflateEither(zlib);
    default:
      return undefined;
  }
}

/** `deflate` means zlib by the standard and raw deflate by some servers: the first byte tells. */
function inflateEither({ createInflate, createInflateRaw }: Zlib): Transform {
  let inner: Transform | undefined;
  const begin = (firstByte = 0): Transform => {
    const decoder = (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw();
    decoder.on('data', (piece: Buffer) => outer.push(piece));
    decoder.on('error', (error) => outer.destroy(error));
    return decoder;
  };
  const outer = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      inner ??= begin(chunk[0]);
      inner.write(chunk, done);
    },
    flush(done) {
      inner ??= begin();
      // Bytes after the end of the compressed data have ended it already, and it does not end twice.
      if (inner.readableEnded) return done();
      inner.once('end', () => done());
      inner.end();
    },
  });
  return outer;
}
