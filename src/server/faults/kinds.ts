import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointNames, type ReportStatus } from '../../contract/messages.ts';
import { type BodyChange, jsonReply, jsonType, type Reply, refusalReply } from '../reply.ts';
import {
  type ErrorId,
  errorIds,
  errorStatuses,
  refuseUntil,
  ServiceError,
} from '../service/service-error.ts';
import { type FaultKind, size, wholeNumber } from './fault-kind.ts';

/**
 * All kinds, in the order in which messages list them. `adreport help testing` explains each kind.
 */
export const faultKinds: Readonly<Record<string, FaultKind>> = {
  /** An HTTP status, written as a number: `503`, `429:retry-after=2`. */
  status: {
    keys: { 'retry-after': wholeNumber },
    effect({ 'retry-after': seconds }, name) {
      const status = Number(name);
      const headers: Record<string, string> =
        seconds === undefined ? {} : { 'retry-after': String(seconds) };
      const errorId = chooseErrorId(status);
      const error = `Injected fault: ${name}.`;
      const reply = jsonReply({ response: { error_id: errorId, error } }, status, headers);
      return { respond: () => ({ ...reply, why: `${errorId}: ${error}` }) };
    },
  },
  reset: {
    effect: () => ({
      respond({ socket }) {
        socket.resetAndDestroy();
        return undefined;
      },
    }),
  },
  garbage: fixedReply({
    type: jsonType,
    // The body starts like a response of the service.
    body: Buffer.from('{"response":{"status":"rea\u0000\u00ff\u00fe}}]', 'latin1'),
  }),
  /** The page of a captive portal or a proxy. */
  html: fixedReply({
    type: 'text/html; charset=utf-8',
    body: '<!doctype html><title>Sign in</title><p>Sign in to use this network.',
  }),
  unauthorized: {
    // A sign-in has no token.
    endpoints: endpointNames.filter((name) => name !== 'auth'),
    effect: () => ({
      respond(_incoming, revokeToken) {
        revokeToken();
        return refusalReply(
          new ServiceError('INVALID_TOKEN', 'This token is no longer valid: sign in again.'),
        );
      },
    }),
  },
  'not-downloadable': {
    endpoints: ['download'],
    effect: () => ({
      respond: () =>
        refusalReply(refuseUntil('REPORT_NOT_READY', 'The report is not ready.', 1_000)),
    }),
  },
  failed: finalStatus('failed'),
  expired: finalStatus('expired'),
  stuck: finalStatus('progress'),
  truncate: {
    keys: { bytes: size },
    requires: 'bytes',
    effect: ({ bytes = 0 }) => ({ changeBody: cutAfter(bytes) }),
  },
  slow: {
    keys: { rate: size },
    requires: 'rate',
    effect: ({ rate = 0 }) => ({ changeBody: sendAtRate(rate) }),
  },
  delay: {
    keys: { ms: wholeNumber },
    requires: 'ms',
    effect: ({ ms = 0 }) => ({ delayMs: ms }),
  },
};

/** A fault that always sends the same response, instead of the service. */
function fixedReply(reply: Omit<Reply, 'status'>): FaultKind {
  return { effect: () => ({ respond: () => ({ status: 200, ...reply }) }) };
}

/**
 * A fault that sets the final status of a report. `times` counts reports. The status is set when a
 * report is created (`buyer`) or done (`status`).
 */
function finalStatus(end: ReportStatus): FaultKind {
  return { endpoints: ['status', 'buyer'], effect: () => ({ end }) };
}

/**
 * Returns the usual error id of a status; `INTERNAL` for a status that the service does not use.
 */
function chooseErrorId(status: number): ErrorId {
  // Faults simulate a report that is too large. For a body that is too large, no fault is needed.
  if (status === errorStatuses.REPORT_TOO_LARGE) return 'REPORT_TOO_LARGE';
  return errorIds.find((id) => errorStatuses[id] === status) ?? 'INTERNAL';
}

/** Cuts the connection after some bytes. */
function cutAfter(bytes: number): BodyChange {
  return async function* (body, outgoing) {
    outgoing.flushHeaders();

    let leftBytes = bytes;
    for await (const chunk of body) {
      if (leftBytes > 0) yield chunk.subarray(0, leftBytes);
      leftBytes -= chunk.length;
      if (leftBytes <= 0) break;
    }

    await flush(outgoing);
    outgoing.destroy();
  };
}

/** Waits until everything written so far has been handed to the operating system. */
function flush({ socket }: ServerResponse): Promise<unknown> {
  return new Promise((resolve) => {
    if (socket) socket.write('', resolve);
    else resolve(undefined);
  });
}

/** Sends `rate` bytes per second, in twenty steps a second. */
function sendAtRate(rate: number): BodyChange {
  const stepBytes = Math.max(1, Math.ceil(rate / 20));

  return async function* (body) {
    for await (const chunk of body) {
      for (let at = 0; at < chunk.length; at += stepBytes) {
        const piece = chunk.subarray(at, at + stepBytes);
        yield piece;
        await sleep((piece.length * 1_000) / Math.max(1, rate), undefined, { ref: false });
      }
    }
  };
}

/** Kinds with their keys, for error messages and `/openapi.json`. */
export const kindLabels = Object.keys(faultKinds).map((name) =>
  name === 'status' ? 'an HTTP status' : name,
);
