import { type ErrorDetail, type ErrorId, ServiceError } from '../service/service-error.ts';

/** Enough for real requests. A hostile body can have thousands of errors. */
const maxDetails = 100;

/**
 * The most serious error determines the response. `ADMIN_ONLY` is last, because an invalid request
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

export class RequestErrors {
  readonly #errors: RequestError[] = [];

  add(errorId: ErrorId, { parameter, problem, value, allowed }: ErrorDetail): void {
    // The order of the members in responses.
    this.#errors.push({ errorId, detail: { parameter, problem, value, allowed } });
  }

  has(parameter: string): boolean {
    return this.#errors.some(({ detail }) => detail.parameter === parameter);
  }

  /** Throws one `ServiceError` that lists every error. */
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

  /** Returns a sentence, or nothing if there is only one error. */
  #othersInWords(): string {
    const others = this.#errors.length - 1;
    if (others === 0) return '';
    if (others === 1) return ' See details for 1 more error.';
    return ` See details for ${others} more errors.`;
  }
}
