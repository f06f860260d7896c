import type { ServerResponse } from 'node:http';
import { ServiceError } from '../service/service-error.ts';
import { type Answer, jsonAnswer } from './answer.ts';

/** The mark of every answer of the local server. */
export const localHeader = 'x-adreport-local';

/** What the service says of an error, whoever found it. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('INTERNAL', 'The service failed. This is a bug of the local server.');
}

/** The answer that an error is told with, in the envelope of `decisions.md` 6. */
export function refusalAnswer(error: unknown): Answer {
  const refusal = toServiceError(error);
  return jsonAnswer(refusal.toBody(), refusal.status, refusal.headers);
}

/** What Node's parser gives up on, by its error code; anything else is 400. */
const unparsed: Readonly<Record<string, readonly [status: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

interface Connection {
  readonly writable: boolean;
  /** The answer under way, which Node keeps here and looks at in the same case. */
  readonly _httpMessage?: Pick<ServerResponse, 'once' | 'req'> | null;
  end(text: string): void;
  destroy(): void;
}

/** The connections whose refusal is on its way: whatever else they send is one more error of theirs. */
const refused = new WeakSet<Connection>();

/** Answers what never became a request, after the answers to the requests before it, and closes the connection. */
export function refuseNonHttp({ code = '' }: NodeJS.ErrnoException, connection: Connection): void {
  const why = unparsed[code] ?? ['400 Bad Request', 'This is not an HTTP request.'];
  if (refused.has(connection)) return;
  refused.add(connection);
  const refuseInTurn = (): void => {
    const answer = connection._httpMessage;
    // A request whose own end is what is wrong has no answer coming.
    if (answer?.req.complete) answer.once('close', refuseInTurn);
    else refuse(connection, why);
  };
  refuseInTurn();
}

/** Answers `CONNECT`, which a client sends to what it takes for a proxy, and closes the connection. */
export function refuseTunnel(_incoming: unknown, connection: Connection): void {
  refuse(connection, ['400 Bad Request', 'This server is no proxy: it takes no CONNECT.']);
}

function refuse(connection: Connection, [status, error]: readonly [status: string, error: string]): void {
  if (!connection.writable) {
    connection.destroy();
    return;
  }
  const body = JSON.stringify({ response: { error_id: 'INVALID_BODY', error } });
  connection.end(
    `HTTP/1.1 ${status}\r\n${localHeader}: 1\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
