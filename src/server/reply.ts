import type { ServerResponse } from 'node:http';
import { UsageError } from '../errors.ts';
import { ServiceError } from './service/service-error.ts';

/** A response before it is compressed, slowed or cut. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;

  /** Bytes are sent unchanged. Text may be compressed. */
  readonly body: string | Buffer | AsyncIterable<string>;

  /** Set for a CSV report: the same report as JSON, and its columns. */
  readonly csv?: { readonly json: AsyncIterable<string>; readonly fields: readonly string[] };

  /** Set for an error: its code and message, for the log. */
  readonly why?: string;

  /** Set by a fault that slows or cuts the body. */
  readonly changeBody?: BodyChange | undefined;
}

/** Changes the bytes of a response, compressed or not, as they are sent. May cut the connection. */
export type BodyChange = (
  body: AsyncIterable<Buffer>,
  outgoing: ServerResponse,
) => AsyncIterable<Buffer>;

export const jsonType = 'application/json; charset=utf-8';

export function jsonReply(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, type: jsonType, headers, body: JSON.stringify(value) };
}

/**
 * Builds the response to an error (`decisions.md` 6). It contains the message of a `ServiceError`
 * or of an admin call's `UsageError`, but of no other error.
 */
export function refusalReply(error: unknown): Reply {
  if (error instanceof ServiceError) {
    const { body, status, headers, errorId, message } = error;
    return { ...jsonReply(body, status, headers), why: `${errorId}: ${message}` };
  }
  if (error instanceof UsageError) {
    const { code, message } = error;
    return jsonReply({ response: { error_id: code, error: message } }, 400);
  }

  const message = 'The service failed. This is a bug in the local server.';
  return refusalReply(new ServiceError('INTERNAL', message));
}
