import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonAnswer } from './answer.ts';
import type { FaultKind } from './fault-spec.ts';
import { type ErrorId, ServiceError } from './service-error.ts';
import { transmit } from './transmit.ts';

/** A call that faults strike. */
export interface StruckCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Ends the token of the call. */
  readonly revokeToken: () => void;
}

/**
 * Does what the faults do in place of the service, or before it. Whether the call is over: answered, or cut.
 * Throws the `ServiceError` of a fault that is one of the service's own refusals.
 */
export async function answerByFault(faults: readonly FaultKind[], call: StruckCall): Promise<boolean> {
  const { request, reply, revokeToken } = call;
  for (const fault of faults) {
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
        cutConnection(request, reply);
        return true;
      case 'status':
        transmit(request, reply, statusAnswer(fault));
        return true;
      case 'garbage':
        reply.header('content-type', 'application/json; charset=utf-8').send(garbage);
        return true;
      case 'html':
        reply.header('content-type', 'text/html; charset=utf-8').send(signInPage);
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
const signInPage = '<!doctype html><title>Sign in</title><p>Sign in to use this network.';

/** A reset where the platform can; a TLS connection can only be closed, without its goodbye. */
function cutConnection(request: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request.raw;
  reply.hijack();
  if (request.protocol === 'https') socket.destroy();
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
