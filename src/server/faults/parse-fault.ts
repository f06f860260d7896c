import { type EndpointName, endpointNames } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import {
  type FaultEffect,
  type FaultKey,
  type FaultKind,
  type FaultValues,
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
  readonly effect: FaultEffect;
}

/** Far more than the longest that does something. */
const lengthAtMost = 500;

const grammar =
  'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

/** The keys that every fault takes, beside `for=ACCOUNT`. */
const commonKeys = { times: wholeNumber, after: wholeNumber, p: probability };

/**
 * Reads a fault as `--fault` and the admin call give it: `ENDPOINT:KIND[:key=value…]` (`cli.md`,
 * `local-server`). Throws `UsageError` that names the part that is wrong.
 */
export function parseFault(written: string): FaultSpec {
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
  const values: Record<string, number> = {};
  let account: string | undefined;
  for (const pair of pairs) {
    const [, key, value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined) return refuse(`“${pair}” is no key=value`);
    if (key === 'for') {
      account = value;
      continue;
    }

    const reader = keys.get(key);
    if (!reader) {
      return refuse(`“${key}” is no key of ${name}`, hintFor(key, ['for', ...keys.keys()]));
    }

    const number = reader.read(value);
    if (Number.isNaN(number)) return refuse(`${key}=${value} is no ${reader.what}`);
    values[key] = number;
  }

  const { needs } = kind;
  if (needs !== undefined && values[needs] === undefined) {
    const example = `${endpoint}:${name}:${needs}=${keys.get(needs)?.example}`;
    return refuse(`${needs}= is missing`, `For example ${example}.`);
  }

  const effect = kind.effect(values, name);
  return { text, type, reach, account, ...strikesOf(values), effect };
}

/** How often a fault strikes, when first, and by which chance; always where nothing is said. */
function strikesOf(values: FaultValues): Pick<FaultSpec, 'times' | 'after' | 'p'> {
  return {
    times: values.times ?? Number.POSITIVE_INFINITY,
    after: values.after ?? 0,
    p: values.p ?? 1,
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
