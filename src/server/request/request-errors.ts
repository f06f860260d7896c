import { type ErrorDetail, type ErrorId, ServiceError } from '../service/service-error.ts';

/** Enough for real requests. A hostile body can have thousands of faults. */
const maxDetails = 100;

/**
 * The most serious error determines the answer. `ADMIN_ONLY` is last, because an invalid request
 * must be corrected first.
 */
const errorOrder: readonly ErrorId[] = [
  'MISSING_PARAMETER',
  'INVALID_PARAMETER',
  'UNKNOWN_PARAMETER',
  'PROFILE_MISMATCH',
  'CONFLICTING_BREAKDOWNS',
  'ADMIN_ONLY',
];

interface RequestError {
  readonly errorId: ErrorId;
  readonly detail: ErrorDetail;
}

/** The faults of a request, by parameter. */
export class RequestErrors {
  readonly #errors: RequestError[] = [];

  add(errorId: ErrorId, { parameter, problem, value, allowed }: ErrorDetail): void {
    // The order of the members in answers.
    this.#errors.push({ errorId, detail: { parameter, problem, value, allowed } });
  }

  /** True if a parameter has a fault. */
  has(parameter: string): boolean {
    return this.#errors.some(({ detail }) => detail.parameter === parameter);
  }

  /** Throws one `ServiceError` that lists every fault. */
  throwIfAny(): void {
    const first = this.#mostSerious();
    if (!first) return;

    const { parameter, problem } = first.detail;
    const details = this.#errors.slice(0, maxDetails).map(({ detail }) => detail);
    throw new ServiceError(first.errorId, `${parameter}: ${problem}${this.#othersInWords()}`, {
      details,
    });
  }

  #mostSerious(): RequestError | undefined {
    for (const errorId of errorOrder) {
      const error = this.#errors.find((one) => one.errorId === errorId);
      if (error) return error;
    }
    return undefined;
  }

  /** A sentence with the number of other errors. */
  #othersInWords(): string {
    const others = this.#errors.length - 1;
    if (others === 0) return '';
    if (others === 1) return ' See details for 1 more error.';
    return ` See details for ${others} more errors.`;
  }
}
