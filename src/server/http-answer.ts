import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UsageError } from '../errors.ts';
import { type Coding, chooseCoding } from './request/accept.ts';
import { logEntryOf } from './request-log.ts';
import { type ErrorId, ServiceError } from './service/service-error.ts';

/** A response before it is compressed, slowed or cut. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;

  /** Bytes are sent unchanged; text may be compressed. */
  readonly body: string | Buffer | AsyncIterable<string>;

  /** Only for a report as CSV: the same report as JSON, and its columns. */
  readonly csv?: { readonly json: AsyncIterable<string>; readonly fields: readonly string[] };

  /** Set by the call that creates a report. */
  readonly reportId?: string;

  /** Only for an error: its code and sentence, for the log. */
  readonly why?: string;
}

/** Changes the (compressed) bytes of a response as they are sent; may cut the connection. */
export type BodyChange = (
  body: AsyncIterable<Buffer>,
  outgoing: ServerResponse,
) => AsyncIterable<Buffer>;

export const jsonType = 'application/json; charset=utf-8';

const maxWhyLength = 500;

/** Compressing shorter bodies saves less than its headers cost. */
const minCompressedLength = 1_024;

export function jsonAnswer(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, type: jsonType, headers, body: JSON.stringify(value) };
}

/**
 * Responds to an error, in the envelope of `decisions.md` 6. The response contains the message of a
 * `ServiceError` or of an admin call's `UsageError`, but not of any other error.
 */
export function refusalAnswer(error: unknown): Answer {
  if (error instanceof ServiceError) {
    const { body, status, headers, errorId, message } = error;
    const why = `${errorId}: ${withoutExcerpt(message)}`;
    return { ...jsonAnswer(body, status, headers), why };
  }
  if (error instanceof UsageError) return usageErrorAnswer(error);

  // Fastify's errors have these members.
  const { statusCode = 500, code } = error as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_BAD_URL') {
    return refuse('NOT_FOUND', 'The path has invalid percent-encoding.');
  }
  if (statusCode === 413) return refuse('BODY_TOO_LARGE', 'The body is too large.');
  if (statusCode < 500) return refuse('INVALID_BODY', 'The body could not be read completely.');
  return refuse('INTERNAL', 'The service failed. This is a bug in the local server.');
}

/** Removes the JSON parser's quotation of a body, which may contain a password. */
function withoutExcerpt(sentence: string): string {
  return sentence.replace(/, (?:\.{3})?".*"(?:\.{3})? is not valid JSON/s, '');
}

function refuse(errorId: ErrorId, sentence: string): Answer {
  return refusalAnswer(new ServiceError(errorId, sentence));
}

/** Responds to an invalid admin call. */
function usageErrorAnswer({ code, message, hint }: UsageError): Answer {
  const sentences = hint ? `${message} ${hint}` : message;
  const status = code === 'UNKNOWN_REPORT' || code === 'UNKNOWN_FAULT' ? 404 : 400;
  return jsonAnswer({ response: { error_id: code, error: sentences } }, status);
}

/** Sends a response, compressed if the client accepts it, with the change of a fault applied. */
export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  change?: BodyChange,
): FastifyReply {
  const { status, type, headers = {}, body, why } = answer;
  const entry = logEntryOf(request.raw);
  if (entry && why !== undefined) entry.why = why.slice(0, maxWhyLength);

  const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
  const isNeverCompressed =
    Buffer.isBuffer(body) || (typeof body === 'string' && body.length < minCompressedLength);
  const coding = isNeverCompressed ? undefined : chooseCoding(request.headers['accept-encoding']);

  reply.code(status).headers({ ...headers, 'content-type': type });
  if (!isNeverCompressed) reply.header('vary', 'Accept, Accept-Encoding');
  if (coding) reply.header('content-encoding', coding);
  // The full length is announced even if a fault then cuts the body.
  if (isWhole && !coding) reply.header('content-length', Buffer.byteLength(body));

  if (isWhole && !coding && !change) return reply.send(body);

  const source = Readable.from(isWhole ? [body] : body, { objectMode: false });
  const encoded = coding ? pipeline(source, createCompressor(coding), () => {}) : source;
  if (!change) return reply.send(encoded);

  const changed = change(encoded, reply.raw);
  // Each chunk is changed only once the previous one has been sent.
  return reply.send(Readable.from(changed, { objectMode: false, highWaterMark: 1 }));
}

function createCompressor(coding: Coding): Transform {
  if (coding === 'gzip') return createGzip({ level: 1 });
  if (coding === 'deflate') return createDeflate({ level: 1 });
  // Brotli's default quality would take seconds.
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
}
