import { type EndpointName, endpointNames } from '../../contract/messages.ts';
import { didYouMean, nearest } from '../../text/nearest.ts';
import type { FaultRequest } from '../public-types.ts';
import { usageError } from '../usage-error.ts';
import {
  type FaultEffect,
  type FaultInput,
  type FaultKey,
  type FaultKind,
  probability,
  wholeNumber,
} from './fault-kind.ts';
import { faultKinds, kindLabels } from './kinds.ts';

export interface FaultSpec {
  /** As written. */
  readonly text: string;

  /** `delay`; `status` for an HTTP status. */
  readonly type: string;

  readonly endpoints: readonly EndpointName[];

  /** Name or e-mail address of the account to strike; `undefined` for every account. */
  readonly account: string | undefined;

  /** Number of calls or reports to strike. */
  readonly times: number;

  /** Number of calls to let through first. */
  readonly after: number;

  readonly p: number;

  /** Selects the calls to strike. Default: all. */
  readonly when?: (request: FaultRequest) => unknown;
  readonly effect: FaultEffect;
}

/** Where a fault comes from, and its input in addition to its text. */
export interface FaultSource extends Omit<FaultInput, 'values'> {
  /** Set over HTTP, where a fault may not refer to this machine. */
  readonly isRemote?: boolean;
}

/** Enough for a long file path. */
const maxLength = 5_000;

const grammar =
  'Write ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

/** Keys that every fault has. */
const commonKeys: Readonly<Record<string, FaultKey>> = {
  for: { label: 'account', example: 'buyer', read: (text) => text },
  times: wholeNumber,
  after: wholeNumber,
  p: probability,
};

/**
 * Parses a fault in the form of `--fault` and the admin call: `ENDPOINT:KIND[:key=value…]`
 * (`cli.md`, `local-server`). Throws `UsageError` that names the invalid part.
 */
export function parseFault(written: string, source: FaultSource = {}): FaultSpec {
  const text = written.trim();
  const [endpoint = '', name = '', ...pairs] = text.split(':');

  const refuse = (reason: string, advice = grammar): never => {
    const sentence = `Invalid fault “${text.slice(0, 120)}”: ${reason}.`;
    throw usageError(sentence, advice, { code: 'BAD_FAULT' });
  };

  if (text.length > maxLength) {
    return refuse(`it is longer than ${maxLength} characters`);
  }

  const targets = endpointNames.filter((target) => endpoint === '*' || endpoint === target);
  if (targets.length === 0) {
    return refuse(`unknown endpoint “${endpoint}”`, adviceFor(endpoint, [...endpointNames, '*']));
  }

  const type = typeOf(name);
  const kind = type === undefined ? undefined : faultKinds[type];
  if (type === undefined || kind === undefined) {
    return refuse(`unknown kind “${name}”`, adviceFor(name, kindLabels));
  }

  const endpoints = targets.filter((target) => kind.endpoints?.includes(target) ?? true);
  if (endpoints.length === 0) {
    return refuse(`${type} does not work with ${endpoint}`, `Use ${kind.endpoints?.[0]}:${type}.`);
  }

  const keys = keysOf(kind);
  const values: Record<string, number | string> = {};
  for (const [index, pair] of pairs.entries()) {
    const [, key, value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined) return refuse(`“${pair}” is not key=value`);

    const reader = keys.get(key);
    if (!reader)
      return refuse(`unknown key “${key}” for ${name}`, adviceFor(key, [...keys.keys()]));
    if (values[key] !== undefined) return refuse(`${key}= is repeated`);
    if (reader.isLocalOnly && source.isRemote) {
      return refuse(`${key}= does not work over HTTP`, 'Send the body in the call.');
    }

    const rest = reader.takesRest ? [value, ...pairs.slice(index + 1)].join(':') : value;
    const read = reader.read(rest);
    if (read === undefined) return refuse(`${key}=${rest} is not a valid ${reader.label}`);
    values[key] = read;
    if (reader.takesRest) break;
  }

  const { requires, takes } = kind;
  if (source.isRemote && source.answer && takes !== 'answer') {
    return refuse(`${name} has no status, headers or body`, 'Use them with ENDPOINT:answer.');
  }
  const isGiven = takes !== undefined && source[takes] !== undefined;
  if (requires !== undefined && values[requires] !== undefined && isGiven) {
    return refuse(`it has both ${requires}= and ${takes}`, 'Use one of them.');
  }
  if (requires !== undefined && values[requires] === undefined && !isGiven) {
    const isAnswer = takes === 'answer' && source.isRemote;
    if (isAnswer) return refuse('the body is missing', 'Send {"fault":…,"body":…}.');

    const example = `${endpoint}:${name}:${requires}=${keys.get(requires)?.example}`;
    return refuse(`${requires}= is missing`, `Example: ${example}.`);
  }
  if (requires === undefined && takes !== undefined && !isGiven) {
    return refuse(`${name} needs a function`, 'Pass it to fault() of startLocalServer.');
  }

  const { answer, change } = source;
  const effect = kind.effect({ values, answer, change }, name);
  const { for: account, times = Number.POSITIVE_INFINITY, after = 0, p = 1 } = values;
  return {
    text,
    type,
    endpoints,
    account: account === undefined ? undefined : String(account),
    times: Number(times),
    after: Number(after),
    p: Number(p),
    effect,
  };
}

/** Returns `status` for an HTTP status, never for the word “status”. */
function typeOf(name: string): string | undefined {
  if (/^[2-5]\d\d$/.test(name)) return 'status';
  if (name === 'status') return undefined;
  return Object.hasOwn(faultKinds, name) ? name : undefined;
}

/** Returns a map, because an object would also have `constructor`. */
function keysOf(kind: FaultKind): ReadonlyMap<string, FaultKey> {
  return new Map(Object.entries({ ...commonKeys, ...kind.keys }));
}

function adviceFor(name: string, candidates: readonly string[]): string {
  const guess = name.length > 1 ? nearest(name, candidates) : undefined;
  return didYouMean(guess, `Choose from ${candidates.join(', ')}.`);
}
