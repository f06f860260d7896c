import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultRequest } from '../public-types.ts';
import { normalizeLists, type Parameters, parseBody } from './parse-body.ts';

/** A request whose body has been read. */
export interface ServerCall {
  readonly incoming: IncomingMessage;
  readonly bytes: Buffer;

  /** Aborted when the connection ends. */
  readonly signal: AbortSignal;

  /** Request as faults receive it. */
  readonly request: FaultRequest;

  /** Returns the parameters in the body. Throws `ServiceError` if they cannot be read. */
  parameters(): Parameters;
}

/** Parses a request and its body. `parameters()` throws if the body cannot be read. */
export function parseCall(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  bytes: Buffer,
): ServerCall {
  const { method = '', url = '', headers } = incoming;
  const controller = new AbortController();
  outgoing.once('close', () => controller.abort());

  let parameters: Parameters = {};
  let refusal: unknown;
  try {
    parameters = parseBody(bytes, headers['content-type'], headers['content-encoding']);
  } catch (error) {
    refusal = error;
  }

  return {
    incoming,
    bytes,
    signal: controller.signal,
    request: {
      method,
      path: parsePath(url),
      headers: headers as Record<string, string>,
      body: normalizeLists(parameters),
    },
    parameters() {
      if (refusal) throw refusal;
      return parameters;
    },
  };
}

/** Returns the first 200 characters of a path, without the query string. */
export function parsePath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(0, 200);
}
