import { endpointNames } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { aFunction, checkMembers, type MemberCheck, oneOf, text } from '../check-members.ts';
import type { FaultAnswer, FaultObject } from '../local-server.ts';
import { type FaultEffect, FaultValues } from './fault-kind.ts';
import { faultKinds } from './kinds.ts';
import { type FaultSource, type FaultSpec, parseFault } from './parse-fault.ts';

const number: MemberCheck = {
  takes: 'a number',
  isRight: (value) => typeof value === 'number',
};

const answerChecks: Readonly<Record<keyof FaultAnswer, MemberCheck>> = {
  status: number,
  headers: { takes: 'an object of texts', isRight: (value) => typeof value === 'object' },
  body: { takes: 'a text or a value of JSON', isRight: (value) => typeof value !== 'function' },
};

/** The members of a fault that a test gives as an object. */
const faultChecks: Readonly<Record<keyof FaultObject<unknown>, MemberCheck>> = {
  endpoint: oneOf([...endpointNames, '*']),
  kind: text,
  times: number,
  after: number,
  p: number,
  for: text,
  when: aFunction,
  change: aFunction,
  answer: { takes: 'status, headers and body', isRight: (value) => typeof value === 'object' },
};

const wording = { member: 'member', code: 'BAD_FAULT' };

/** The members that are keys of a fault's text too. */
const textKeys = ['times', 'after', 'p', 'for'] as const;

/** Reads a fault that a test gives, as a text or an object. Throws `UsageError`. */
export function readFault(fault: string | FaultObject<unknown>): FaultSpec {
  if (typeof fault === 'string') return parseFault(fault);

  checkMembers(fault, faultChecks, wording);
  const { endpoint, kind, when, answer, change } = fault;
  if (answer !== undefined) checkMembers(answer, answerChecks, wording);
  if (endpoint === undefined) {
    throw wrongFault('endpoint is missing', 'For example { endpoint: "status", kind: "503" }.');
  }
  if (kind === undefined && !answer && !change) {
    throw wrongFault('it does nothing', 'Give kind, answer or change.');
  }
  if (answer && change) throw wrongFault('it has both answer and change', 'Give one of them.');

  const [name = '', ...keys] = (kind ?? (answer ? 'answer' : 'change')).split(':');
  const pairs = textKeys.flatMap((key) => (fault[key] === undefined ? [] : `${key}=${fault[key]}`));
  const written = [endpoint, name, ...pairs, ...keys].join(':');
  const spec = parseFault(written, { answer, change });
  const effect = withExtra(spec, { answer, change });
  return { ...spec, effect, ...(when && { when }) };
}

/** The effect of a fault whose kind delays, slows or cuts an answer that is changed beside. */
function withExtra({ type, effect }: FaultSpec, { answer, change }: FaultSource): FaultEffect {
  const extra = answer ? 'answer' : 'change';
  if ((!answer && !change) || type === extra) return effect;

  if (effect.answer || effect.replace || effect.end || effect.change) {
    throw wrongFault(`${type} leaves nothing for ${extra} to do`, `Leave out kind or ${extra}.`);
  }
  const values = new FaultValues();
  return { ...effect, ...faultKinds[extra]?.effect({ values, answer, change }, extra) };
}

function wrongFault(reason: string, hint: string): UsageError {
  return new UsageError(`The fault is wrong: ${reason}.`, { code: 'BAD_FAULT', hint });
}
