import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { seededRandom } from '../world/random.ts';
import { type FaultSpec, parseFault } from './parse-fault.ts';

/** A fault in force. */
export interface ActiveFault extends FaultSpec {
  /** How many calls, or reports, it could have struck. */
  calls: number;
  /** How many it has struck. */
  strikes: number;
}

/** A fault in force as the admin call lists it. */
export interface ListedFault {
  readonly fault: string;
  readonly calls: number;
  readonly struck: number;
}

/** What a fault may strike: a call of an account, or the end of one of its reports. */
interface Target {
  readonly endpoint: EndpointName;
  readonly account: Account | undefined;
  readonly isReport: boolean;
}

/**
 * The faults in force, and which of them strikes what. Chance is seeded, so that a run can be repeated.
 */
export class Faults {
  readonly #initial: readonly FaultSpec[];
  readonly #seed: number;
  #random: () => number;
  #active: ActiveFault[];

  /**
   * Throws `UsageError` for a fault that is wrong.
   * @param initial the faults of the start, in the form of `--fault`
   */
  constructor(initial: readonly string[], seed: number) {
    this.#initial = initial.map(parseFault);
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#active = this.#initial.map(activate);
  }

  /** Puts more in force, after the others: all, or none where one is wrong. Throws `UsageError`. */
  add(...texts: readonly string[]): void {
    const specs = texts.map(parseFault);
    this.#active.push(...specs.map(activate));
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

  list(): ListedFault[] {
    return this.#active.map(({ text, calls, strikes }) => ({
      fault: text,
      calls,
      struck: strikes,
    }));
  }

  /** The faults that strike a call. */
  ofCall(endpoint: EndpointName, account: Account | undefined): ActiveFault[] {
    return this.#strike({ endpoint, account, isReport: false });
  }

  /** How a report ends that is done. */
  endOf(account: Account): ReportStatus {
    const [fault] = this.#strike({ endpoint: 'status', account, isReport: true });
    return fault?.effect.end ?? 'ready';
  }

  /**
   * What strikes, in the order in which the faults were given. One that answers is the last: those after it keep their
   * `times`, so that `503:times=2` and then `429:times=1` make 503, 503, 429.
   */
  #strike(target: Target): ActiveFault[] {
    const striking: ActiveFault[] = [];
    let isSettled = false;

    for (const fault of this.#active) {
      if (!canStrike(fault, target)) continue;

      fault.calls += 1;
      if (isSettled || !this.#isDue(fault)) continue;

      fault.strikes += 1;
      striking.push(fault);
      isSettled = fault.effect.answer !== undefined || fault.effect.end !== undefined;
    }

    return striking;
  }

  /** Whether a fault strikes now, by its `after`, its `times` and its chance. */
  #isDue({ calls, strikes, after, times, p }: ActiveFault): boolean {
    if (calls <= after || strikes >= times) return false;
    return p === 1 || this.#random() < p;
  }
}

function activate(spec: FaultSpec): ActiveFault {
  return { ...spec, calls: 0, strikes: 0 };
}

function canStrike(fault: FaultSpec, { endpoint, account, isReport }: Target): boolean {
  const endsReports = fault.effect.end !== undefined;
  if (endsReports !== isReport || !fault.reach.includes(endpoint)) return false;
  if (fault.account === undefined) return true;
  return fault.account === account?.name || fault.account === account?.email;
}
