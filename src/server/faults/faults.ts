import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import type { FaultRequest } from '../public-types.ts';
import type { FaultEffect } from './fault-kind.ts';
import { describeThrown, InvalidFaultError } from './invalid-fault-error.ts';
import { type Fault, parseFault } from './read-fault.ts';

interface ActiveFault extends Fault {
  /** Number of calls or reports to which the fault has applied. */
  matchedCount: number;

  /** Number of calls or reports that the fault has changed. */
  appliedCount: number;
}

/** A call, or the moment when a report gets its final status. */
interface Target {
  readonly endpoint: EndpointName;
  readonly isReport: boolean;

  /** Not set when a report becomes ready while reports are listed. */
  readonly request: FaultRequest | undefined;
}

/** Faults in the order in which they were set. */
export class Faults {
  readonly #initial: readonly Fault[];
  #active: ActiveFault[] = [];
  #issue: InvalidFaultError | undefined;

  /**
   * Throws `UsageError` for an invalid fault.
   *
   * @param initial faults in the form of `--fault`
   */
  constructor(initial: readonly string[]) {
    this.#initial = initial.map((text) => parseFault(text));
    this.reset();
  }

  add(fault: Fault): void {
    this.#active.push({ ...fault, matchedCount: 0, appliedCount: 0 });
  }

  /** Removes all faults. `reset` restores the initial faults. */
  clear(): void {
    this.#active = [];
  }

  /** Restores the initial faults, with their counts at 0. */
  reset(): void {
    this.clear();
    for (const fault of this.#initial) this.add(fault);
  }

  /** Lists the faults in the form of the admin call. */
  list(): { readonly fault: string }[] {
    return this.#active.map(({ text }) => ({ fault: text }));
  }

  /** Returns the effect of the fault that is due for a call, if there is one. */
  applyToCall(endpoint: EndpointName, request: FaultRequest): FaultEffect | undefined {
    return this.#applyFirstDue({ endpoint, request, isReport: false });
  }

  /**
   * Returns the final status that a fault sets for a report, if any. Called when the report is
   * created (`buyer`) or done (`status`).
   */
  applyToReport(
    endpoint: 'buyer' | 'status',
    request: FaultRequest | undefined,
  ): ReportStatus | undefined {
    return this.#applyFirstDue({ endpoint, request, isReport: true })?.finalStatus;
  }

  /** Keeps the first issue of the test, even after `reset`. */
  keepIssue(issue: InvalidFaultError): void {
    this.#issue ??= issue;
  }

  /** Returns the first issue of the test, and forgets it. */
  takeIssue(): InvalidFaultError | undefined {
    const issue = this.#issue;
    this.#issue = undefined;
    return issue;
  }

  /**
   * Applies the first fault that is due. Later faults keep their `times`. For example,
   * `503:times=2` followed by `429:times=1` gives 503, 503, 429.
   */
  #applyFirstDue(target: Target): FaultEffect | undefined {
    let effect: FaultEffect | undefined;

    for (const fault of this.#active) {
      if (!appliesTo(fault, target)) continue;

      fault.matchedCount += 1;
      const isDue = fault.matchedCount > fault.after && fault.appliedCount < fault.times;
      if (effect || !isDue) continue;

      fault.appliedCount += 1;
      effect = fault.effect;
    }

    return effect;
  }
}

function appliesTo(fault: Fault, { endpoint, isReport, request }: Target): boolean {
  const { effect, endpoints, when } = fault;
  if ((effect.finalStatus !== undefined) !== isReport || !endpoints.includes(endpoint))
    return false;

  // A fault that applies to both calls takes effect when the report is created.
  if (isReport && endpoint === 'status' && endpoints.includes('buyer')) return false;

  if (when === undefined) return true;
  return request !== undefined && matchesWhen(request, when);
}

/** Calls the test's `when`. Throws `InvalidFaultError` if the function fails. */
function matchesWhen(request: FaultRequest, when: (request: FaultRequest) => unknown): boolean {
  let result: unknown;
  try {
    result = when(request);
  } catch (error) {
    throw new InvalidFaultError(`when: ${describeThrown(error)}`);
  }

  if (result instanceof Promise) {
    // An unhandled rejection would end the process.
    result.catch(() => {});
    throw new InvalidFaultError('when returned a promise: return true or false');
  }
  return Boolean(result);
}
