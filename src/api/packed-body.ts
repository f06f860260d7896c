import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { IncompleteDataError } from '../errors.ts';

// Bodies are packed as `Content-Encoding` says, packed without saying so, or not packed although
// they say so: their first bytes decide.

/** As many bytes tell a packed body from a text. */
const beginningBytes = 64;

/** The names of what is not unpacked, by its first bytes. */
const packedFormats: readonly { readonly magic: Buffer; readonly name: string }[] = [
  { magic: Buffer.from('504b0304', 'hex'), name: 'a zip archive' },
  { magic: Buffer.from('504b0506', 'hex'), name: 'a zip archive' },
  { magic: Buffer.from('28b52ffd', 'hex'), name: 'packed with zstd' },
];

const gzipMagic = Buffer.from('1f8b', 'hex');

const gzipCodings: readonly string[] = ['gzip', 'x-gzip'];
const knownCodings: readonly string[] = [...gzipCodings, 'deflate', 'br'];

/**
 * The bytes of a body, unpacked. A truncated one is an error of the result: zlib insists on the
 * trailer. A format that is not unpacked is an `IncompleteDataError` that names it.
 */
export function unpacked(body: Readable, contentEncoding = ''): Readable {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => knownCodings.includes(coding));
  const result = Readable.from(piecesOf(body, codings));
  // A reader who leaves before the first piece leaves the body to nobody.
  result.once('close', () => void body.destroy());
  return result;
}

async function* piecesOf(body: Readable, codings: readonly string[]): AsyncGenerator<Buffer> {
  let stream = body;
  // The coding that was applied last is last, and is undone first.
  for (const coding of codings.toReversed()) {
    const { beginning, all } = await withBeginning(stream);
    const decoder = decoderOf(coding, beginning);
    stream = Readable.from(all);
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
  if (isGzip(beginning)) yield* pipeline(Readable.from(all), createGunzip(), () => {});
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

/**
 * What undoes a coding; `undefined` for a body that does not have it, although its header says so.
 */
function decoderOf(coding: string, beginning: Buffer): Transform | undefined {
  // A body without a byte was cut, which its decoder reports.
  const isEmpty = beginning.length === 0;
  if (gzipCodings.includes(coding)) {
    return isEmpty || isGzip(beginning) ? createGunzip() : undefined;
  }

  // Neither of the others has first bytes of its own.
  if (!isEmpty && isText(beginning)) return undefined;
  if (coding === 'br') return createBrotliDecompress();
  if (isGzip(beginning)) return createGunzip();
  return isZlib(beginning) ? createInflate() : createInflateRaw();
}

function isGzip(beginning: Buffer): boolean {
  return beginning.subarray(0, gzipMagic.length).equals(gzipMagic);
}

/** True for the header of RFC 1950, which some services leave out of `deflate`. */
function isZlib(beginning: Buffer): boolean {
  const [first = 0, second = 0] = beginning;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

/** True for text in UTF-8, or after a mark that it is in UTF-16. */
function isText(beginning: Buffer): boolean {
  const mark = beginning.toString('hex', 0, 2);
  if (mark === 'fffe' || mark === 'feff') return true;
  try {
    // As a stream, so that its last character may be cut.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: packed bodies have them
    return !/[\u0000-\u0008\u000e-\u001f\u007f]/.test(text);
  } catch {
    return false;
  }
}
