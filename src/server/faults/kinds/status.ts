import { jsonAnswer } from '../../http/answer.ts';
import type { ErrorId } from '../../service/service-error.ts';
import type { FaultEffect, FaultKind } from '../fault-kind.ts';

interface StatusEffect extends FaultEffect {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
}

/** The one kind without a name of its own: `503`, `429:retry-after=2`. */
export const status: FaultKind = {
  meaning: 'is what the call is answered with; retry-after=SECONDS adds that header',
  names: { pattern: /^[1-5]\d\d$/, label: 'an HTTP status', examples: ['503', '429', '401'] },
  keys: { 'retry-after': '2' },
  read(keys, name): StatusEffect {
    const code = Number(name);
    if (code < 200) throw keys.wrong(`${name} is no final HTTP status`, 'Give one from 200 to 599.');
    const seconds = keys.takeWhole('retry-after');
    return { status: code, retryAfterSeconds: seconds, answer: () => statusAnswer(code, seconds) };
  },
};

function statusAnswer(code: number, retryAfterSeconds: number | undefined) {
  const error_id = errorIds[code] ?? 'INTERNAL';
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const error = `A fault was asked for: this call is answered with ${code}.`;
  return jsonAnswer({ response: { error_id, error } }, code, headers);
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
