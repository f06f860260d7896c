import { formatPlural } from '../../text/quantity.ts';
import { type ErrorDetail, type ErrorId, ServiceError } from '../service/service-error.ts';

/** Real requests have fewer errors. A hostile body can have thousands. */
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
    const others = this.#errors.length - 1;
    const more = others === 0 ? '' : ` See details for ${formatPlural(others, 'more error')}.`;
    const details = this.#errors.slice(0, maxDetails).map(({ detail }) => detail);
    throw new ServiceError(first.errorId, `${parameter}: ${problem}${more}`, { details });
  }

  #mostSerious(): RequestError | undefined {
    return this.#errors.toSorted((a, b) => rankError(a) - rankError(b))[0];
  }
}

function rankError({ errorId }: RequestError): number {
  return errorOrder.indexOf(errorId);
}
