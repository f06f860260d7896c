import type { ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import { type Answer, toStream } from './answer.ts';
import type { Call } from './call.ts';
import type { FaultKind } from './fault-spec.ts';
import { type Coding, chooseCoding } from './negotiate.ts';
import { localHeader, refusalAnswer } from './refusals.ts';

/** Shorter bodies do not gain from compression what their headers cost. */
const shortestCompressed = 1_024;

type BodyFault = Extract<FaultKind, { type: 'truncate' | 'slow' }>;

/** Sends an answer: compressed as the client likes it, and slowed or cut where a fault says so. */
export function transmit({ incoming, outgoing }: Call, answer: Answer, faults: readonly FaultKind[] = noFaults): void {
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
  const bodyFaults = faults.filter((fault): fault is BodyFault => fault.type === 'truncate' || fault.type === 'slow');
  if (typeof body === 'string' && coding === 'identity' && bodyFaults.length === 0) {
    outgoing.writeHead(status, headers).end(body);
    return;
  }
  let stream = through(toStream(body), encoderFor(coding));
  for (const fault of bodyFaults) if (fault.type === 'slow') stream = through(stream, slowed(fault));
  const sizes = bodyFaults.flatMap((fault) => (fault.type === 'truncate' ? [fault.bytes] : []));
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  outgoing.statusCode = status;
  if (sizes.length === 0) sendStream(outgoing, stream);
  else void sendPart(outgoing, stream, Math.min(...sizes));
}

const noFaults: readonly FaultKind[] = [];

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

function slowed({ bytesPerSecond }: { readonly bytesPerSecond: number }): Transform {
  const stepBytes = Math.max(1, Math.ceil(bytesPerSecond / 20));
  return new Transform({
    async transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length && !this.destroyed; at += stepBytes) {
        const piece = chunk.subarray(at, at + stepBytes);
        this.push(piece);
        await sleep((piece.length * 1_000) / bytesPerSecond, undefined, { ref: false });
      }
      done();
    },
  });
}

/** Sends so many bytes of a body and, once they have left, cuts the connection: no length is kept, no chunks are ended. */
async function sendPart(outgoing: ServerResponse, body: Readable, sizeBytes: number): Promise<void> {
  outgoing.flushHeaders();
  try {
    await pipeline(body, (source: AsyncIterable<Buffer>) => firstBytes(source, sizeBytes), outgoing, { end: false });
    // Whatever was written before has been handed to the system when this has.
    await new Promise<void>((resolve) => outgoing.socket?.write('', () => resolve()) ?? resolve());
  } catch {
    // The client is gone: nobody is left to be cut off.
  }
  outgoing.destroy();
}

async function* firstBytes(source: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  let leftBytes = sizeBytes;
  if (leftBytes === 0) return;
  for await (const chunk of source) {
    yield chunk.subarray(0, leftBytes);
    leftBytes -= Math.min(leftBytes, chunk.length);
    if (leftBytes === 0) return;
  }
}
