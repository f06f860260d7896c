import { parseDuration } from '../contract/duration.ts';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { nearest } from '../contract/nearest.ts';
import { UsageError } from '../errors.ts';

/** What a fault does to a call, or to a report. */
export type FaultKind =
  | { readonly type: 'status'; readonly status: number; readonly retryAfterSeconds: number | undefined }
  | { readonly type: 'reset' | 'garbage' | 'html' | 'unauthorized' | 'not-downloadable' }
  | { readonly type: 'truncate'; readonly bytes: number }
  | { readonly type: 'slow'; readonly bytesPerSecond: number }
  | { readonly type: 'delay'; readonly delayMs: number }
  | { readonly type: 'failed' | 'expired' | 'stuck' };

/** A fault as `--fault` and the admin call give it (`cli.md`, `local-server`). */
export interface FaultSpec {
  readonly text: string;
  readonly endpoint: EndpointName | '*';
  readonly kind: FaultKind;
  /** How often it strikes; always where absent. */
  readonly times: number | undefined;
  /** How many calls pass before it may strike. */
  readonly after: number;
  /** With what probability a call is struck, from 0 to 1. */
  readonly probability: number;
  /** The account it is for, by name or e-mail; every one where absent. */
  readonly account: string | undefined;
}

const simpleKinds = [
  'reset',
  'garbage',
  'html',
  'unauthorized',
  'not-downloadable',
  'failed',
  'expired',
  'stuck',
] as const;
export const kindNames = [...simpleKinds, 'truncate', 'slow', 'delay'];
/** Timers hold 2^31 - 1 milliseconds at most, and end at once beyond it. */
const delayMsAtMost = 2 ** 31 - 1;
const commonKeys = ['times', 'after', 'p', 'for'];
export const grammar =
  'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

/** Reads `ENDPOINT:KIND[:key=value…]`. Throws `UsageError` that names the part that is wrong. */
export function parseFault(text: string): FaultSpec {
  const [endpointText = '', kindText = '', ...pairs] = text.trim().split(':');
  const endpoint = readEndpoint(text, endpointText);
  const values = readPairs(text, pairs);
  const kind = readKind(text, kindText, values);
  const spec = {
    text: text.trim(),
    endpoint,
    kind,
    times: readWhole(text, 'times', values),
    after: readWhole(text, 'after', values) ?? 0,
    probability: readProbability(text, values),
    account: take(values, 'for'),
  };
  const [unknown] = values.keys();
  if (unknown !== undefined) {
    const keys = [...commonKeys, ...keysOf(kind)];
    const guess = nearest(unknown, keys);
    throw wrong(
      text,
      `“${unknown}” is no key of ${kindText}`,
      guess ? `Did you mean ${guess}?` : `Known: ${keys.join(', ')}.`,
    );
  }
  const reach = reachOf(kind);
  if (endpoint !== '*' && !reach.includes(endpoint)) {
    throw wrong(text, `${kind.type} cannot strike ${endpoint}`, `Write ${reach[0]}:${kind.type}.`);
  }
  return spec;
}

export const everyEndpoint = Object.keys(endpoints) as readonly EndpointName[];

/** The calls that a kind of fault can strike, the likeliest first. */
export function reachOf({ type }: FaultKind): readonly EndpointName[] {
  if (type === 'failed' || type === 'expired' || type === 'stuck') return ['status'];
  if (type === 'not-downloadable') return ['download'];
  // A sign-in carries no token that could die.
  if (type === 'unauthorized') return ['status', 'buyer', 'download', 'campaigns'];
  return everyEndpoint;
}

/** Whether a fault settles what becomes of a call; the others let the service answer, later, slower or in part. */
export function isFinal({ type }: FaultKind): boolean {
  return type !== 'delay' && type !== 'slow' && type !== 'truncate';
}

function keysOf({ type }: FaultKind): string[] {
  const own: { readonly [type: string]: string } = {
    status: 'retry-after',
    truncate: 'bytes',
    slow: 'rate',
    delay: 'ms',
  };
  return own[type] === undefined ? [] : [own[type]];
}

function readEndpoint(text: string, name: string): EndpointName | '*' {
  const known = [...everyEndpoint, '*'];
  if (known.includes(name)) return name as EndpointName | '*';
  const guess = nearest(name, everyEndpoint);
  throw wrong(text, `“${name}” is no endpoint`, guess ? `Did you mean ${guess}?` : `Known: ${known.join(', ')}.`);
}

function readPairs(text: string, pairs: readonly string[]): Map<string, string> {
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw wrong(text, `“${pair}” is no key=value`, grammar);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function readKind(text: string, name: string, values: Map<string, string>): FaultKind {
  const simple = simpleKinds.find((kind) => kind === name);
  if (simple) return { type: simple };
  if (/^[1-5]\d\d$/.test(name)) {
    if (Number(name) < 200) throw wrong(text, `${name} is no final HTTP status`, 'Give one from 200 to 599.');
    return { type: 'status', status: Number(name), retryAfterSeconds: readWhole(text, 'retry-after', values) };
  }
  if (name === 'truncate') return { type: 'truncate', bytes: readSize(text, 'bytes', values) };
  if (name === 'slow') return { type: 'slow', bytesPerSecond: Math.max(1, readSize(text, 'rate', values)) };
  if (name === 'delay') return { type: 'delay', delayMs: readDelay(text, values) };
  const guess = nearest(name, kindNames);
  const hint = guess ? `Did you mean ${guess}?` : `Known: an HTTP status, ${kindNames.join(', ')}.`;
  throw wrong(text, `“${name}” is no kind of fault`, hint);
}

function take(values: Map<string, string>, key: string): string | undefined {
  const value = values.get(key);
  values.delete(key);
  return value;
}

function readWhole(text: string, key: string, values: Map<string, string>): number | undefined {
  const value = take(values, key);
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw wrong(text, `${key}=${value} is no whole number`, grammar);
}

function readProbability(text: string, values: Map<string, string>): number {
  const value = take(values, 'p');
  if (value === undefined) return 1;
  const probability = Number(value);
  if (value !== '' && probability >= 0 && probability <= 1) return probability;
  throw wrong(text, `p=${value} is no probability`, 'Give a number from 0 to 1, e.g. p=0.1.');
}

const sizeUnits: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_000, mb: 1_000_000 };

function readSize(text: string, key: string, values: Map<string, string>): number {
  const value = take(values, key);
  const match = /^(\d{1,12})(b|kb|mb)?$/i.exec(value ?? '');
  if (match) return Number(match[1]) * (sizeUnits[(match[2] ?? '').toLowerCase()] ?? 1);
  throw wrong(
    text,
    value === undefined ? `${key}= is missing` : `${key}=${value} is no size`,
    `For example ${key}=10kb.`,
  );
}

function readDelay(text: string, values: Map<string, string>): number {
  const value = take(values, 'ms') ?? '';
  const delayMs = /^\d{1,9}$/.test(value) ? Number(value) : parseDuration(value);
  if (delayMs !== undefined && delayMs <= delayMsAtMost) return delayMs;
  const problem = value === '' ? 'ms= is missing' : `ms=${value} is no number of milliseconds up to 24 days`;
  throw wrong(text, problem, 'For example delay:ms=500.');
}

function wrong(text: string, problem: string, hint: string): UsageError {
  return new UsageError(`The fault “${text.slice(0, 120)}” is wrong: ${problem}.`, { code: 'BAD_FAULT', hint });
}
