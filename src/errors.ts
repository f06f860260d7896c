/** Subject of an error, as users know it. Callers may add its position. */
export interface ErrorSubject {
  /** Long name of a flag: `--metrics`. */
  readonly flag?: string;
  readonly key?: string;
  readonly member?: string;
  readonly file?: string;
  readonly value?: string;
}

export interface ErrorDetails {
  readonly about?: ErrorSubject | undefined;

  /** Stable code for programs: the service's `error_id` if it sent one, or adreport's own code. */
  readonly code?: string;

  /** Sentence that says what to do next. */
  readonly hint?: string | undefined;

  /** Whether the same command may succeed when it is run again. */
  readonly retryable?: boolean;
  readonly reportId?: string | undefined;

  /** Status of the service's error response. */
  readonly httpStatus?: number | undefined;

  /** Converted from the service's `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Rows of the table in `cli.md`, Checks. */
export type MessageKind =
  | 'window'
  | 'zone'
  | 'columns'
  | 'values'
  | 'rows'
  | 'total'
  | 'filters'
  | 'outside the rows';

/** A warning or a note. */
export interface CheckMessage {
  readonly kind: MessageKind;

  /** Column, unless the message is about the whole report. */
  readonly about?: string;

  readonly message: string;

  /** Replaces the message on pages, spreadsheets and PDFs. Mentions no flags or commands. */
  readonly forReaders?: string;
}

/** Warnings and notes on a report (`cli.md`, Checks). */
export interface CheckResult {
  /** Evidence that the report does not match the request. With `--strict`, these are errors. */
  readonly warnings: readonly CheckMessage[];

  /** Observations that may be harmless. */
  readonly notes: readonly CheckMessage[];
}

/**
 * Base of all errors for users. Any other error that reaches `main` is a bug.
 */
export abstract class AdreportError extends Error {
  /** See `cli.md`, Streams and errors. */
  abstract readonly exitCode: number;
  readonly code: string;
  readonly hint?: string;
  readonly retryable: boolean;
  readonly reportId?: string;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
  readonly about?: ErrorSubject;

  constructor(message: string, { cause, code = '', retryable = false, ...facts }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = retryable;
    Object.assign(this, facts);
  }
}

/** Constructor without the static members of `Error`, whose types would require those of Node. */
type ErrorClass = new (
  message: string,
  details?: ErrorDetails,
) => AdreportError & { readonly exitCode: number };

/**
 * Creates a base class.
 * @param code used if an error has no code of its own
 */
function errorClass(
  exitCode: number,
  code: string,
  defaults: Pick<ErrorDetails, 'retryable'> = {},
): ErrorClass {
  return class extends AdreportError {
    readonly exitCode = exitCode;
    constructor(message: string, details?: ErrorDetails) {
      super(message, { ...defaults, ...details, code: details?.code ?? code });
    }
  };
}

/** Flags, period or settings are wrong. */
export class UsageError extends errorClass(2, 'USAGE') {}

/** Not signed in, or the service refused the token or the credentials. */
export class SignInError extends errorClass(3, 'NOT_SIGNED_IN') {}

/** The service refused a call (403), although the token may be valid. */
export class ForbiddenError extends errorClass(3, 'FORBIDDEN') {}

/** The service understood the request and rejected it. */
export class RejectedError extends errorClass(4, 'REJECTED') {}

/** The service could not be reached, or sent 429 or 5xx after all retries. */
export class UnreachableError extends errorClass(5, 'UNREACHABLE', { retryable: true }) {}

/** A call failed before it left this machine, so it had no effect. */
export class UnsentError extends UnreachableError {}

/** A create call failed, but the service may have created a report. */
export class UncertainCreateError extends AdreportError {
  readonly exitCode: number;

  constructor(cause: AdreportError, hint: string) {
    const message = `${cause.message} A report may have been created anyway.`;
    super(message, { code: 'CREATE_UNCERTAIN', hint, cause });
    this.exitCode = cause.exitCode;
  }
}

/** The report failed or expired. */
export class ReportFailedError extends errorClass(6, 'REPORT_FAILED') {}

/** The report is not ready yet. */
export class StillInProgressError extends errorClass(7, 'STILL_IN_PROGRESS', { retryable: true }) {}

/** The output could not be written. */
export class OutputError extends errorClass(8, 'OUTPUT') {}

/** The data is incomplete or wrong. If `retryable`, another download may be complete. */
export class IncompleteDataError extends errorClass(9, 'INCOMPLETE_DATA') {}

/** The report was read and is refused. Another download would have the same rows. */
export class RefusedReportError extends errorClass(9, 'INCOMPLETE_REPORT') {}

/** Members of an error that its caller replaces, such as the command to run next. */
interface ErrorContext {
  readonly message?: string;
  readonly hint?: string | undefined;
  readonly reportId?: string | undefined;
}

export class ErrorInContext extends AdreportError {
  readonly exitCode: number;

  constructor(cause: AdreportError, context: ErrorContext) {
    const { code, retryable, httpStatus } = cause;
    const { message = cause.message, hint = cause.hint, reportId = cause.reportId } = context;
    super(message, { code, retryable, httpStatus, hint, reportId, cause });
    this.name = cause.name;
    this.exitCode = cause.exitCode;
  }
}

/** Joins warnings to the message of an error, for `--strict`. */
export function joinWarnings(warnings: readonly CheckMessage[]): string {
  return warnings.map(({ message }) => message).join(' ');
}

/** Ctrl-C (exit code 130) or SIGTERM (143). */
export class InterruptedError extends AdreportError {
  readonly exitCode: 130 | 143;
  constructor(exitCode: 130 | 143) {
    super(exitCode === 130 ? 'Interrupted.' : 'Terminated.', {
      code: 'INTERRUPTED',
      retryable: true,
    });
    this.exitCode = exitCode;
  }
}

/** The reader of stdout has gone, as with `| head`. The exit code is that of success. */
export class ClosedPipeError extends errorClass(0, 'CLOSED_PIPE') {
  constructor() {
    super('The output pipe was closed.');
  }
}

function hasExitCode(error: unknown, ...codes: readonly number[]): error is AdreportError {
  return error instanceof AdreportError && codes.includes(error.exitCode);
}

/** Whether the report failed, expired, was refused or cannot be read. No run resumes it. */
export function endsReport(error: AdreportError): boolean {
  return hasExitCode(error, 4, 6, 9) && !error.retryable;
}

/** Whether a download was cut or stalled. Another download may be complete. */
export function isTruncated(error: unknown): error is AdreportError {
  return hasExitCode(error, 5, 9) && error.retryable;
}

/** Includes 429 and 5xx after the retries. */
export function isUnreachable(error: unknown): error is AdreportError {
  return hasExitCode(error, 5);
}

/** The service may not know a new report yet. */
export function isUnknownReport(error: unknown): boolean {
  return hasExitCode(error, 4) && error.httpStatus === 404;
}

/** Whether the report failed or expired. */
export function isReportFailure(error: unknown): error is AdreportError {
  return hasExitCode(error, 6);
}

/** Whether shorter reports may succeed. A request body that is too large does not count. */
export function isTooLarge(error: unknown): error is AdreportError {
  if (!(error instanceof AdreportError) || error.httpStatus !== 413) return false;
  return error.code !== 'BODY_TOO_LARGE';
}

export function isStillInProgress(error: unknown): error is AdreportError {
  return hasExitCode(error, 7);
}

export function isInterruption(error: unknown): error is AdreportError {
  return hasExitCode(error, 130, 143);
}

/** Also true if the service refused the token, the credentials or the call. */
export function isNotSignedIn(error: unknown): error is AdreportError {
  return hasExitCode(error, 3);
}

/** Whether the account may not make a call, such as listing campaigns. */
export function isForbidden(error: unknown): error is AdreportError {
  const isForAdmins = hasExitCode(error, 4) && error.code === 'ADMIN_ONLY';
  return isForAdmins || error instanceof ForbiddenError;
}

export function isClosedPipe(error: unknown): boolean {
  return hasExitCode(error, 0);
}

/** Returns the code of an error of the system or Node, such as `ENOENT`, if it has one. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
