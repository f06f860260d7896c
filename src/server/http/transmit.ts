import type { ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { Strike } from '../faults/fault-kind.ts';
import { type Answer, toStream } from './answer.ts';
import type { Call } from './call.ts';
import { type Coding, chooseCoding } from './negotiate.ts';
import { localHeader, refusalAnswer } from './refusals.ts';

/** Shorter bodies do not gain from compression what their headers cost. */
const shortestCompressed = 1_024;

/** Sends an answer: compressed as the client likes it, and slowed or cut where a fault says so. */
export function transmit({ incoming, outgoing }: Call, answer: Answer, faults: readonly Strike[] = noFaults): void {
  const { status, body } = answer;
  const isShort = typeof body === 'string' && body.length < shortestCompressed;
  if (isShort && faults.length === 0) {
    sendText(outgoing, answer, body);
    return;
  }
  const coding: Coding = isShort ? 'identity' : chooseCoding(incoming.headers['accept-encoding']);
  const headers: Record<string, string> = { ...answer.headers, [localHeader]: '1' };
  if (answer.type !== undefined) headers['content-type'] = answer.type;
  if (!isShort) headers.vary = 'Accept, Accept-Encoding';
  if (coding !== 'identity') headers['content-encoding'] = coding;
  // The length of the whole is announced, and not kept where a fault cuts the body, as with the service.
  else if (typeof body === 'string') headers['content-length'] = String(Buffer.byteLength(body));

  if (incoming.method === 'HEAD') {
    outgoing.writeHead(status, headers).end();
    return;
  }
  const changes = faults.flatMap((fault) => fault.changeBody?.() ?? []);
  if (typeof body === 'string' && coding === 'identity' && changes.length === 0) {
    outgoing.writeHead(status, headers).end(body);
    return;
  }
  let stream = through(toStream(body), encoderFor(coding));
  for (const change of changes) stream = through(stream, change);
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  outgoing.statusCode = status;
  if (faults.some(({ cutsConnection }) => cutsConnection)) void sendAndCut(outgoing, stream);
  else sendStream(outgoing, stream);
}

const noFaults: readonly Strike[] = [];

/** Most answers are these, so no header is copied that need not be. */
function sendText(outgoing: ServerResponse, { status, type, headers }: Answer, body: string): void {
  if (type === undefined) outgoing.writeHead(status, { ...headers, [localHeader]: '1' });
  else {
    const own = { 'content-type': type, [localHeader]: '1', 'content-length': Buffer.byteLength(body) };
    outgoing.writeHead(status, headers ? Object.assign(own, headers) : own);
  }
  outgoing.end(body);
}

/** Sends a body; one that fails before its first byte is refused instead, and one that fails later is cut off. */
function sendStream(outgoing: ServerResponse, stream: Readable): void {
  stream.on('error', (error) => {
    if (outgoing.headersSent || outgoing.destroyed) {
      outgoing.destroy();
      return;
    }
    for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
    const refusal = refusalAnswer(error);
    sendText(outgoing, refusal, String(refusal.body));
  });
  outgoing.on('close', () => stream.destroy());
  stream.pipe(outgoing);
}

/** A stream that has passed a transform, if there is one; when either fails or is given up, both end. */
function through(stream: Readable, transform: Transform | undefined): Readable {
  if (!transform) return stream;
  stream.on('error', (error) => transform.destroy(error));
  transform.on('close', () => stream.destroy());
  return stream.pipe(transform);
}

function encoderFor(coding: Coding): Transform | undefined {
  if (coding === 'gzip') return createGzip({ level: 1 });
  if (coding === 'deflate') return createDeflate({ level: 1 });
  // The default quality, 11, would take seconds for a megabyte.
  if (coding === 'br') return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
  return undefined;
}

/** Sends a body and, once it has left, cuts the connection: no length is kept, no chunks are ended. */
async function sendAndCut(outgoing: ServerResponse, body: Readable): Promise<void> {
  outgoing.flushHeaders();
  try {
    await pipeline(body, outgoing, { end: false });
    // Whatever was written before has been handed to the system when this has.
    await new Promise<void>((resolve) => outgoing.socket?.write('', () => resolve()) ?? resolve());
  } catch {
    // The client is gone: nobody is left to be cut off.
  }
  outgoing.destroy();
  body.destroy();
}
