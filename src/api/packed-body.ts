import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { binaryFormOf, utf16Of } from '../contract/body-kind.ts';
import { IncompleteDataError } from '../errors.ts';

// Some services pack bodies without `Content-Encoding`, or set it without packing. The first bytes
// decide.

/** Enough bytes to distinguish a packed body from a text. */
const beginningBytes = 64;

const gzipCodings: readonly string[] = ['gzip', 'x-gzip'];
const knownCodings: readonly string[] = [...gzipCodings, 'deflate', 'br'];

/**
 * Unpacks a body. The result fails if the body is truncated, because zlib requires the trailer, and
 * with an `IncompleteDataError` if the format is not supported.
 */
export function unpacked(body: Readable, contentEncoding = ''): Readable {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => knownCodings.includes(coding));
  const result = Readable.from(piecesOf(body, codings));
  // If the result is closed before the first read, the generator never starts.
  result.once('close', () => void body.destroy());
  return result;
}

async function* piecesOf(body: Readable, codings: readonly string[]): AsyncGenerator<Buffer> {
  let stream = body;
  // The last coding in the list was applied last, and is undone first.
  for (const coding of codings.toReversed()) {
    const { beginning, all } = await withBeginning(stream);
    const decoder = decoderOf(coding, beginning);
    stream = Readable.from(all);
    // Without a callback an error would be thrown; the reader gets it from the stream.
    if (decoder) stream = pipeline(stream, decoder, () => {});
  }
  yield* withoutWrapping(stream);
}

/** Unpacks gzip without a header, and refuses zip and zstd. */
async function* withoutWrapping(stream: Readable): AsyncGenerator<Buffer> {
  const { beginning, all } = await withBeginning(stream);
  const form = binaryFormOf(beginning);
  if (form === 'zip' || form === 'zstd') {
    const name = form === 'zip' ? 'a zip archive' : 'packed with zstd';
    throw new IncompleteDataError(`The response is ${name}, which adreport does not unpack.`, {
      retryable: false,
      hint: 'Ask the service for a plain report, or for one with Content-Encoding: gzip.',
    });
  }
  if (form === 'gzip') yield* pipeline(Readable.from(all), createGunzip(), () => {});
  else yield* all;
}

/** The first bytes of a stream, and the whole stream. */
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

/** The decoder of a coding; `undefined` if the body is not packed although its header says so. */
function decoderOf(coding: string, beginning: Buffer): Transform | undefined {
  // An empty body was cut, which the decoder reports.
  const isEmpty = beginning.length === 0;
  if (gzipCodings.includes(coding)) {
    return isEmpty || isGzip(beginning) ? createGunzip() : undefined;
  }

  // The other codings have no signature.
  if (!isEmpty && isText(beginning)) return undefined;
  if (coding === 'br') return createBrotliDecompress();
  if (isGzip(beginning)) return createGunzip();
  return isZlib(beginning) ? createInflate() : createInflateRaw();
}

function isGzip(beginning: Buffer): boolean {
  return binaryFormOf(beginning) === 'gzip';
}

/** True for the header of RFC 1950, which some services omit from `deflate`. */
function isZlib(beginning: Buffer): boolean {
  const [first = 0, second = 0] = beginning;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

/** True for UTF-8 text, or a UTF-16 byte order mark. */
function isText(beginning: Buffer): boolean {
  if (utf16Of(beginning) !== undefined) return true;
  try {
    // In stream mode the last character may be cut.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: packed bodies have them
    return !/[\u0000-\u0008\u000e-\u001f\u007f]/.test(text);
  } catch {
    return false;
  }
}
