import { type EndpointName, endpointNames } from '../../contract/messages.ts';
import { didYouMean, nearest } from '../../text/nearest.ts';
import type { FaultRequest } from '../public-types.ts';
import { usageError } from '../usage-error.ts';
import { type FaultEffect, type FaultKey, type FaultKind, wholeNumber } from './fault-kind.ts';
import { faultKinds, kindLabels } from './kinds.ts';

export interface FaultSpec {
  /** The fault in the form of `--fault`. */
  readonly text: string;

  readonly endpoints: readonly EndpointName[];

  /** Number of calls or reports that it applies to. */
  readonly times: number;

  /** Number of calls to let through first. */
  readonly after: number;

  /** Selects the calls that it applies to. Default: all. */
  readonly when?: ((request: FaultRequest) => unknown) | undefined;
  readonly effect: FaultEffect;
}

const grammar =
  'Write ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

/** Keys that every fault has. */
const commonKeys: Readonly<Record<string, FaultKey>> = { times: wholeNumber, after: wholeNumber };

/**
 * Parses a fault in the form of `--fault` and the admin call: `ENDPOINT:KIND[:key=value…]`
 * (`cli.md`, `local-server`). Throws `UsageError` that names the invalid part.
 */
export function parseFault(written: string): FaultSpec {
  const text = written.trim();
  const [endpoint = '', name = '', ...pairs] = text.split(':');

  const refuse = (reason: string, advice = grammar): never => {
    const sentence = `Invalid fault “${text.slice(0, 120)}”: ${reason}.`;
    throw usageError(sentence, advice, { code: 'BAD_FAULT' });
  };

  const targets = findTargets(endpoint);
  if (targets.length === 0) {
    return refuse(`unknown endpoint “${endpoint}”`, adviceFor(endpoint, [...endpointNames, '*']));
  }

  const kind = findKind(name);
  if (!kind) return refuse(`unknown kind “${name}”`, adviceFor(name, kindLabels));

  const endpoints = targets.filter((target) => kind.endpoints?.includes(target) ?? true);
  if (endpoints.length === 0) {
    return refuse(`${name} does not work with ${endpoint}`, `Use ${kind.endpoints?.[0]}:${name}.`);
  }

  // A map, because an object would also have `constructor`.
  const keys = new Map(Object.entries({ ...commonKeys, ...kind.keys }));
  const values: Record<string, number> = {};
  for (const pair of pairs) {
    const [, key, value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined) return refuse(`“${pair}” is not key=value`);

    const reader = keys.get(key);
    if (!reader) {
      return refuse(`unknown key “${key}” for ${name}`, adviceFor(key, [...keys.keys()]));
    }
    if (values[key] !== undefined) return refuse(`${key}= is repeated`);

    const read = reader.read(value);
    if (read === undefined) return refuse(`${pair} is not a valid ${reader.label}`);
    values[key] = read;
  }

  const { requires } = kind;
  if (requires !== undefined && values[requires] === undefined) {
    const example = `${endpoint}:${name}:${requires}=${keys.get(requires)?.example}`;
    return refuse(`${requires}= is missing`, `Example: ${example}.`);
  }

  const { times = Number.POSITIVE_INFINITY, after = 0 } = values;
  return { text, endpoints, times, after, effect: kind.effect(values, name) };
}

/** Returns the calls of an endpoint, or of `*`; none for an unknown one. */
export function findTargets(endpoint: string): EndpointName[] {
  return endpointNames.filter((target) => endpoint === '*' || endpoint === target);
}

/** Finds a kind by name, or by an HTTP status instead of the word “status”. */
function findKind(name: string): FaultKind | undefined {
  if (/^[2-5]\d\d$/.test(name)) return faultKinds.status;
  return name !== 'status' && Object.hasOwn(faultKinds, name) ? faultKinds[name] : undefined;
}

function adviceFor(name: string, candidates: readonly string[]): string {
  const guess = name.length > 1 ? nearest(name, candidates) : undefined;
  return didYouMean(guess, `Choose from ${candidates.join(', ')}.`);
}
