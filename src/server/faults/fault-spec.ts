import { type EndpointName, endpoints } from '../../contract/endpoints.ts';
import { nearest } from '../../text/nearest.ts';
import { FaultKeys, wrongFault } from './fault-keys.ts';
import type { FaultKind, Strike } from './fault-kind.ts';
import { faultKinds, findKind, kindNames, labelOf } from './kinds/index.ts';

/** A fault as `--fault` and the admin call give it (`cli.md`, `local-server`). */
export interface FaultSpec {
  readonly text: string;
  readonly endpoint: EndpointName | '*';
  /** What it does, under the name of its kind. */
  readonly kind: Strike;
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
  const [endpointText = '', name = '', ...pairs] = text.trim().split(':');
  const endpoint = readEndpoint(text, endpointText);
  const keys = new FaultKeys(text, pairs);
  const found = findKind(name);
  if (!found) throw unknownKind(keys, name);
  const [type, kind] = found;
  const { reach = everyEndpoint } = kind;
  const spec = {
    text: text.trim(),
    endpoint,
    kind: { type, ...kind.read(keys, name) },
    reach,
    times: keys.takeWhole('times'),
    after: keys.takeWhole('after') ?? 0,
    probability: takeProbability(keys),
    account: keys.take('for'),
  };
  if (keys.untaken !== undefined) throw unknownKey(keys, keys.untaken, { name, kind });
  if (endpoint !== '*' && !reach.includes(endpoint)) {
    throw keys.wrong(`${type} cannot strike ${endpoint}`, `Write ${reach[0]}:${type}.`);
  }
  return spec;
}

function readEndpoint(text: string, name: string): EndpointName | '*' {
  const known = [...everyEndpoint, '*'];
  if (known.includes(name)) return name as EndpointName | '*';
  const guess = nearest(name, everyEndpoint);
  throw wrongFault(text, `“${name}” is no endpoint`, guess ? `Did you mean ${guess}?` : `Known: ${known.join(', ')}.`);
}

function unknownKind(keys: FaultKeys, name: string): Error {
  const guess = nearest(name, kindNames);
  const labels = Object.entries(faultKinds).map(labelOf);
  return keys.wrong(`“${name}” is no kind of fault`, guess ? `Did you mean ${guess}?` : `Known: ${labels.join(', ')}.`);
}

function unknownKey(keys: FaultKeys, key: string, { name, kind }: { name: string; kind: FaultKind }): Error {
  const known = [...commonKeys, ...Object.keys(kind.keys ?? {})];
  const guess = nearest(key, known);
  const hint = guess ? `Did you mean ${guess}?` : `Known: ${known.join(', ')}.`;
  return keys.wrong(`“${key}” is no key of ${name}`, hint);
}

function takeProbability(keys: FaultKeys): number {
  const value = keys.take('p');
  if (value === undefined) return 1;
  const probability = Number(value);
  if (value !== '' && probability >= 0 && probability <= 1) return probability;
  throw keys.wrong(`p=${value} is no probability`, 'Give a number from 0 to 1, e.g. p=0.1.');
}
