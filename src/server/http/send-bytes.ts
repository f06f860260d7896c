import type { Call } from './call.ts';
import { localHeader } from './refusals.ts';

/** Ends a call with bytes as they are, under a success that the service would not call one. */
export function sendBytes({ outgoing }: Call, type: string, bytes: Buffer): undefined {
  const headers = { 'content-type': type, 'content-length': bytes.length, [localHeader]: '1' };
  outgoing.writeHead(200, headers).end(bytes);
}
