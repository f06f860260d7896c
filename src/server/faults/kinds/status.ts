import { jsonAnswer } from '../../answer.ts';
import { errorIds } from '../../service/service-error.ts';
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
    const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
    const error = `A fault was asked for: this call is answered with ${code}.`;
    // A status that the service does not use is an inner failure.
    const [error_id] = errorIds[code as keyof typeof errorIds] ?? errorIds[500];
    return { answer: () => jsonAnswer({ response: { error_id, error } }, code, headers) };
  },
};
