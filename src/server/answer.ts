import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UsageError } from '../errors.ts';
import { preferencesIn } from './delivery.ts';
import { type ErrorId, ServiceError } from './service/service-error.ts';

/** What a call is answered with, before it is compressed, slowed or cut. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are sent as they are; text may be compressed. */
  readonly body: string | Buffer | AsyncIterable<string>;
}

/** What becomes of the bytes of an answer, compressed as they are, while they are sent; it may cut the connection. */
export type BodyChange = (
  body: AsyncIterable<Buffer>,
  outgoing: ServerResponse,
) => AsyncIterable<Buffer>;

export const jsonType = 'application/json; charset=utf-8';

/** An answer whose body is a value as JSON. */
export function jsonAnswer(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, type: jsonType, headers, body: JSON.stringify(value) };
}

/**
 * The answer that an error is told with, in the envelope of `decisions.md` 6: what a `ServiceError` says, and a `UsageError`
 * of the admin calls, and nothing of any other.
 */
export function refusalAnswer(error: unknown): Answer {
  if (error instanceof ServiceError) return jsonAnswer(error.body, error.status, error.headers);
  if (error instanceof UsageError) {
    const { code: error_id, message, hint } = error;
    const response = { error_id, error: hint ? `${message} ${hint}` : message };
    return jsonAnswer({ response }, error_id === 'UNKNOWN_REPORT' ? 404 : 400);
  }
  // Errors of Fastify have a status: what they refuse is the client's doing.
  const { statusCode = 500, code } = error as {
    readonly statusCode?: number;
    readonly code?: string;
  };
  const refuse = (id: ErrorId, text: string): Answer => refusalAnswer(new ServiceError(id, text));
  if (code === 'FST_ERR_BAD_URL')
    return refuse('NOT_FOUND', 'The path is not valid percent-encoding.');
  if (statusCode === 413) return refuse('BODY_TOO_LARGE', 'The body is too large.');
  if (statusCode < 500) return refuse('INVALID_BODY', 'The body could not be read to its end.');
  return refuse('INTERNAL', 'The service failed. This is a bug of the local server.');
}

/** Gzip comes first, because it costs the least time for its gain; brotli's default quality would take seconds. */
const encoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGzip({ level: 1 }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  deflate: () => createDeflate({ level: 1 }),
};

/** Sends an answer: compressed as the client likes it, and slowed or cut where faults say so. */
export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, type, headers = {}, body }: Answer,
  changes: readonly BodyChange[] = [],
): FastifyReply {
  reply.code(status).headers({ ...headers, 'content-type': type });
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
  // Shorter bodies do not gain from compression what its headers cost.
  const isFixed = Buffer.isBuffer(body) || (isWhole && body.length < 1_024);
  const coding = isFixed ? undefined : chooseCoding(request.headers['accept-encoding']);
  if (!isFixed) reply.header('vary', 'Accept, Accept-Encoding');
  if (coding) reply.header('content-encoding', coding);
  // The length of the whole is announced, and not kept where a fault cuts the body.
  else if (isWhole) reply.header('content-length', Buffer.byteLength(body));
  if (isWhole && !coding && changes.length === 0) return reply.send(body);
  const encoder = coding && encoders[coding]?.();
  const source = Readable.from(isWhole ? [body] : body, { objectMode: false });
  const encoded: Readable = encoder ? pipeline(source, encoder, () => {}) : source;
  const changed = changes.reduce<AsyncIterable<Buffer>>(
    (bytes, change) => change(bytes, reply.raw),
    encoded,
  );
  // What is changed is asked for only when what came before has been sent.
  return reply.send(
    changed === encoded ? encoded : Readable.from(changed, { objectMode: false, highWaterMark: 1 }),
  );
}

/** A coding that `Accept-Encoding` allows; who names the body as it is, and likes nothing better, gets it so. */
function chooseCoding(acceptEncoding: string | undefined): string | undefined {
  const given = preferencesIn(acceptEncoding);
  return Object.keys(encoders).find((name) => {
    const quality = given.get(name) ?? given.get('*') ?? 0;
    return quality > 0 && quality >= (given.get('identity') ?? 0);
  });
}
