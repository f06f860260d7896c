/** One parameter at fault, as section 6 of `decisions.md` lists it. */
export interface FaultDetail {
  readonly parameter: string;
  readonly value?: unknown;
  readonly problem: string;
  readonly allowed?: readonly string[] | string;
}

/** The refusals of the service by their HTTP status, the usual one of a status first, and the graver before. */
export const errorIds = {
  400: [
    ...([
      'SYSTEM',
      'INVALID_BODY',
      'MISSING_PARAMETER',
      'INVALID_PARAMETER',
      'UNKNOWN_PARAMETER',
    ] as const),
    ...(['PROFILE_MISMATCH', 'CONFLICTING_BREAKDOWNS'] as const),
  ],
  401: ['INVALID_TOKEN', 'MISSING_TOKEN', 'EXPIRED_TOKEN', 'INVALID_CREDENTIALS'],
  403: ['ADMIN_ONLY', 'FOREIGN_HOST', 'FOREIGN_ORIGIN'],
  404: ['NOT_FOUND', 'UNKNOWN_REPORT'],
  405: ['METHOD_NOT_ALLOWED'],
  406: ['NOT_ACCEPTABLE'],
  409: ['REPORT_NOT_READY', 'REPORT_FAILED'],
  410: ['REPORT_EXPIRED'],
  413: ['BODY_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  429: ['RATE_LIMITED'],
  500: ['INTERNAL'],
} as const;

export type ErrorId = (typeof errorIds)[keyof typeof errorIds][number];

/** A refusal of the service, with the status and the body that go with its `error_id` (`decisions.md` 6). */
export class ServiceError extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    error_id: ErrorId,
    error: string,
    more: {
      readonly details?: readonly FaultDetail[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(error);
    const found = Object.entries(errorIds).find(([, ids]) =>
      (ids as readonly string[]).includes(error_id),
    );
    this.status = Number(found?.[0]);
    this.body = { response: { error_id, error, details: more.details } };
    this.headers = more.headers ?? {};
  }
}

/** The refusal of a call that comes too early, by the header that says when to come back. */
export function refuseUntil(error_id: ErrorId, error: string, waitMs: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ServiceError(error_id, error, { headers: { 'retry-after': String(seconds) } });
}
