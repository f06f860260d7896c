/** One parameter at fault, as section 6 of `decisions.md` lists it. */
export interface FaultDetail {
  readonly parameter: string;
  readonly value?: unknown;
  readonly problem: string;
  readonly allowed?: readonly string[] | string;
}

export const errorStatuses = {
  SYSTEM: 400,
  INVALID_BODY: 400,
  MISSING_PARAMETER: 400,
  INVALID_PARAMETER: 400,
  UNKNOWN_PARAMETER: 400,
  CONFLICTING_BREAKDOWNS: 400,
  PROFILE_MISMATCH: 400,
  MISSING_TOKEN: 401,
  INVALID_TOKEN: 401,
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
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
} as const;

export type ErrorId = keyof typeof errorStatuses;

/** A refusal of the service, with the status and the body that go with its `error_id` (`decisions.md` 6). */
export class ServiceError extends Error {
  readonly errorId: ErrorId;
  readonly status: number;
  readonly details: readonly FaultDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    errorId: ErrorId,
    message: string,
    more: { readonly details?: readonly FaultDetail[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.name = 'ServiceError';
    this.errorId = errorId;
    this.status = errorStatuses[errorId];
    this.details = more.details ?? [];
    this.headers = more.headers ?? {};
  }

  /** The body of the answer. */
  toBody(): object {
    const { errorId: error_id, message: error, details } = this;
    return { response: details.length > 0 ? { error_id, error, details } : { error_id, error } };
  }
}
