import { formatPlural } from '../../text/quantity.ts';
import { type ErrorDetail, type ErrorId, ServiceError } from '../service/service-error.ts';

/** Maximum number of errors to list. A hostile body can have thousands. */
const maxDetails = 100;

/** Errors of a request, in parameter order. The first error determines the status. */
export class RequestErrors {
  #firstId: ErrorId | undefined;
  readonly #details: ErrorDetail[] = [];

  add(errorId: ErrorId, detail: ErrorDetail): void {
    this.#firstId ??= errorId;
    this.#details.push(detail);
  }

  addInvalid(detail: ErrorDetail): void {
    this.add('INVALID_PARAMETER', detail);
  }

  /** Throws one `ServiceError` that lists every error. */
  throwIfAny(): void {
    const [first] = this.#details;
    if (!first || !this.#firstId) return;

    const others = this.#details.length - 1;
    const more = others === 0 ? '' : ` See details for ${formatPlural(others, 'more error')}.`;
    const details = this.#details.slice(0, maxDetails);
    throw new ServiceError(this.#firstId, `${first.parameter}: ${first.problem}${more}`, {
      details,
    });
  }
}
