import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { formatCount } from '../../text/quantity.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { seededRandom } from '../world/random.ts';
import { type FaultSpec, parseFault } from './parse-fault.ts';

/** Each call is held against every fault. */
const faultsAtMost = 1_000;

/** A fault in force. */
export interface ActiveFault extends FaultSpec {
  /** Digits, which no other fault has or had. */
  readonly id: string;

  /** How many calls, or reports, it could have struck. */
  calls: number;

  /** How many it has struck. */
  strikes: number;
}

/** A fault in force as the admin call lists it. */
export interface ListedFault {
  readonly id: string;
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
 * The faults in force, and which of them strikes what. Chance is seeded, so that a run can be
 * repeated.
 */
export class Faults {
  readonly #initial: readonly FaultSpec[];
  readonly #seed: number;
  #random: () => number;
  #count = 0;
  #active: ActiveFault[];

  /**
   * Throws `UsageError` for a fault that is wrong.
   * @param initial the faults of the start, in the form of `--fault`
   */
  constructor(initial: readonly string[], seed: number) {
    this.#initial = initial.map(parseFault);
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#active = this.#activate(this.#initial);
  }

  /** Puts more in force, after the others: all, or none where one is wrong. Throws `UsageError`. */
  add(...texts: readonly string[]): void {
    const count = this.#active.length + texts.length;
    if (count > faultsAtMost) {
      throw new UsageError(`${formatCount(count)} faults would be in force.`, {
        code: 'BAD_FAULT',
        hint: `At most ${formatCount(faultsAtMost)} can be; DELETE /__admin/faults ends them.`,
      });
    }

    const specs = texts.map(parseFault);
    this.#active.push(...this.#activate(specs));
  }

  /** Ends every fault, the ones of the start included, until `reset`. */
  clear(): void {
    this.#active = [];
  }

  /** Ends one fault. Throws `UsageError` where there is none of that id. */
  remove(id: string): void {
    const others = this.#active.filter((fault) => fault.id !== id);
    if (others.length === this.#active.length) {
      throw new UsageError(`There is no fault “${id.slice(0, 80)}”.`, { code: 'UNKNOWN_FAULT' });
    }
    this.#active = others;
  }

  /** Back to the faults of the start, none of which has struck, and to the start of chance. */
  reset(): void {
    this.#random = seededRandom(this.#seed);
    this.#active = this.#activate(this.#initial);
  }

  list(): ListedFault[] {
    return this.#active.map(({ id, text, calls, strikes }) => ({
      id,
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
   * What strikes, in the order in which the faults were given. One that answers is the last: those
   * after it keep their `times`, so that `503:times=2` and then `429:times=1` make 503, 503, 429.
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

  /** Faults that have not struck yet. */
  #activate(specs: readonly FaultSpec[]): ActiveFault[] {
    return specs.map((spec) => {
      this.#count += 1;
      return { ...spec, id: String(this.#count), calls: 0, strikes: 0 };
    });
  }

  /** Whether a fault strikes now, by its `after`, its `times` and its chance. */
  #isDue({ calls, strikes, after, times, p }: ActiveFault): boolean {
    if (calls <= after || strikes >= times) return false;
    return p === 1 || this.#random() < p;
  }
}

function canStrike(fault: FaultSpec, { endpoint, account, isReport }: Target): boolean {
  const endsReports = fault.effect.end !== undefined;
  if (endsReports !== isReport || !fault.reach.includes(endpoint)) return false;
  if (fault.account === undefined) return true;
  return fault.account === account?.name || fault.account === account?.email;
}
