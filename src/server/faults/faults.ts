import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { didYouMean, nearest } from '../../text/nearest.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { FaultRequest } from '../public-types.ts';
import { usageError } from '../usage-error.ts';
import { seededRandom } from '../world/random.ts';
import { describeThrown, FaultMistake } from './fault-mistake.ts';
import { type FaultSpec, parseFault } from './parse-fault.ts';

export interface ActiveFault extends FaultSpec {
  /** Digits, never reused. */
  readonly id: string;

  /** Calls or reports that it could have struck. */
  calls: number;

  /** Calls or reports that it has struck. */
  strikes: number;
}

/** In the form of the admin call. */
export interface ListedFault {
  readonly id: string;
  readonly fault: string;
  readonly calls: number;
  readonly struck: number;
}

/** A call of an account, or the final status of its report. */
interface Target {
  readonly endpoint: EndpointName;
  readonly account: Account | undefined;
  readonly isReport: boolean;

  /** `undefined` if the page or an admin call lists reports. */
  readonly request: FaultRequest | undefined;
}

/** Random choices are seeded, so that a run can be repeated. */
export class Faults {
  readonly #initial: readonly FaultSpec[];
  readonly #seed: number;
  readonly #accounts: readonly Account[];
  #random: () => number;
  #count = 0;
  #active: ActiveFault[];
  #mistake: FaultMistake | undefined;

  /**
   * Throws `UsageError` for an invalid fault.
   * @param initial in the form of `--fault`
   */
  constructor(initial: readonly string[], seed: number, accounts: readonly Account[]) {
    this.#initial = initial.map((text) => parseFault(text));
    this.#seed = seed;
    this.#accounts = accounts;
    this.#expectKnownAccounts(this.#initial);
    this.#random = seededRandom(seed);
    this.#active = this.#activate(this.#initial);
  }

  /** Adds all of the faults after the others, or throws `UsageError` and adds none. */
  add(...specs: readonly FaultSpec[]): void {
    this.#expectKnownAccounts(specs);
    this.#active.push(...this.#activate(specs));
  }

  /** Also removes the initial faults, which `reset` restores. */
  clear(): void {
    this.#active = [];
  }

  /** Throws `UsageError` for an unknown id. */
  remove(id: string): void {
    const others = this.#active.filter((fault) => fault.id !== id);
    if (others.length === this.#active.length) {
      throw new UsageError(`Unknown fault “${id.slice(0, 80)}”.`, { code: 'UNKNOWN_FAULT' });
    }
    this.#active = others;
  }

  /** Restores the initial faults, with their counts at 0, and the seed. */
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

  /** Returns the fault that strikes a call, if any, and counts the strike. */
  forCall(
    endpoint: EndpointName,
    account: Account | undefined,
    request: FaultRequest,
  ): ActiveFault | undefined {
    return this.#strike({ endpoint, account, request, isReport: false });
  }

  /** Returns the final status that a fault sets when a report is created, if any. */
  endAtCreate(account: Account, request: FaultRequest): ReportStatus | undefined {
    const fault = this.#strike({ endpoint: 'buyer', account, request, isReport: true });
    return fault?.effect.end;
  }

  /** Returns `ready`, unless a fault strikes. */
  endOf(account: Account, request: FaultRequest | undefined): ReportStatus {
    const fault = this.#strike({ endpoint: 'status', account, request, isReport: true });
    return fault?.effect.end ?? 'ready';
  }

  /** Keeps only the first mistake of the test. `reset` does not clear it. */
  keepMistake(mistake: FaultMistake): void {
    this.#mistake ??= mistake;
  }

  /** Returns the first mistake of the test, once. */
  takeMistake(): FaultMistake | undefined {
    const mistake = this.#mistake;
    this.#mistake = undefined;
    return mistake;
  }

  /** Takes back a strike that had no effect. */
  withdraw(fault: ActiveFault): void {
    fault.strikes -= 1;
  }

  /**
   * Strikes with the first fault that is due. Later ones keep their `times`, so that `503:times=2`
   * followed by `429:times=1` gives 503, 503, 429.
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

  #expectKnownAccounts(specs: readonly FaultSpec[]): void {
    for (const { account, text } of specs) {
      if (account === undefined || this.#accounts.some((one) => isAccount(one, account))) continue;

      const names = this.#accounts.map(({ name }) => name);
      const advice = didYouMean(nearest(account, names), `Choose from ${names.join(', ')}.`);
      const sentence = `Invalid fault “${text}”: unknown account “${account}”.`;
      throw usageError(sentence, advice, { code: 'BAD_FAULT' });
    }
  }

  #activate(specs: readonly FaultSpec[]): ActiveFault[] {
    return specs.map((spec) => {
      this.#count += 1;
      return { ...spec, id: String(this.#count), calls: 0, strikes: 0 };
    });
  }

  /** Decides by `after`, `times` and `p`. */
  #isDue({ calls, strikes, after, times, p }: ActiveFault): boolean {
    if (calls <= after || strikes >= times) return false;
    return p === 1 || this.#random() < p;
  }
}

function canStrike(fault: FaultSpec, target: Target): boolean {
  const { endpoint, account, isReport, request } = target;
  const { effect, endpoints, when } = fault;
  if ((effect.end !== undefined) !== isReport || !endpoints.includes(endpoint)) return false;

  // A fault at both calls strikes when the report is created.
  if (isReport && endpoint === 'status' && endpoints.includes('buyer')) return false;

  const isForAccount =
    fault.account === undefined || (account !== undefined && isAccount(account, fault.account));
  return (
    isForAccount && (when === undefined || (request !== undefined && isSelected(request, when)))
  );
}

/** Matches a name or an e-mail address. */
function isAccount({ name, email }: Account, text: string): boolean {
  return text === name || text === email;
}

/** Calls the test's `when`. Throws `FaultMistake` if the function fails. */
function isSelected(request: FaultRequest, when: (request: FaultRequest) => unknown): boolean {
  let answer: unknown;
  try {
    answer = when(request);
  } catch (error) {
    throw new FaultMistake(`when threw ${describeThrown(error)}`);
  }

  if (answer instanceof Promise) {
    // Its rejection would end the process.
    answer.catch(() => {});
    throw new FaultMistake('when returned a promise: return true or false');
  }
  return Boolean(answer);
}
