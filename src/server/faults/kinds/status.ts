import { jsonAnswer } from '../../answer.ts';
import { type ErrorId, errorStatuses } from '../../service/service-error.ts';
import type { FaultKind } from '../fault-kind.ts';

/** The one kind without a name of its own: `503`, `429:retry-after=2`. */
export const status: FaultKind = {
  meaning: 'is what the call is answered with; retry-after=SECONDS adds that header',
  names: { pattern: /^[1-5]\d\d$/, label: 'an HTTP status', examples: ['503', '429', '401'] },
  keys: { 'retry-after': '2' },
  read(keys, name) {
    const code = Number(name);
    if (code < 200) throw keys.wrong(`${name} is no final HTTP status`, 'Give one from 200 to 599.');
    const seconds = keys.takeWhole('retry-after');
    const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
    const error = `A fault was asked for: this call is answered with ${code}.`;
    return { answer: () => jsonAnswer({ response: { error_id: errorIdOf(code), error } }, code, headers) };
  },
};

/** What the service calls its refusals of a status; a status that it does not use is an inner failure. */
function errorIdOf(code: number): ErrorId {
  if (code === 401) return 'INVALID_TOKEN';
  const names = Object.keys(errorStatuses) as ErrorId[];
  return names.find((name) => errorStatuses[name] === code) ?? 'INTERNAL';
}
