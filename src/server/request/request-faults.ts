import { type ErrorId, type FaultDetail, ServiceError } from '../service/service-error.ts';

/** Enough for every honest mistake; a hostile body has thousands, and each would cost a sentence. */
const detailsAtMost = 100;

const gravity: readonly ErrorId[] = [
  'MISSING_PARAMETER',
  'INVALID_PARAMETER',
  'UNKNOWN_PARAMETER',
  'CONFLICTING_BREAKDOWNS',
  'PROFILE_MISMATCH',
  'ADMIN_ONLY',
];

/**
 * The faults of a request as they are found. The answer's `error_id` is that of the gravest: `ADMIN_ONLY` last, because
 * a request that is wrong in itself should be mended before one asks who may make it.
 */
export class RequestFaults {
  readonly #details: FaultDetail[] = [];
  readonly #firsts: { [Id in ErrorId]?: FaultDetail } = {};
  #count = 0;

  /** @param describe called only for a fault that is told */
  add(errorId: ErrorId, describe: () => FaultDetail): undefined {
    this.#count += 1;
    const isFirst = this.#firsts[errorId] === undefined;
    if (this.#count > detailsAtMost && !isFirst) return undefined;
    const detail = describe();
    if (isFirst) this.#firsts[errorId] = detail;
    if (this.#count <= detailsAtMost) this.#details.push(detail);
    return undefined;
  }

  /** Throws one error with every fault, if there is any: with the first of them, and how many more, where they are absurdly many. */
  throwIfAny(): void {
    const gravest = gravity.find((errorId) => this.#firsts[errorId] !== undefined);
    if (!gravest) return;
    const first = this.#firsts[gravest];
    const others = this.#count - 1;
    const more = others === 0 ? '' : ` ${others === 1 ? 'One more fault is' : `${others} more faults are`} in details.`;
    const untold = this.#count - this.#details.length;
    const rest = { parameter: '…', problem: `${untold} more are not listed: mend these first.` };
    throw new ServiceError(gravest, `${first?.parameter}: ${first?.problem}${more}`, {
      details: untold > 0 ? [...this.#details, rest] : this.#details,
    });
  }
}

/** The values that an array parameter has at most. */
export const valuesAtMost = 1_000;

export function tooMany(parameter: string): FaultDetail {
  const allowed = `at most ${valuesAtMost} values`;
  return { parameter, problem: `has more than ${valuesAtMost} values.`, allowed };
}

/** A value as it may be repeated in an answer: short, and text whatever it was. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
