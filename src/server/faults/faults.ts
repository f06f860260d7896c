import type { EndpointName } from '../../contract/messages.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { HeldReport, ReportEnd } from '../service/reports.ts';
import { seededRandom } from '../world/random.ts';
import type { NamedEffect } from './fault-kind.ts';
import { type FaultSpec, parseFault } from './fault-spec.ts';

/** A fault in force, and how it has fared. */
export interface FaultCount {
  /** As it was given. */
  readonly fault: string;
  /** How many calls, or reports, it could have struck. */
  readonly calls: number;
  readonly struck: number;
}

interface ActiveFault {
  readonly spec: FaultSpec;
  calls: number;
  struck: number;
  /** Reports for which it has been decided whether they are struck. */
  readonly judged: WeakSet<HeldReport>;
}

/** The faults in force, and which of them strikes what. Chance is seeded, so that a run can be repeated. */
export class Faults {
  readonly #seed: number;
  readonly #initial: readonly FaultSpec[];
  #random: () => number;
  #active: ActiveFault[];

  /** @param specs in the form of `--fault`. Throws `UsageError`. */
  constructor(specs: readonly string[], seed: number) {
    this.#seed = seed;
    this.#initial = specs.map(parseFault);
    this.#random = seededRandom(seed);
    this.#active = this.#initial.map(activate);
  }

  /** Puts more in force, after the others: all, or none where one is wrong. Throws `UsageError`. */
  add(...specs: readonly string[]): void {
    this.#active.push(...specs.map(parseFault).map(activate));
  }

  /** Ends every fault, the ones of the start included, until `reset`. */
  clear(): void {
    this.#active = [];
  }

  /** Back to the faults of the start, none of which has struck, and to the start of chance. */
  reset(): void {
    this.#random = seededRandom(this.#seed);
    this.#active = this.#initial.map(activate);
  }

  /** The faults in force, in the order in which they were given. */
  list(): FaultCount[] {
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
      if (effect.end || !isFor(fault.spec, endpoint, account)) continue;
      if (!this.#strikes(fault, isSettled)) continue;
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
    if (isSettled || fault.calls <= after || (times !== undefined && fault.struck >= times)) return false;
    if (probability < 1 && this.#random() >= probability) return false;
    fault.struck += 1;
    return true;
  }
}

function activate(spec: FaultSpec): ActiveFault {
  return { spec, calls: 0, struck: 0, judged: new WeakSet() };
}

function isFor(spec: FaultSpec, endpoint: EndpointName, account: Account | undefined): boolean {
  if (spec.endpoint !== '*' && spec.endpoint !== endpoint) return false;
  if (!spec.reach.includes(endpoint)) return false;
  if (spec.account === undefined) return true;
  return account !== undefined && [account.name, account.email].includes(spec.account);
}
