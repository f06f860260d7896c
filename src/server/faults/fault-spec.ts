import { type EndpointName, endpoints } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { FaultKeys, NamedEffect } from './fault-kind.ts';
import { faultKinds, findKind, kindLabel, kindNames } from './kinds/index.ts';

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

/** The form of a fault, for errors and help. */
const grammar = 'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

const commonKeys = ['times', 'after', 'p', 'for'];

/** What a fault can strike. */
export const everyEndpoint = Object.keys(endpoints) as readonly EndpointName[];

/** Reads `ENDPOINT:KIND[:key=value…]`. Throws `UsageError` that names the part that is wrong. */
export function parseFault(given: string): FaultSpec {
  const text = given.trim();
  const [endpoint = '', name = '', ...pairs] = text.split(':');
  const { keys, untaken } = readKeys(text, pairs);
  const target = ([...everyEndpoint, '*'] as const).find((known) => known === endpoint);
  if (!target) throw keys.wrong(`“${endpoint}” is no endpoint`, hintFor(endpoint, everyEndpoint, ['*']));
  const found = findKind(name);
  if (!found) {
    const patterns = Object.entries(faultKinds).filter(([, { names }]) => names);
    throw keys.wrong(`“${name}” is no kind of fault`, hintFor(name, kindNames, patterns.map(kindLabel)));
  }
  const [type, kind] = found;
  const { reach = everyEndpoint } = kind;
  const effect = { type, ...kind.read(keys, name) };
  const [times, after = 0] = [keys.takeWhole('times'), keys.takeWhole('after')];
  const p = keys.take('p') ?? '1';
  const probability = Number(p);
  if (p === '' || !(probability >= 0 && probability <= 1)) {
    throw keys.wrong(`p=${p} is no probability`, 'Give a number from 0 to 1, e.g. p=0.1.');
  }
  const account = keys.take('for');
  const [unknown] = untaken.keys();
  if (unknown !== undefined) {
    const known = [...commonKeys, ...Object.keys(kind.keys ?? {})];
    throw keys.wrong(`“${unknown}” is no key of ${name}`, hintFor(unknown, known));
  }
  if (target !== '*' && !reach.includes(target)) {
    throw keys.wrong(`${type} cannot strike ${target}`, `Write ${reach[0]}:${type}.`);
  }
  return { text, endpoint: target, effect, reach, times, after, probability, account };
}

function hintFor(name: string, known: readonly string[], others: readonly string[] = []): string {
  const guess = nearest(name, known);
  return guess ? `Did you mean ${guess}?` : `Known: ${[...known, ...others].join(', ')}.`;
}

const sizeUnits: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_000, mb: 1_000_000 };

/** The `key=value` pairs of a fault; what nobody has taken is no key of it. Throws `UsageError` where a pair is none. */
function readKeys(text: string, pairs: readonly string[]): { keys: FaultKeys; untaken: ReadonlyMap<string, string> } {
  const wrong = (problem: string, hint: string): UsageError =>
    new UsageError(`The fault “${text.slice(0, 120)}” is wrong: ${problem}.`, { code: 'BAD_FAULT', hint });
  const values = new Map(
    pairs.map((pair): [string, string] => {
      const at = pair.indexOf('=');
      if (at < 1) throw wrong(`“${pair}” is no key=value`, grammar);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  const take = (key: string): string | undefined => {
    const value = values.get(key);
    values.delete(key);
    return value;
  };
  const takeWhole = (key: string): number | undefined => {
    const value = take(key);
    if (value === undefined) return undefined;
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw wrong(`${key}=${value} is no whole number`, grammar);
  };
  const takeSize = (key: string): number => {
    const value = take(key);
    const [, count, unit = ''] = /^(\d{1,12})(b|kb|mb)?$/i.exec(value ?? '') ?? [];
    if (count !== undefined) return Number(count) * (sizeUnits[unit.toLowerCase()] ?? 1);
    throw wrong(value === undefined ? `${key}= is missing` : `${key}=${value} is no size`, `For example ${key}=10kb.`);
  };
  return { keys: { take, takeWhole, takeSize, wrong }, untaken: values };
}
