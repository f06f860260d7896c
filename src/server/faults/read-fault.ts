import { endpointNames } from '../../contract/messages.ts';
import type { UsageError } from '../../errors.ts';
import {
  functionCheck,
  type MemberCheck,
  textCheck,
  wholeNumberCheck,
  wordCheck,
} from '../../text/check-members.ts';
import type { FaultObject } from '../public-types.ts';
import { requireMembers, usageError } from '../usage-error.ts';
import { answerEffect } from './answer-effect.ts';
import { type FaultSpec, findTargets, parseFault } from './parse-fault.ts';

const count = wholeNumberCheck({ min: 0, max: 999_999_999 });

const faultChecks: Readonly<Record<keyof FaultObject<unknown>, MemberCheck>> = {
  endpoint: wordCheck([...endpointNames, '*']),
  kind: textCheck,
  times: count,
  after: count,
  when: functionCheck,
  change: functionCheck,
  answer: {
    expected: 'an object with status, headers and body',
    isValid: (value) => typeof value === 'object',
  },
};

/** Reads a fault that a test sets, in process or over HTTP. Throws `UsageError`. */
export function readFault(fault: string | FaultObject<unknown>): FaultSpec {
  if (typeof fault === 'string') return parseFault(fault);

  requireMembers(fault, faultChecks, { noun: 'member', code: 'BAD_FAULT' });
  const { endpoint, kind, times, after, when, change, answer } = fault;
  if (endpoint === undefined) {
    throw invalidFault('endpoint is missing', 'Example: { endpoint: "status", kind: "503" }.');
  }
  const effects = [kind, change, answer].filter((effect) => effect !== undefined);
  if (effects.length !== 1) {
    const reason = effects.length === 0 ? 'it has no effect' : 'it has several effects';
    throw invalidFault(reason, 'Set kind, change or answer.');
  }

  const limits: string[] = [];
  if (times !== undefined) limits.push(`times=${times}`);
  if (after !== undefined) limits.push(`after=${after}`);
  if (kind !== undefined) return { ...parseFault([endpoint, kind, ...limits].join(':')), when };

  return {
    text: [endpoint, answer ? 'answer' : 'change', ...limits].join(':'),
    endpoints: findTargets(endpoint),
    times: times ?? Number.POSITIVE_INFINITY,
    after: after ?? 0,
    when,
    effect: answer ? answerEffect(answer) : { ...(change && { change }) },
  };
}

function invalidFault(reason: string, advice: string): UsageError {
  return usageError(`Invalid fault: ${reason}.`, advice, { code: 'BAD_FAULT' });
}
