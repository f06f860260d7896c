import { setTimeout as sleep } from 'node:timers/promises';
import { jsonAnswer, jsonType } from './answer.ts';
import type { Call } from './call.ts';
import type { FaultKind } from './fault-spec.ts';
import { localHeader } from './refusals.ts';
import { type ErrorId, ServiceError } from './service-error.ts';
import { transmit } from './transmit.ts';

/**
 * Does what its faults do to a call in place of the service, or before it. Whether the call is over: answered, or cut.
 * Throws the `ServiceError` of a fault that is one of the service's own refusals.
 *
 * @param revokeToken ends the token of the call
 */
export async function answerByFault(call: Call, revokeToken: () => void): Promise<boolean> {
  for (const fault of call.note.faults) {
    switch (fault.type) {
      case 'delay':
        await sleep(fault.delayMs, undefined, { ref: false });
        break;
      case 'unauthorized':
        // The service itself refuses the token then.
        revokeToken();
        break;
      case 'not-downloadable':
        throw new ServiceError('REPORT_NOT_READY', 'The report is not ready for download.', {
          headers: { 'retry-after': '1' },
        });
      case 'reset':
        cutConnection(call);
        return true;
      case 'status':
        transmit(call, statusAnswer(fault));
        return true;
      case 'garbage':
        sendBytes(call, jsonType, garbage);
        return true;
      case 'html':
        sendBytes(call, 'text/html; charset=utf-8', signInPage);
        return true;
      default:
        break;
    }
  }
  return false;
}

/** Begins as the service's answers do, and is then neither JSON nor UTF-8. */
const garbage = Buffer.from('{"response":{"status":"rea\u0000\u00ff\u00fe}}]', 'latin1');

/** What a captive portal or a proxy puts in the place of an answer. */
const signInPage = Buffer.from('<!doctype html><title>Sign in</title><p>Sign in to use this network.');

function sendBytes({ outgoing }: Call, type: string, bytes: Buffer): void {
  const headers = { 'content-type': type, 'content-length': bytes.length, [localHeader]: '1' };
  outgoing.writeHead(200, headers).end(bytes);
}

/** A reset where the platform can; a TLS connection can only be closed, without its goodbye. */
function cutConnection({ incoming: { socket }, isSecure }: Call): void {
  if (isSecure) socket.destroy();
  else socket.resetAndDestroy();
}

function statusAnswer({ status, retryAfterSeconds }: Extract<FaultKind, { type: 'status' }>) {
  const error_id = errorIds[status] ?? 'INTERNAL';
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const error = `A fault was asked for: this call is answered with ${status}.`;
  return jsonAnswer({ response: { error_id, error } }, status, headers);
}

/** What the service calls its refusals of a status; a status that it does not use is an inner failure. */
const errorIds: Readonly<Record<number, ErrorId>> = {
  400: 'SYSTEM',
  401: 'INVALID_TOKEN',
  403: 'ADMIN_ONLY',
  404: 'NOT_FOUND',
  406: 'NOT_ACCEPTABLE',
  409: 'REPORT_NOT_READY',
  410: 'REPORT_EXPIRED',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
};
