import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointNames, type ReportStatus } from '../../contract/messages.ts';
import { type Answer, type BodyChange, jsonAnswer, jsonType, refusalAnswer } from '../answer.ts';
import {
  type ErrorId,
  errorIds,
  errorStatuses,
  refuseUntil,
  ServiceError,
} from '../service/service-error.ts';
import { answerKind } from './answer-fault.ts';
import { type FaultKind, milliseconds, size, wholeNumber } from './fault-kind.ts';

/** Every kind of fault, in the order of help: a new one is its file and its line here. */
export const faultKinds: Readonly<Record<string, FaultKind>> = {
  /** The one kind without a name of its own: `503`, `429:retry-after=2`. */
  status: {
    meaning: 'is what the call is answered with; retry-after=SECONDS adds that header',
    keys: { 'retry-after': wholeNumber },
    effect({ values }, name) {
      const status = Number(name);
      const seconds = values.number('retry-after');
      const headers: Record<string, string> =
        seconds === undefined ? {} : { 'retry-after': String(seconds) };
      const errorId = errorIdOf(status);
      const error = `A fault was asked for: this call is answered with ${name}.`;
      const answer = jsonAnswer({ response: { error_id: errorId, error } }, status, headers);
      return { answer: () => ({ ...answer, why: `${errorId}: ${error}` }) };
    },
  },
  reset: {
    meaning: 'the connection is cut, with no answer',
    effect: () => ({
      answer({ socket }) {
        // A TLS connection can only be closed, without its goodbye.
        if ('encrypted' in socket) socket.destroy();
        else socket.resetAndDestroy();
        return undefined;
      },
    }),
  },
  garbage: answering('the answer is neither JSON nor UTF-8', {
    type: jsonType,
    // It begins as the service's answers do.
    body: Buffer.from('{"response":{"status":"rea\u0000\u00ff\u00fe}}]', 'latin1'),
  }),
  html: answering('the answer is the web page of a captive portal or a proxy', {
    type: 'text/html; charset=utf-8',
    body: '<!doctype html><title>Sign in</title><p>Sign in to use this network.',
  }),
  unauthorized: {
    meaning: 'the token dies',
    // A sign-in carries no token that could die.
    reach: endpointNames.filter((name) => name !== 'auth'),
    effect: () => ({
      answer(_incoming, revokeToken) {
        revokeToken();
        return refusalAnswer(
          new ServiceError('INVALID_TOKEN', 'This token is no longer valid: sign in again.'),
        );
      },
    }),
  },
  'not-downloadable': {
    meaning: 'the report is ready, and refused with 409 all the same',
    reach: ['download'],
    effect: () => ({
      answer: () =>
        refusalAnswer(refuseUntil('REPORT_NOT_READY', 'The report is not ready.', 1_000)),
    }),
  },
  answer: answerKind,
  change: {
    meaning: 'a function of yours changes the JSON document before it is sent; in TypeScript only',
    takes: 'change',
    effect: ({ change }) => ({ change }),
  },
  failed: ending('failed', 'the report ends as failed'),
  expired: ending('expired', 'the report ends as expired'),
  stuck: ending('progress', 'the report stays in progress for ever'),
  truncate: {
    meaning: 'the connection is cut after so many bytes of the body',
    keys: { bytes: size },
    needs: 'bytes',
    effect: ({ values }) => ({ changeBody: cutAfter(values.number('bytes') ?? 0) }),
  },
  slow: {
    meaning: 'the body comes at so many bytes a second',
    keys: { rate: size },
    needs: 'rate',
    effect: ({ values }) => ({ changeBody: sendAtRate(values.number('rate') ?? 1) }),
  },
  delay: {
    meaning: 'the answer comes so much later: milliseconds, or 2s',
    keys: { ms: milliseconds },
    needs: 'ms',
    effect: ({ values }) => ({ delayMs: values.number('ms') ?? 0 }),
  },
};

/** A fault by which the service says something else than it would. */
function answering(meaning: string, answer: Omit<Answer, 'status'>): FaultKind {
  return { meaning, effect: () => ({ answer: () => ({ status: 200, ...answer }) }) };
}

/**
 * A fault that lets a report end otherwise than as `ready`; its `times` counts reports. At `buyer`
 * it is settled when a report is created, at `status` when a report is done.
 */
function ending(end: ReportStatus, meaning: string): FaultKind {
  return { meaning, reach: ['status', 'buyer'], effect: () => ({ end }) };
}

/** The usual code of a status; one that the service does not use is an inner failure. */
function errorIdOf(status: number): ErrorId {
  // The service refuses the size of a report so, apart from that of a body.
  if (status === errorStatuses.REPORT_TOO_LARGE) return 'REPORT_TOO_LARGE';
  return errorIds.find((id) => errorStatuses[id] === status) ?? 'INTERNAL';
}

/** Sends so many bytes of a body, and cuts the connection. */
function cutAfter(bytes: number): BodyChange {
  return async function* (body, outgoing) {
    outgoing.flushHeaders();

    let leftBytes = bytes;
    for await (const chunk of body) {
      if (leftBytes > 0) yield chunk.subarray(0, leftBytes);
      leftBytes -= chunk.length;
      if (leftBytes <= 0) break;
    }

    await handOver(outgoing);
    outgoing.destroy();
  };
}

/** Waits until whatever was written before has been handed to the system. */
function handOver({ socket }: ServerResponse): Promise<unknown> {
  return new Promise((resolve) => {
    if (socket) socket.write('', resolve);
    else resolve(undefined);
  });
}

/** Sends a body at so many bytes a second, in twenty steps a second. */
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

/** The kinds as a list of them names each: `status` goes by any status. */
export const kindLabels = Object.keys(faultKinds).map((name) =>
  name === 'status' ? 'an HTTP status' : name,
);
