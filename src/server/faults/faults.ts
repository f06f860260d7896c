import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { formatCount } from '../../text/quantity.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { FaultRequest } from '../local-server.ts';
import { seededRandom } from '../world/random.ts';
import { failedFault } from './change-answer.ts';
import { type FaultSpec, parseFault } from './parse-fault.ts';

/** Each call is compared with every fault. */
const faultsAtMost = 1_000;

/** The bodies that faults keep to send, together. */
const heldBytesAtMost = 64 * 1024 * 1024;

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

  /** The call that asks; absent where a page or an admin call lists reports. */
  readonly request: FaultRequest | undefined;
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
    this.#initial = initial.map((text) => parseFault(text));
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#active = this.#activate(this.#initial);
  }

  /** Puts more in force, after the others. Throws `UsageError`, and then adds none. */
  add(...specs: readonly FaultSpec[]): void {
    const count = this.#active.length + specs.length;
    if (count > faultsAtMost) {
      throw new UsageError(`${formatCount(count)} faults would be in force.`, {
        code: 'BAD_FAULT',
        hint: `At most ${formatCount(faultsAtMost)} can be; DELETE /__admin/faults ends them.`,
      });
    }

    let heldBytes = 0;
    for (const { effect } of [...this.#active, ...specs]) heldBytes += effect.heldBytes ?? 0;
    if (heldBytes > heldBytesAtMost) {
      throw new UsageError('The bodies of the faults in force would have more than 64 MiB.', {
        code: 'BAD_FAULT',
        hint: 'DELETE /__admin/faults ends the faults in force.',
      });
    }

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

  /** The fault that strikes a call, if any. */
  ofCall(
    endpoint: EndpointName,
    account: Account | undefined,
    request: FaultRequest,
  ): ActiveFault | undefined {
    return this.#strike({ endpoint, account, request, isReport: false });
  }

  /** How a report is to end, where that is settled when it is created. */
  endAtCreate(account: Account, request: FaultRequest): ReportStatus | undefined {
    const fault = this.#strike({ endpoint: 'buyer', account, request, isReport: true });
    return fault?.effect.end;
  }

  /** How a report ends that is done. */
  endOf(account: Account, request: FaultRequest | undefined): ReportStatus {
    const fault = this.#strike({ endpoint: 'status', account, request, isReport: true });
    return fault?.effect.end ?? 'ready';
  }

  /** Takes a strike back that came to nothing. */
  withdraw(fault: ActiveFault): void {
    fault.strikes -= 1;
  }

  /**
   * The first fault that is due, in the order in which they were given: those after it keep their
   * `times`, so that `503:times=2` and then `429:times=1` make 503, 503, 429.
   */
  #strike(target: Target): ActiveFault | undefined {
    let striking: ActiveFault | undefined;

    for (const fault of this.#active) {
      if (!canStrike(fault, target)) continue;

      fault.calls += 1;
      if (striking || !this.#isDue(fault)) continue;

      fault.strikes += 1;
      striking = fault;
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

function canStrike(fault: FaultSpec, target: Target): boolean {
  const { endpoint, account, isReport, request } = target;
  const { effect, reach, when } = fault;
  if ((effect.end !== undefined) !== isReport || !reach.includes(endpoint)) return false;

  // What reaches both ends of a report is settled when the report is created.
  if (isReport && endpoint === 'status' && reach.includes('buyer')) return false;

  const isSelected = [undefined, account?.name, account?.email].includes(fault.account);
  return isSelected && (when === undefined || (request !== undefined && fits(request, when)));
}

/** Whether a test's own function selects a call. Throws `ServiceError` if that fails. */
function fits(request: FaultRequest, when: (request: FaultRequest) => unknown): boolean {
  let answer: unknown;
  try {
    answer = when(request);
  } catch (error) {
    throw failedFault(`when threw: ${error}`);
  }

  if (answer instanceof Promise) throw failedFault('when returned a promise: return true or false');
  return Boolean(answer);
}
