import { type EndpointName, endpointNames } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { FaultRequest } from '../local-server.ts';
import {
  type FaultEffect,
  type FaultGiven,
  type FaultKey,
  type FaultKind,
  FaultValues,
  probability,
  wholeNumber,
} from './fault-kind.ts';
import { faultKinds, kindLabels } from './kinds.ts';

/** A fault as it was asked for. */
export interface FaultSpec {
  /** As it was written. */
  readonly text: string;

  /** Its kind: `delay`, and `status` for an HTTP status. */
  readonly type: string;

  /** The calls that it strikes. */
  readonly reach: readonly EndpointName[];

  /** The name or the e-mail address of the account that it strikes; every account where absent. */
  readonly account: string | undefined;

  /** How often it strikes. */
  readonly times: number;

  /** How many calls pass before it strikes. */
  readonly after: number;

  /** With which probability it strikes. */
  readonly p: number;

  /** The calls that it can strike, told by what they ask for; all where absent. */
  readonly when?: (request: FaultRequest) => unknown;
  readonly effect: FaultEffect;
}

/** Who gives a fault, and what with it beside its text. */
export interface FaultSource extends Omit<FaultGiven, 'values'> {
  /** A caller over HTTP, who may not name what is on this machine. */
  readonly isRemote?: boolean;
}

/** Paths of files are the longest parts. */
const lengthAtMost = 5_000;

const grammar =
  'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

/** The keys that every fault takes. */
const commonKeys: Readonly<Record<string, FaultKey>> = {
  for: { what: 'account', example: 'buyer', read: (text) => text },
  times: wholeNumber,
  after: wholeNumber,
  p: probability,
};

/**
 * Reads a fault as `--fault` and the admin call give it: `ENDPOINT:KIND[:key=value…]` (`cli.md`,
 * `local-server`). Throws `UsageError` that names the part that is wrong.
 */
export function parseFault(written: string, source: FaultSource = {}): FaultSpec {
  const text = written.trim();
  const [endpoint = '', name = '', ...pairs] = text.split(':');

  const refuse = (reason: string, hint = grammar): never => {
    const message = `The fault “${text.slice(0, 120)}” is wrong: ${reason}.`;
    throw new UsageError(message, { code: 'BAD_FAULT', hint });
  };

  if (text.length > lengthAtMost) {
    return refuse(`it has more than ${lengthAtMost} characters`);
  }

  const targets = endpointNames.filter((target) => endpoint === '*' || endpoint === target);
  if (targets.length === 0) {
    return refuse(`“${endpoint}” is no endpoint`, hintFor(endpoint, [...endpointNames, '*']));
  }

  const type = typeOf(name);
  const kind = type === undefined ? undefined : faultKinds[type];
  if (type === undefined || kind === undefined) {
    return refuse(`“${name}” is no kind of fault`, hintFor(name, kindLabels));
  }

  const reach = targets.filter((target) => kind.reach?.includes(target) ?? true);
  if (reach.length === 0) {
    return refuse(`${type} cannot strike ${endpoint}`, `Write ${kind.reach?.[0]}:${type}.`);
  }

  const keys = keysOf(kind);
  const values = new FaultValues();
  for (const [index, pair] of pairs.entries()) {
    const [, key, value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined) return refuse(`“${pair}” is no key=value`);

    const reader = keys.get(key);
    if (!reader) return refuse(`“${key}” is no key of ${name}`, hintFor(key, [...keys.keys()]));
    if (values.has(key)) return refuse(`${key} is given twice`);
    if (reader.isOfHost && source.isRemote) {
      return refuse(`${key}= is for those who start the server`, 'Send the body in the call.');
    }

    const rest = reader.takesRest ? [value, ...pairs.slice(index + 1)].join(':') : value;
    const read = reader.read(rest);
    if (read === undefined) return refuse(`${key}=${rest} is no ${reader.what}`);
    values.set(key, read);
    if (reader.takesRest) break;
  }

  const { needs, takes } = kind;
  if (source.isRemote && source.answer && takes !== 'answer') {
    return refuse(`${name} takes no status, headers or body`, 'They go with ENDPOINT:answer.');
  }
  const isGiven = takes !== undefined && source[takes] !== undefined;
  if (needs !== undefined && values.has(needs) && isGiven) {
    return refuse(`it has both ${needs}= and ${takes}`, 'Give one of them.');
  }
  if (needs !== undefined && !values.has(needs) && !isGiven) {
    const isAnswer = takes === 'answer' && source.isRemote;
    if (isAnswer) return refuse('the body to send is missing', 'Send {"fault":…,"body":…}.');

    const example = `${endpoint}:${name}:${needs}=${keys.get(needs)?.example}`;
    return refuse(`${needs}= is missing`, `For example ${example}.`);
  }
  if (needs === undefined && takes !== undefined && !isGiven) {
    return refuse(`${name} takes a function`, 'Give it to fault() of startLocalServer.');
  }

  const { answer, change } = source;
  const effect = kind.effect({ values, answer, change }, name);
  return { text, type, reach, ...strikesOf(values), effect };
}

/** Whom a fault strikes, how often, when first, and by which chance; always if nothing is given. */
function strikesOf(values: FaultValues): Pick<FaultSpec, 'account' | 'times' | 'after' | 'p'> {
  return {
    account: values.text('for'),
    times: values.number('times') ?? Number.POSITIVE_INFINITY,
    after: values.number('after') ?? 0,
    p: values.number('p') ?? 1,
  };
}

/**
 * The kind that a name stands for: an HTTP status is of the kind `status`, which has no name of its
 * own.
 */
function typeOf(name: string): string | undefined {
  if (/^[2-5]\d\d$/.test(name)) return 'status';
  if (name === 'status') return undefined;
  return Object.hasOwn(faultKinds, name) ? name : undefined;
}

/** The keys that faults of a kind take; a map, because `constructor` is no key of it. */
function keysOf(kind: FaultKind): ReadonlyMap<string, FaultKey> {
  return new Map(Object.entries({ ...commonKeys, ...kind.keys }));
}

function hintFor(name: string, candidates: readonly string[]): string {
  const guess = name.length > 1 ? nearest(name, candidates) : undefined;
  return guess ? `Did you mean ${guess}?` : `Known: ${candidates.join(', ')}.`;
}
