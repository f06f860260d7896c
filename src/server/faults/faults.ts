import { type EndpointName, endpoints } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { HeldReport, ReportEnd } from '../service/reports.ts';
import { seededRandom } from '../world/random.ts';
import { type FaultEffect, type FaultKind, probability, wholeNumber } from './fault-kind.ts';
import { findKind, kindLabels } from './kinds/index.ts';

/** The effect of one fault on a call or a report, under the name of its kind. */
export type NamedEffect = FaultEffect & { readonly type: string };

/** What a fault can strike. */
export const everyEndpoint = Object.keys(endpoints) as readonly EndpointName[];

/** The keys of every fault, beside `for`. */
const commonKeys = { times: wholeNumber, after: wholeNumber, p: probability };

const grammar = 'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

/**
 * Reads a fault as `--fault` and the admin call give it: `ENDPOINT:KIND[:key=value…]` (`cli.md`, `local-server`).
 * Throws `UsageError` that names the part that is wrong.
 */
export function parseFault(given: string) {
  const text = given.trim();
  const [endpoint = '', name = '', ...pairs] = text.split(':');
  const wrong = (problem: string, hint = grammar): UsageError =>
    new UsageError(`The fault “${text.slice(0, 120)}” is wrong: ${problem}.`, { code: 'BAD_FAULT', hint });

  const targets = everyEndpoint.filter((known) => endpoint === '*' || endpoint === known);
  if (targets.length === 0) throw wrong(`“${endpoint}” is no endpoint`, hintFor(endpoint, [...everyEndpoint, '*']));
  const [type, kind] = findKind(name);
  if (!kind) throw wrong(`“${name}” is no kind of fault`, hintFor(name, kindLabels));
  const reach = targets.filter((target) => !kind.reach || kind.reach.includes(target));
  if (reach.length === 0) throw wrong(`${type} cannot strike ${endpoint}`, `Write ${kind.reach?.[0]}:${type}.`);

  const keys: NonNullable<FaultKind['keys']> = { ...commonKeys, ...kind.keys };
  const values: Record<string, number> = {};
  let account: string | undefined;
  for (const pair of pairs) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === '') throw wrong(`“${pair}” is no key=value`);
    if (key === 'for') account = value;
    else if (!keys[key]) throw wrong(`“${key}” is no key of ${name}`, hintFor(key, ['for', ...Object.keys(keys)]));
    else {
      const read = keys[key].read(value);
      if (read === undefined) throw wrong(`${key}=${value} is no ${keys[key].what}`);
      values[key] = read;
    }
  }
  const { needs = '' } = kind;
  if (needs && values[needs] === undefined) {
    throw wrong(`${needs}= is missing`, `For example ${endpoint}:${name}:${needs}=${keys[needs]?.example}.`);
  }
  const { times = Number.POSITIVE_INFINITY, after = 0, p = 1 } = values;
  return { text, reach, account, times, after, p, effect: { type, ...kind.effect(values, name) } };
}

function hintFor(name: string, known: readonly string[]): string {
  const guess = name.length > 1 && nearest(name, known);
  return guess ? `Did you mean ${guess}?` : `Known: ${known.join(', ')}.`;
}

/** A fault in force: how many calls, or reports, it could have struck, how many it has, and of which that is decided. */
function activate(spec: ReturnType<typeof parseFault>) {
  return { spec, calls: 0, struck: 0, judged: new WeakSet<HeldReport>() };
}

export type Faults = ReturnType<typeof createFaults>;

/**
 * The faults in force, and which of them strikes what. Chance is seeded, so that a run can be repeated.
 *
 * @param initial in the form of `--fault`. Throws `UsageError`.
 */
export function createFaults(initial: readonly string[], seed: number) {
  const ofStart = initial.map(parseFault);
  let random = seededRandom(seed);
  let active = ofStart.map(activate);

  /** What strikes a call of an account, among the faults that may, in the order in which they were given. */
  function strike(
    endpoint: EndpointName,
    account: Account | undefined,
    may: (fault: ReturnType<typeof activate>) => boolean,
  ): readonly NamedEffect[] {
    const effects: NamedEffect[] = [];
    for (const fault of active) {
      const { reach, account: wanted, times, after, p, effect } = fault.spec;
      const isFor = wanted === undefined || [account?.name, account?.email].includes(wanted);
      if (!isFor || !reach.includes(endpoint) || !may(fault)) continue;
      fault.calls += 1;
      const isSettled = effects.some(({ settles, answer, end }) => settles || answer || end);
      if (isSettled || fault.calls <= after || fault.struck >= times || (p < 1 && random() >= p)) continue;
      fault.struck += 1;
      effects.push(effect);
    }
    return effects;
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

    /** The faults in force, in the order in which they were given, and how each has fared. */
    list: () => active.map(({ spec, calls, struck }) => ({ fault: spec.text, calls, struck })),

    /**
     * What strikes a call, in the order in which the faults were given. One that settles the call is the last: those
     * after it keep their `times`, so that `503:times=2` and then `429:times=1` make 503, 503, 429.
     */
    ofCall: (endpoint: EndpointName, account: Account | undefined): readonly NamedEffect[] =>
      strike(endpoint, account, ({ spec }) => spec.effect.end === undefined),

    /** How a report is to end; each fault decides once, when the report is first asked for. */
    endOf(report: HeldReport): ReportEnd | undefined {
      const [effect] = strike('status', report.account, ({ spec, judged }) => {
        const isNew = spec.effect.end !== undefined && !judged.has(report);
        if (isNew) judged.add(report);
        return isNew;
      });
      return effect?.end;
    },
  };
}
