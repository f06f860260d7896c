import { type EndpointName, endpoints } from '../../contract/endpoints.ts';
import { nearest } from '../../text/nearest.ts';
import { FaultKeys } from './fault-keys.ts';
import type { NamedEffect } from './fault-kind.ts';
import { faultKinds, findKind, kindNames, labelOf } from './kinds/index.ts';

/** A fault as `--fault` and the admin call give it (`cli.md`, `local-server`). */
export interface FaultSpec {
  readonly text: string;
  readonly endpoint: EndpointName | '*';
  readonly effect: NamedEffect;
  /** The calls that its kind can strike. */
  readonly reach: readonly EndpointName[];
  /** How often it strikes; always where absent. */
  readonly times: number | undefined;
  /** How many calls pass before it may strike. */
  readonly after: number;
  /** With what probability a call is struck, from 0 to 1. */
  readonly probability: number;
  /** The account it is for, by name or e-mail; every one where absent. */
  readonly account: string | undefined;
}

const commonKeys = ['times', 'after', 'p', 'for'];

/** What a fault can strike. */
export const everyEndpoint = Object.keys(endpoints) as readonly EndpointName[];

/** Reads `ENDPOINT:KIND[:key=value…]`. Throws `UsageError` that names the part that is wrong. */
export function parseFault(text: string): FaultSpec {
  const [endpoint = '', name = '', ...pairs] = text.trim().split(':');
  const keys = new FaultKeys(text, pairs);
  const target = ([...everyEndpoint, '*'] as const).find((known) => known === endpoint);
  if (!target) throw keys.wrong(`“${endpoint}” is no endpoint`, hintFor(endpoint, everyEndpoint, ['*']));
  const found = findKind(name);
  if (!found) {
    const patterns = Object.entries(faultKinds).filter(([, { names }]) => names);
    throw keys.wrong(`“${name}” is no kind of fault`, hintFor(name, kindNames, patterns.map(labelOf)));
  }
  const [type, kind] = found;
  const { reach = everyEndpoint } = kind;
  const spec = {
    text: text.trim(),
    endpoint: target,
    effect: { type, ...kind.read(keys, name) },
    reach,
    times: keys.takeWhole('times'),
    after: keys.takeWhole('after') ?? 0,
    probability: takeProbability(keys),
    account: keys.take('for'),
  };
  const { untaken } = keys;
  if (untaken !== undefined) {
    const known = [...commonKeys, ...Object.keys(kind.keys ?? {})];
    throw keys.wrong(`“${untaken}” is no key of ${name}`, hintFor(untaken, known));
  }
  if (target !== '*' && !reach.includes(target)) {
    throw keys.wrong(`${type} cannot strike ${target}`, `Write ${reach[0]}:${type}.`);
  }
  return spec;
}

function hintFor(name: string, known: readonly string[], others: readonly string[] = []): string {
  const guess = nearest(name, known);
  return guess ? `Did you mean ${guess}?` : `Known: ${[...known, ...others].join(', ')}.`;
}

function takeProbability(keys: FaultKeys): number {
  const value = keys.take('p');
  if (value === undefined) return 1;
  const probability = Number(value);
  if (value !== '' && probability >= 0 && probability <= 1) return probability;
  throw keys.wrong(`p=${value} is no probability`, 'Give a number from 0 to 1, e.g. p=0.1.');
}
