import type { OutgoingHttpHeaders } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, toStream } from './answer.ts';
import type { FaultKind } from './fault-spec.ts';
import { type Coding, chooseCoding } from './negotiate.ts';

/** Shorter bodies do not gain from compression what their headers cost. */
const shortestCompressed = 1_024;

type BodyFault = Extract<FaultKind, { type: 'truncate' | 'slow' }>;

/** Sends an answer: compressed as the client likes it, and slowed or cut where a fault says so. */
export function transmit(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  faults: readonly FaultKind[] = [],
): FastifyReply {
  const { body } = answer;
  const isShort = typeof body === 'string' && body.length < shortestCompressed;
  reply.code(answer.status).headers(answer.headers);
  if (isShort && faults.length === 0) return reply.send(body);
  const coding: Coding = isShort ? 'identity' : chooseCoding(request.headers['accept-encoding']);
  if (!isShort) reply.header('vary', 'Accept, Accept-Encoding');
  if (coding !== 'identity') reply.header('content-encoding', coding);

  const bodyFaults = faults.filter((fault): fault is BodyFault => fault.type === 'truncate' || fault.type === 'slow');
  if (typeof body === 'string' && coding === 'identity') {
    if (bodyFaults.length === 0) return reply.send(body);
    // The length of the whole is announced, as the service would, and not kept.
    reply.header('content-length', String(Buffer.byteLength(body)));
  }
  let stream = through(toStream(body), encoderFor(coding));
  for (const fault of bodyFaults) if (fault.type === 'slow') stream = through(stream, slowed(fault));
  const sizes = bodyFaults.flatMap((fault) => (fault.type === 'truncate' ? [fault.bytes] : []));
  if (sizes.length === 0) return reply.send(stream);
  void sendPart(reply, stream, Math.min(...sizes));
  return reply;
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
async function sendPart(reply: FastifyReply, body: Readable, sizeBytes: number): Promise<void> {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  raw.flushHeaders();
  try {
    await pipeline(body, (source: AsyncIterable<Buffer>) => firstBytes(source, sizeBytes), raw, { end: false });
    // Whatever was written before has been handed to the system when this has.
    await new Promise<void>((resolve) => raw.socket?.write('', () => resolve()) ?? resolve());
  } catch {
    // The client is gone: nobody is left to be cut off.
  }
  raw.destroy();
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
