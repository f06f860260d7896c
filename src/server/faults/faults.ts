import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import type { FaultRequest } from '../public-types.ts';
import type { FaultEffect } from './fault-kind.ts';
import { describeThrown, FaultMistake } from './fault-mistake.ts';
import { type FaultSpec, parseFault } from './read-fault.ts';

interface ActiveFault extends FaultSpec {
  /** Number of calls or reports that the fault could have affected. */
  calls: number;

  /** Number of calls or reports that the fault has affected. */
  strikes: number;
}

/** A call, or the moment at which a report gets its final status. */
interface Target {
  readonly endpoint: EndpointName;
  readonly isReport: boolean;

  /** The request; `undefined` while reports are listed. */
  readonly request: FaultRequest | undefined;
}

/** Faults in the order in which they were set. */
export class Faults {
  readonly #initial: readonly FaultSpec[];
  #active: ActiveFault[] = [];
  #mistake: FaultMistake | undefined;

  /**
   * Throws `UsageError` for an invalid fault.
   *
   * @param initial faults in the form of `--fault`
   */
  constructor(initial: readonly string[]) {
    this.#initial = initial.map((text) => parseFault(text));
    this.reset();
  }

  add(spec: FaultSpec): void {
    this.#active.push({ ...spec, calls: 0, strikes: 0 });
  }

  /** Removes all faults. `reset` restores the initial ones. */
  clear(): void {
    this.#active = [];
  }

  /** Restores the initial faults, with their counts at 0. */
  reset(): void {
    this.clear();
    for (const spec of this.#initial) this.add(spec);
  }

  /** Lists the faults in the form of the admin call. */
  list(): { readonly fault: string }[] {
    return this.#active.map(({ text }) => ({ fault: text }));
  }

  /** Returns the effect of the fault that is due for a call, if any. */
  strikeCall(endpoint: EndpointName, request: FaultRequest): FaultEffect | undefined {
    return this.#strike({ endpoint, request, isReport: false });
  }

  /**
   * Returns the final status that a fault sets for a report, if any. Called when the report is
   * created (`buyer`) or done (`status`).
   */
  strikeReport(
    endpoint: 'buyer' | 'status',
    request: FaultRequest | undefined,
  ): ReportStatus | undefined {
    return this.#strike({ endpoint, request, isReport: true })?.end;
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

  /**
   * Applies the first fault that is due. Later faults keep their `times`. For example,
   * `503:times=2` followed by `429:times=1` gives 503, 503, 429.
   */
  #strike(target: Target): FaultEffect | undefined {
    let effect: FaultEffect | undefined;

    for (const fault of this.#active) {
      if (!appliesTo(fault, target)) continue;

      fault.calls += 1;
      const isDue = fault.calls > fault.after && fault.strikes < fault.times;
      if (effect || !isDue) continue;

      fault.strikes += 1;
      effect = fault.effect;
    }

    return effect;
  }
}

function appliesTo(fault: FaultSpec, { endpoint, isReport, request }: Target): boolean {
  const { effect, endpoints, when } = fault;
  if ((effect.end !== undefined) !== isReport || !endpoints.includes(endpoint)) return false;

  // A fault that applies to both calls takes effect when the report is created.
  if (isReport && endpoint === 'status' && endpoints.includes('buyer')) return false;

  if (when === undefined) return true;
  return request !== undefined && isSelected(request, when);
}

/** Asks the test's `when` if a fault applies. Throws `FaultMistake` if the function fails. */
function isSelected(request: FaultRequest, when: (request: FaultRequest) => unknown): boolean {
  let result: unknown;
  try {
    result = when(request);
  } catch (error) {
    throw new FaultMistake(`when: ${describeThrown(error)}`);
  }

  if (result instanceof Promise) {
    // Its rejection would end the process.
    result.catch(() => {});
    throw new FaultMistake('when returned a promise: return true or false');
  }
  return Boolean(result);
}
