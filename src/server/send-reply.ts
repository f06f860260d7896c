import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { pipeline as finish } from 'node:stream/promises';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { Reply } from './reply.ts';
import { type Coding, chooseCoding } from './request/accept.ts';

/** Minimum length to compress. Below it, the headers cost more than compression saves. */
const minCompressedLength = 1_024;

/**
 * Sends a response. Compresses it if the client accepts that, and applies the fault. Rejects if the
 * connection ends early.
 */
export async function sendReply(
  { status, type, headers, body, changeBody }: Reply,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
  const isNeverCompressed =
    Buffer.isBuffer(body) || (typeof body === 'string' && body.length < minCompressedLength);
  const coding = isNeverCompressed ? undefined : chooseCoding(incoming.headers['accept-encoding']);

  outgoing.statusCode = status;
  outgoing.setHeader('vary', 'Accept, Accept-Encoding');
  if (coding) outgoing.setHeader('content-encoding', coding);
  // Announces the full length, even if a fault then cuts the body.
  if (isWhole && !coding) outgoing.setHeader('content-length', Buffer.byteLength(body));
  outgoing.setHeader('content-type', type);
  // A fault's headers override these.
  for (const [name, value] of Object.entries(headers ?? {})) outgoing.setHeader(name, value);

  if (isWhole && !coding && !changeBody) {
    outgoing.end(body);
    return;
  }

  const source = Readable.from(isWhole ? [body] : body, { objectMode: false });
  const encoded = coding ? pipeline(source, createCompressor(coding), () => {}) : source;
  await finish(changeBody ? changeBody(encoded, outgoing) : encoded, outgoing);
}

function createCompressor(coding: Coding): Transform {
  if (coding === 'gzip') return createGzip({ level: 1 });
  if (coding === 'deflate') return createDeflate({ level: 1 });
  // Brotli's default quality takes seconds.
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
}
