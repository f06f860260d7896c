import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { IncompleteDataError } from '../errors.ts';

// Bodies are packed as `Content-Encoding` says, packed without saying so, or not packed although
// they say so: their first bytes decide.

/** As many bytes tell a packed body from a text. */
const beginningBytes = 64;

/** The names of what is not unpacked, by its first bytes. */
const packedFormats: readonly { readonly magic: Buffer; readonly name: string }[] = [
  { magic: Buffer.from('504b0304', 'hex'), name: 'a zip archive' },
  { magic: Buffer.from('28b52ffd', 'hex'), name: 'packed with zstd' },
];

const gzipMagic = Buffer.from('1f8b', 'hex');

/**
 * The bytes of a body, unpacked. A truncated one is an error of the result: zlib insists on the
 * trailer. A format that is not unpacked is an `IncompleteDataError` that names it.
 */
export function unpacked(body: Readable, contentEncoding = ''): Readable {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => decoderOf(coding) !== undefined);
  const result = Readable.from(piecesOf(body, codings));
  // A reader who leaves before the first piece leaves the body to nobody.
  result.once('close', () => void body.destroy());
  return result;
}

async function* piecesOf(body: Readable, codings: readonly string[]): AsyncGenerator<Buffer> {
  const { beginning, all } = await withBeginning(body);
  const isText = isPlainText(beginning);
  let stream = Readable.from(all);
  // The coding that was applied last is last, and is undone first.
  for (const coding of isText ? [] : codings.toReversed()) {
    const decoder = decoderOf(coding);
    // Without the callback an error would be thrown; the reader sees it on the stream itself.
    if (decoder) stream = pipeline(stream, decoder, () => {});
  }
  yield* withoutWrapping(stream);
}

/** Unpacks gzip that no header told of, and refuses what is packed otherwise. */
async function* withoutWrapping(stream: Readable): AsyncGenerator<Buffer> {
  const { beginning, all } = await withBeginning(stream);
  const other = packedFormats.find(({ magic }) =>
    beginning.subarray(0, magic.length).equals(magic),
  );
  if (other) {
    throw new IncompleteDataError(`The answer is ${other.name}, which adreport does not unpack.`, {
      retryable: false,
      hint: 'Ask the service for a plain report, or for one with Content-Encoding: gzip.',
    });
  }
  const isGzip = beginning.subarray(0, gzipMagic.length).equals(gzipMagic);
  if (isGzip) yield* pipeline(Readable.from(all), createUnzip(), () => {});
  else yield* all;
}

/** The first bytes of a stream, and all of it. */
async function withBeginning(stream: Readable) {
  const rest: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  let size = 0;
  while (size < beginningBytes) {
    const next = await rest.next();
    if (next.done) break;
    pieces.push(next.value);
    size += next.value.length;
  }

  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield* pieces;
      for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
    } finally {
      await rest.return?.();
    }
  }
  return { beginning: Buffer.concat(pieces).subarray(0, beginningBytes), all: all() };
}

/** True for a beginning that no packed body has: printable, and like JSON, CSV or a page. */
function isPlainText(beginning: Buffer): boolean {
  const text = beginning.toString('latin1');
  return /^\s*[[{"<\w][\t\r\n\x20-\x7e]*$/.test(text);
}

function decoderOf(coding: string): (NodeJS.ReadWriteStream & Readable) | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
