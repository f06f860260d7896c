import { type EndpointName, endpoints, type ReportStatus } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { seededRandom } from '../world/random.ts';
import { type FaultEffect, type FaultKind, probability, wholeNumber } from './fault-kind.ts';
import { faultKinds, kindLabels } from './kinds.ts';

/** What a fault can strike. */
export const everyEndpoint = Object.keys(endpoints) as readonly EndpointName[];
const grammar =
  'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

/**
 * Reads a fault as `--fault` and the admin call give it: `ENDPOINT:KIND[:key=value…]` (`cli.md`, `local-server`).
 * Throws `UsageError` that names the part that is wrong.
 */
export function parseFault(given: string) {
  const text = given.trim();
  const [endpoint = '', name = '', ...pairs] = text.split(':');
  const wrong = (problem: string, hint = grammar): UsageError =>
    new UsageError(`The fault “${text.slice(0, 120)}” is wrong: ${problem}.`, {
      code: 'BAD_FAULT',
      hint,
    });

  const targets = everyEndpoint.filter((known) => endpoint === '*' || endpoint === known);
  if (targets.length === 0)
    throw wrong(`“${endpoint}” is no endpoint`, hintFor(endpoint, [...everyEndpoint, '*']));
  const type = /^[2-5]\d\d$/.test(name) ? 'status' : name;
  const kind = name !== 'status' && Object.hasOwn(faultKinds, type) ? faultKinds[type] : undefined;
  if (!kind) throw wrong(`“${name}” is no kind of fault`, hintFor(name, kindLabels));
  const reach = targets.filter((target) => !kind.reach || kind.reach.includes(target));
  if (reach.length === 0)
    throw wrong(`${type} cannot strike ${endpoint}`, `Write ${kind.reach?.[0]}:${type}.`);

  const keys: NonNullable<FaultKind['keys']> = {
    times: wholeNumber,
    after: wholeNumber,
    p: probability,
    ...kind.keys,
  };
  const values: Record<string, number> = {};
  let account: string | undefined;
  for (const pair of pairs) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === '') throw wrong(`“${pair}” is no key=value`);
    if (key === 'for') account = value;
    else if (!keys[key])
      throw wrong(`“${key}” is no key of ${name}`, hintFor(key, ['for', ...Object.keys(keys)]));
    else {
      values[key] = keys[key].read(value);
      if (Number.isNaN(values[key])) throw wrong(`${key}=${value} is no ${keys[key].what}`);
    }
  }
  const { needs = '' } = kind;
  if (needs && values[needs] === undefined) {
    throw wrong(
      `${needs}= is missing`,
      `For example ${endpoint}:${name}:${needs}=${keys[needs]?.example}.`,
    );
  }
  const { times = Number.POSITIVE_INFINITY, after = 0, p = 1 } = values;
  const effect: FaultEffect = kind.effect(values, name);
  return { text, type, reach, account, times, after, p, effect };
}

function hintFor(name: string, known: readonly string[]): string {
  const guess = name.length > 1 && nearest(name, known);
  return guess ? `Did you mean ${guess}?` : `Known: ${known.join(', ')}.`;
}

export type Faults = ReturnType<typeof createFaults>;

/**
 * The faults in force, those of the start in the form of `--fault`, and which of them strikes what. Chance is seeded, so
 * that a run can be repeated. Throws `UsageError`.
 */
export function createFaults(initial: readonly string[], seed: number) {
  const ofStart = initial.map(parseFault);
  /** A fault in force: how many calls, or reports, it could have struck, and how many it has. */
  const activate = (spec: ReturnType<typeof parseFault>) => ({ ...spec, calls: 0, struck: 0 });
  let random = seededRandom(seed);
  let active = ofStart.map(activate);

  /**
   * What strikes a call of an account, or one of its reports, in the order in which the faults were given. One that answers
   * is the last: those after it keep their `times`, so that `503:times=2` and then `429:times=1` make 503, 503, 429.
   */
  function strike(endpoint: EndpointName, account: Account | undefined, isReport: boolean) {
    const striking: typeof active = [];
    for (const fault of active) {
      const { reach, account: wanted, times, after, p, effect } = fault;
      const isFor = wanted === undefined || [account?.name, account?.email].includes(wanted);
      if (!isFor || !reach.includes(endpoint) || (effect.end !== undefined) !== isReport) continue;
      fault.calls += 1;
      const isSettled = striking.some((other) => other.effect.answer || other.effect.end);
      if (isSettled || fault.calls <= after || fault.struck >= times || (p < 1 && random() >= p))
        continue;
      fault.struck += 1;
      striking.push(fault);
    }
    return striking;
  }

  return {
    /** Puts more in force, after the others: all, or none where one is wrong. Throws `UsageError`. */
    add(...texts: readonly string[]): void {
      active.push(...texts.map(parseFault).map(activate));
    },
    /** Ends every fault, the ones of the start included, until `reset`. */
    clear(): void {
      active = [];
    },
    /** Back to the faults of the start, none of which has struck, and to the start of chance. */
    reset(): void {
      random = seededRandom(seed);
      active = ofStart.map(activate);
    },
    list: () => active.map(({ text, calls, struck }) => ({ fault: text, calls, struck })),
    ofCall: (endpoint: EndpointName, account: Account | undefined) =>
      strike(endpoint, account, false),
    /** How a report ends that is done. */
    endOf: (account: Account): ReportStatus =>
      strike('status', account, true)[0]?.effect.end ?? 'ready',
  };
}
