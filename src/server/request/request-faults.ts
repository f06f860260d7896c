import { type ErrorId, type FaultDetail, ServiceError } from '../service/service-error.ts';

/** Enough for every honest mistake; a hostile body has thousands, and each would cost a sentence. */
const detailsAtMost = 100;

/** The gravest fault names the answer; `ADMIN_ONLY` is last: a request that is wrong in itself is mended before. */
const gravestFirst: readonly ErrorId[] = [
  'MISSING_PARAMETER',
  'INVALID_PARAMETER',
  'UNKNOWN_PARAMETER',
  'PROFILE_MISMATCH',
  'CONFLICTING_BREAKDOWNS',
  'ADMIN_ONLY',
];

interface RequestFault {
  readonly errorId: ErrorId;
  readonly detail: FaultDetail;
}

/** What is wrong with a request, parameter by parameter. */
export class RequestFaults {
  readonly #faults: RequestFault[] = [];

  add(errorId: ErrorId, { parameter, problem, value, allowed }: FaultDetail): void {
    // Answers have the members in this order.
    this.#faults.push({ errorId, detail: { parameter, problem, value, allowed } });
  }

  /** Whether something is wrong with a parameter. */
  isAbout(parameter: string): boolean {
    return this.#faults.some(({ detail }) => detail.parameter === parameter);
  }

  /** Throws one `ServiceError` that lists everything that is wrong. */
  throwIfAny(): void {
    const gravest = this.#gravest();
    if (!gravest) return;

    const { parameter, problem } = gravest.detail;
    const details = this.#faults.slice(0, detailsAtMost).map(({ detail }) => detail);
    throw new ServiceError(gravest.errorId, `${parameter}: ${problem}${this.#restInWords()}`, {
      details,
    });
  }

  #gravest(): RequestFault | undefined {
    for (const errorId of gravestFirst) {
      const fault = this.#faults.find((one) => one.errorId === errorId);
      if (fault) return fault;
    }
    return undefined;
  }

  /** How many faults there are beside the one that names the answer. */
  #restInWords(): string {
    const rest = this.#faults.length - 1;
    if (rest === 0) return '';
    if (rest === 1) return ' One more fault is in details.';
    return ` ${rest} more faults are in details.`;
  }
}
