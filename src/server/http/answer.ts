import { Readable } from 'node:stream';

/** What a call is answered with, before it is compressed, slowed or cut. */
export interface Answer {
  readonly status: number;
  /** Its `Content-Type`; none where there is no body. */
  readonly type: string | undefined;
  /** Any others. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: string | AsyncIterable<string> | Iterable<string>;
}

/** An answer whose body is a value as JSON. */
export function jsonAnswer(value: unknown, status = 200, headers?: Readonly<Record<string, string>>): Answer {
  return { status, type: jsonType, headers, body: JSON.stringify(value) };
}

export const jsonType = 'application/json; charset=utf-8';

/** The body as a stream of bytes that is read only as fast as it is sent. */
export function toStream(body: Answer['body']): Readable {
  return Readable.from(typeof body === 'string' ? [body] : body, { objectMode: false });
}
