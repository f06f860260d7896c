import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointNames, type ReportStatus } from '../../contract/messages.ts';
import { type BodyChange, jsonReply, jsonType, type Reply, refusalReply } from '../reply.ts';
import {
  type ErrorId,
  errorIds,
  errorStatuses,
  retryLaterError,
  ServiceError,
} from '../service/service-error.ts';
import { type FaultKind, size, wholeNumber } from './fault-kind.ts';

/** All kinds, in the order in which messages list them. See `adreport help testing`. */
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
  garbage: createReplyFault({
    type: jsonType,
    // The body starts like a response of the service.
    body: Buffer.from('{"response":{"status":"rea\u0000\u00ff\u00fe}}]', 'latin1'),
  }),
  /** A sign-in page, as captive portals and proxies send it. */
  html: createReplyFault({
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
        refusalReply(retryLaterError('REPORT_NOT_READY', 'The report is not ready.', 1_000)),
    }),
  },
  failed: createStatusFault('failed'),
  expired: createStatusFault('expired'),
  stuck: createStatusFault('progress'),
  truncate: {
    keys: { bytes: size },
    requiredKey: 'bytes',
    effect: ({ bytes = 0 }) => ({ changeBody: cutAfter(bytes) }),
  },
  slow: {
    keys: { rate: size },
    requiredKey: 'rate',
    effect: ({ rate = 0 }) => ({ changeBody: sendAtRate(rate) }),
  },
  delay: {
    keys: { ms: wholeNumber },
    requiredKey: 'ms',
    effect: ({ ms = 0 }) => ({ delayMs: ms }),
  },
};

/** Creates a kind that always sends the same response. */
function createReplyFault(reply: Omit<Reply, 'status'>): FaultKind {
  return { effect: () => ({ respond: () => ({ status: 200, ...reply }) }) };
}

/**
 * Creates a kind that sets a report's final status when the report is created (`buyer`) or done
 * (`status`). `times` counts reports.
 */
function createStatusFault(finalStatus: ReportStatus): FaultKind {
  return { endpoints: ['status', 'buyer'], effect: () => ({ finalStatus }) };
}

/** Returns the usual error ID of a status, or `INTERNAL` if the service does not use the status. */
function chooseErrorId(status: number): ErrorId {
  // Two IDs have this status. Tests need the ID for a large report.
  if (status === errorStatuses.REPORT_TOO_LARGE) return 'REPORT_TOO_LARGE';
  return errorIds.find((id) => errorStatuses[id] === status) ?? 'INTERNAL';
}

function cutAfter(bytes: number): BodyChange {
  return async function* (body, outgoing) {
    outgoing.flushHeaders();

    let remainingBytes = bytes;
    for await (const chunk of body) {
      if (remainingBytes > 0) yield chunk.subarray(0, remainingBytes);
      remainingBytes -= chunk.length;
      if (remainingBytes <= 0) break;
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
      for (let offset = 0; offset < chunk.length; offset += stepBytes) {
        const piece = chunk.subarray(offset, offset + stepBytes);
        yield piece;
        await sleep((piece.length * 1_000) / Math.max(1, rate), undefined, { ref: false });
      }
    }
  };
}

/** Names of the kinds, as messages list them. */
export const kindLabels = Object.keys(faultKinds).map((name) =>
  name === 'status' ? 'an HTTP status' : name,
);
