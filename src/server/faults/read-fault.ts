import { endpointNames } from '../../contract/messages.ts';
import type { UsageError } from '../../errors.ts';
import {
  checkMembers,
  functionCheck,
  type MemberCheck,
  text,
  wordCheck,
} from '../check-members.ts';
import type { FaultAnswer, FaultObject } from '../public-types.ts';
import { usageError } from '../usage-error.ts';
import type { FaultEffect } from './fault-kind.ts';
import { faultKinds } from './kinds.ts';
import { type FaultSource, type FaultSpec, parseFault } from './parse-fault.ts';

const number: MemberCheck = {
  expected: 'a number',
  isValid: (value) => typeof value === 'number',
};

export const answerChecks: Readonly<Record<keyof FaultAnswer, MemberCheck>> = {
  status: number,
  headers: { expected: 'an object of strings', isValid: (value) => typeof value === 'object' },
  body: { expected: 'a string or a JSON value', isValid: (value) => typeof value !== 'function' },
};

const faultChecks: Readonly<Record<keyof FaultObject<unknown>, MemberCheck>> = {
  endpoint: wordCheck([...endpointNames, '*']),
  kind: text,
  times: number,
  after: number,
  p: number,
  for: text,
  when: functionCheck,
  change: functionCheck,
  answer: {
    expected: 'an object with status, headers and body',
    isValid: (value) => typeof value === 'object',
  },
};

const errorOptions = { noun: 'member', code: 'BAD_FAULT' };

/** Members that are also keys in the text form. */
const textKeys = ['times', 'after', 'p', 'for'] as const;

/** Throws `UsageError`. */
export function readFault(fault: string | FaultObject<unknown>): FaultSpec {
  if (typeof fault === 'string') return parseFault(fault);

  checkMembers(fault, faultChecks, errorOptions);
  const { endpoint, kind, when, answer, change } = fault;
  if (answer !== undefined) checkMembers(answer, answerChecks, errorOptions);
  if (endpoint === undefined) {
    throw invalidFault('endpoint is missing', 'Example: { endpoint: "status", kind: "503" }.');
  }
  if (kind === undefined && !answer && !change) {
    throw invalidFault('it has no effect', 'Set kind, change or answer.');
  }
  if (answer && change) throw invalidFault('it has both answer and change', 'Use one of them.');

  const [name = '', ...keys] = (kind ?? (answer ? 'answer' : 'change')).split(':');
  const pairs = textKeys.flatMap((key) => (fault[key] === undefined ? [] : `${key}=${fault[key]}`));
  const written = [endpoint, name, ...pairs, ...keys].join(':');
  const spec = parseFault(written, { answer, change });
  const effect = withAnswerOrChange(spec, { answer, change });
  return { ...spec, effect, ...(when && { when }) };
}

/** Adds an answer or a change to the effect of a kind that only delays, slows or cuts responses. */
function withAnswerOrChange(
  { type, effect }: FaultSpec,
  { answer, change }: FaultSource,
): FaultEffect {
  const extra = answer ? 'answer' : 'change';
  if ((!answer && !change) || type === extra) return effect;

  if (effect.answer || effect.replace || effect.end || effect.change) {
    throw invalidFault(`this kind cannot be combined with ${extra}`, `Leave out kind or ${extra}.`);
  }
  return { ...effect, ...faultKinds[extra]?.effect({ values: {}, answer, change }, extra) };
}

function invalidFault(reason: string, advice: string): UsageError {
  return usageError(`Invalid fault: ${reason}.`, advice, { code: 'BAD_FAULT' });
}
