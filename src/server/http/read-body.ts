import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../service/service-error.ts';
import type { Call } from './call.ts';

const bodyBytesAtMost = 1024 * 1024;

/** Whether a request has a body to read: that of a `GET`, if it has one, is of no concern. */
export function hasBody({ headers, method }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/**
 * Reads a body to its end, which a client may hold back until it is told to go on; of a request that is cut off before, nothing is heard.
 * Throws `ServiceError` 413 where its announced length is too large, and fails with it where it grows so.
 */
export function readBody(
  { incoming, outgoing }: Pick<Call, 'incoming' | 'outgoing'>,
  { onBody, onError }: { readonly onBody: (body: Buffer) => void; readonly onError: (error: ServiceError) => void },
): void {
  if (Number(incoming.headers['content-length']) > bodyBytesAtMost) throw tooLarge();
  if (waitsToContinue(incoming)) outgoing.writeContinue();
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  incoming.on('data', (piece: Buffer) => {
    const wasTooLarge = sizeBytes > bodyBytesAtMost;
    sizeBytes += piece.length;
    if (sizeBytes <= bodyBytesAtMost) pieces.push(piece);
    else if (!wasTooLarge) onError(tooLarge());
  });
  incoming.on('end', () => {
    const [first] = pieces;
    if (sizeBytes <= bodyBytesAtMost) onBody(first && pieces.length === 1 ? first : Buffer.concat(pieces));
  });
}

/** Ends the connection after an answer that comes instead of the body: whether the body comes yet, nobody can tell. */
export function refuseHeldBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (waitsToContinue(incoming)) outgoing.setHeader('connection', 'close');
}

/** HTTP/1.0 knows of no such thing, and would take the word to go on for the answer (RFC 9110, 10.1.1). */
function waitsToContinue({ headers: { expect }, httpVersionMinor }: IncomingMessage): boolean {
  return expect !== undefined && expect.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}

function tooLarge(): ServiceError {
  return new ServiceError('BODY_TOO_LARGE', `A body has at most ${bodyBytesAtMost} bytes.`);
}
