/** One invalid parameter (`decisions.md` 6). */
export interface ErrorDetail {
  readonly parameter: string;
  readonly value?: unknown;
  readonly problem: string;
  readonly allowed?: readonly string[] | string;
}

/** Error IDs with their statuses. The first ID of a status is the usual ID. */
export const errorStatuses = {
  SYSTEM: 400,
  INVALID_BODY: 400,
  MISSING_PARAMETER: 400,
  INVALID_PARAMETER: 400,
  UNKNOWN_PARAMETER: 400,
  PROFILE_MISMATCH: 400,
  CONFLICTING_BREAKDOWNS: 400,
  INVALID_TOKEN: 401,
  MISSING_TOKEN: 401,
  EXPIRED_TOKEN: 401,
  INVALID_CREDENTIALS: 401,
  ADMIN_ONLY: 403,
  FOREIGN_HOST: 403,
  FOREIGN_ORIGIN: 403,
  NOT_FOUND: 404,
  UNKNOWN_REPORT: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REPORT_NOT_READY: 409,
  REPORT_FAILED: 409,
  REPORT_EXPIRED: 410,
  BODY_TOO_LARGE: 413,
  REPORT_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  FAULT_MISTAKE: 500,
} as const;

export type ErrorId = keyof typeof errorStatuses;

/** Error IDs, ordered by status. */
export const errorIds = Object.keys(errorStatuses) as readonly ErrorId[];

/** An error response of the service, with the status and body of its ID (`decisions.md` 6). */
export class ServiceError extends Error {
  readonly errorId: ErrorId;
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    errorId: ErrorId,
    message: string,
    options: { details?: readonly ErrorDetail[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.errorId = errorId;
    this.status = errorStatuses[errorId];
    this.body = {
      response: { error_id: errorId, error: message, details: options.details },
    };
    this.headers = options.headers ?? {};
  }
}

/** Builds the error for a call that is too early, with a `Retry-After` header. */
export function retryLaterError(errorId: ErrorId, message: string, waitMs: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ServiceError(errorId, message, { headers: { 'retry-after': String(seconds) } });
}
