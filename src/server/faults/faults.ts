import { type EndpointName, endpoints } from '../../contract/messages.ts';
import { nearest } from '../../text/nearest.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { HeldReport, ReportEnd } from '../service/reports.ts';
import { seededRandom } from '../world/random.ts';
import { FaultKeys, type NamedEffect } from './fault-kind.ts';
import { faultKinds, findKind, kindLabel, kindNames } from './kinds/index.ts';

/** A fault as `--fault` and the admin call give it (`cli.md`, `local-server`). */
interface FaultSpec {
  readonly text: string;
  readonly effect: NamedEffect;
  /** The calls that it can strike. */
  readonly reach: readonly EndpointName[];
  /** How often it strikes. */
  readonly times: number;
  /** How many calls pass before it may strike. */
  readonly after: number;
  /** With what probability a call is struck, from 0 to 1. */
  readonly probability: number;
  /** The account it is for, by name or e-mail; every one where absent. */
  readonly account: string | undefined;
}

/** What a fault can strike. */
export const everyEndpoint = Object.keys(endpoints) as readonly EndpointName[];

/** Reads `ENDPOINT:KIND[:key=value…]`. Throws `UsageError` that names the part that is wrong. */
export function parseFault(given: string): FaultSpec {
  const text = given.trim();
  const [endpoint = '', name = ''] = text.split(':');
  const keys = new FaultKeys(text);
  const targets = everyEndpoint.filter((known) => endpoint === '*' || endpoint === known);
  if (targets.length === 0) {
    throw keys.wrong(`“${endpoint}” is no endpoint`, hintFor(endpoint, everyEndpoint, [...everyEndpoint, '*']));
  }
  const found = findKind(name);
  if (!found) {
    const labels = Object.entries(faultKinds).map(kindLabel);
    throw keys.wrong(`“${name}” is no kind of fault`, hintFor(name, kindNames, labels));
  }
  const [type, kind] = found;
  const spec = {
    text,
    effect: { type, ...kind.read(keys, name) },
    reach: targets.filter((target) => !kind.reach || kind.reach.includes(target)),
    times: keys.takeWhole('times') ?? Number.POSITIVE_INFINITY,
    after: keys.takeWhole('after') ?? 0,
    probability: keys.take('p', 'probability from 0 to 1', readProbability) ?? 1,
    account: keys.take('for', 'account', (account) => account),
  };
  for (const unknown of keys.untaken()) {
    const known = ['times', 'after', 'p', 'for', ...Object.keys(kind.keys ?? {})];
    throw keys.wrong(`“${unknown}” is no key of ${name}`, hintFor(unknown, known));
  }
  if (spec.reach.length === 0)
    throw keys.wrong(`${type} cannot strike ${endpoint}`, `Write ${kind.reach?.[0]}:${type}.`);
  return spec;
}

function readProbability(text: string): number | undefined {
  const probability = Number.parseFloat(text);
  return probability >= 0 && probability <= 1 ? probability : undefined;
}

function hintFor(name: string, known: readonly string[], told = known): string {
  const guess = nearest(name, known);
  return guess ? `Did you mean ${guess}?` : `Known: ${told.join(', ')}.`;
}

interface ActiveFault {
  readonly spec: FaultSpec;
  /** How many calls, or reports, it could have struck. */
  calls: number;
  struck: number;
  /** Reports for which it has been decided whether they are struck. */
  readonly judged: WeakSet<HeldReport>;
}

/** The faults in force, and which of them strikes what. Chance is seeded, so that a run can be repeated. */
export class Faults {
  readonly #seed: number;
  readonly #initial: readonly string[];
  #random = () => 0;
  #active: ActiveFault[] = [];

  /** @param initial in the form of `--fault`. Throws `UsageError`. */
  constructor(initial: readonly string[], seed: number) {
    this.#seed = seed;
    this.#initial = initial;
    this.reset();
  }

  /** Puts more in force, after the others: all, or none where one is wrong. Throws `UsageError`. */
  add(...texts: readonly string[]): void {
    const specs = texts.map(parseFault);
    this.#active.push(...specs.map((spec) => ({ spec, calls: 0, struck: 0, judged: new WeakSet<HeldReport>() })));
  }

  /** Ends every fault, the ones of the start included, until `reset`. */
  clear(): void {
    this.#active = [];
  }

  /** Back to the faults of the start, none of which has struck, and to the start of chance. */
  reset(): void {
    this.#random = seededRandom(this.#seed);
    this.clear();
    this.add(...this.#initial);
  }

  /** The faults in force, in the order in which they were given, and how each has fared. */
  list(): { readonly fault: string; readonly calls: number; readonly struck: number }[] {
    return this.#active.map(({ spec, calls, struck }) => ({ fault: spec.text, calls, struck }));
  }

  /**
   * What strikes a call, in the order in which the faults were given. One that settles the call is the last: those
   * after it keep their `times`, so that `503:times=2` and then `429:times=1` make 503, 503, 429.
   */
  strike(endpoint: EndpointName, account: Account | undefined): readonly NamedEffect[] {
    const effects: NamedEffect[] = [];
    let isSettled = false;
    for (const fault of this.#active) {
      const { effect } = fault.spec;
      if (effect.end || !isFor(fault.spec, endpoint, account) || !this.#strikes(fault, isSettled)) continue;
      effects.push(effect);
      isSettled = effect.settles === true || effect.answer !== undefined;
    }
    return effects;
  }

  /** How a report is to end; each fault decides once, when the report is first asked for. */
  endOf(report: HeldReport): ReportEnd | undefined {
    let end: ReportEnd | undefined;
    for (const fault of this.#active) {
      const { effect } = fault.spec;
      if (!effect.end || !isFor(fault.spec, 'status', report.account) || fault.judged.has(report)) continue;
      fault.judged.add(report);
      if (this.#strikes(fault, end !== undefined)) end = effect.end;
    }
    return end;
  }

  /** Counts a call; whether the fault strikes it, unless an earlier one has settled it. */
  #strikes(fault: ActiveFault, isSettled: boolean): boolean {
    const { times, after, probability } = fault.spec;
    fault.calls += 1;
    if (isSettled || fault.calls <= after || fault.struck >= times) return false;
    if (probability < 1 && this.#random() >= probability) return false;
    fault.struck += 1;
    return true;
  }
}

function isFor({ reach, account: wanted }: FaultSpec, endpoint: EndpointName, account: Account | undefined): boolean {
  return reach.includes(endpoint) && (wanted === undefined || [account?.name, account?.email].includes(wanted));
}
