import { type ErrorDetail, type ErrorId, ServiceError } from '../service/service-error.ts';

/** Enough for every honest error; a hostile body has thousands, and each would cost a sentence. */
const detailsAtMost = 100;

/**
 * The gravest error names the answer; `ADMIN_ONLY` is last: a request that is wrong in itself is
 * mended before.
 */
const gravestFirst: readonly ErrorId[] = [
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

/** What is wrong with a request, parameter by parameter. */
export class RequestErrors {
  readonly #errors: RequestError[] = [];

  add(errorId: ErrorId, { parameter, problem, value, allowed }: ErrorDetail): void {
    // Answers have the members in this order.
    this.#errors.push({ errorId, detail: { parameter, problem, value, allowed } });
  }

  /** Whether something is wrong with a parameter. */
  isAbout(parameter: string): boolean {
    return this.#errors.some(({ detail }) => detail.parameter === parameter);
  }

  /** Throws one `ServiceError` that lists everything that is wrong. */
  throwIfAny(): void {
    const gravest = this.#gravest();
    if (!gravest) return;

    const { parameter, problem } = gravest.detail;
    const details = this.#errors.slice(0, detailsAtMost).map(({ detail }) => detail);
    throw new ServiceError(gravest.errorId, `${parameter}: ${problem}${this.#restInWords()}`, {
      details,
    });
  }

  #gravest(): RequestError | undefined {
    for (const errorId of gravestFirst) {
      const error = this.#errors.find((one) => one.errorId === errorId);
      if (error) return error;
    }
    return undefined;
  }

  /** How many errors there are beside the one that names the answer. */
  #restInWords(): string {
    const rest = this.#errors.length - 1;
    if (rest === 0) return '';
    if (rest === 1) return ' One more fault is in details.';
    return ` ${rest} more faults are in details.`;
  }
}
