/** Names the subject of an error as users know it. Callers may add its location. */
export interface ErrorSubject {
  /** Long name: `--metrics`. */
  readonly flag?: string;
  readonly key?: string;
  readonly member?: string;
  readonly file?: string;
  readonly value?: string;
}

export interface ErrorDetails {
  readonly about?: ErrorSubject;

  /** Individual errors, if several things are wrong. */
  readonly mistakes?: readonly AdreportError[];

  /** Stable and machine-readable, such as `UNKNOWN_REPORT`; the service's `error_id` if any. */
  readonly code?: string;

  /** Next step, in one sentence. */
  readonly hint?: string;

  /** The same command may succeed when run again. */
  readonly retryable?: boolean;

  /** No run picks the report up again: it failed, is gone, or was read and refused. */
  readonly isUsedUp?: boolean;

  /**
   * The service refuses this report, or its response is unreadable. A run that picked the report up
   * requests it again; a report of this run is kept.
   */
  readonly concernsReport?: boolean;

  /** The report broke off while it was read: another download may be whole. */
  readonly isCut?: boolean;

  readonly reportId?: string;

  /** Status of the service's error response. */
  readonly httpStatus?: number;

  /** `Retry-After` of the service. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Mostly the lines of the table in `cli.md`. */
export type MessageKind =
  | 'window'
  | 'zone'
  | 'columns'
  | 'values'
  | 'rows'
  | 'total'
  | 'filters'
  | 'outside the rows'
  | 'clock';

/** A warning or a note. */
export interface CheckMessage {
  readonly kind: MessageKind;

  /** Column or member; absent for the whole report. */
  readonly about?: string;

  /** A sentence. */
  readonly message: string;

  /** A note about the run that is printed as a warning, even with `-q`. */
  readonly isUrgent?: boolean;

  /** Text for stderr without `-v`, if different; empty for no text. */
  readonly brief?: string;

  /** Text for pages, spreadsheets and PDFs, if different: without flags and commands. */
  readonly forReaders?: string;
}

/** Warnings and notes on a report (`cli.md`, Never silently wrong). */
export interface CheckResult {
  /** Proofs that the report is not what was requested; errors with `--strict`. */
  readonly warnings: readonly CheckMessage[];

  /** Possibly fine. */
  readonly notes: readonly CheckMessage[];
}

/** For stderr without `-v`. */
export function briefNotesOf({ notes }: Pick<CheckResult, 'notes'>): string[] {
  return notes.map(({ message, brief = message }) => brief).filter((text) => text !== '');
}

/** Base of all errors meant for users. Any other error that reaches `main` is a bug. */
export abstract class AdreportError extends Error {
  /** See `cli.md`, Exit codes. */
  abstract readonly exitCode: number;
  readonly code: string;
  readonly hint?: string;
  readonly retryable: boolean;
  readonly isUsedUp: boolean;
  readonly concernsReport: boolean;
  readonly isCut?: boolean;
  readonly reportId?: string;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
  readonly about?: ErrorSubject;
  readonly mistakes?: readonly AdreportError[];

  constructor(message: string, { cause, code = '', ...details }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    const { retryable = false, isUsedUp = false, concernsReport = false, ...facts } = details;
    this.name = new.target.name;
    this.code = code;
    this.retryable = retryable;
    this.isUsedUp = isUsedUp;
    this.concernsReport = concernsReport;
    Object.assign(this, facts);
  }

  /** Adds a sentence (unless empty) to the message, and replaces details. */
  amend(sentence: string, details: ErrorDetails = {}): this {
    if (sentence !== '') this.message += ` ${sentence}`;
    return Object.assign(
      this,
      Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)),
    );
  }
}

/** Has no static members of Error, whose types would need those of Node. */
type ErrorClass = new (
  message: string,
  details?: ErrorDetails,
) => AdreportError & { readonly exitCode: number };

/** @param policy defaults for the errors of the class */
function errorClass(
  exitCode: number,
  code: string,
  policy: Pick<ErrorDetails, 'retryable' | 'isUsedUp' | 'concernsReport'> = {},
): ErrorClass {
  return class extends AdreportError {
    readonly exitCode = exitCode;
    constructor(message: string, details?: ErrorDetails) {
      super(message, { ...policy, ...details, code: details?.code ?? code });
    }
  };
}

/** Flags, period or settings are wrong. */
export class UsageError extends errorClass(2, 'USAGE') {}

/** Not signed in, or the service refused the token or the credentials (401, 403). */
export class SignInError extends errorClass(3, 'NOT_SIGNED_IN') {}

/** The service understood the request and rejected it. */
export class RejectedError extends errorClass(4, 'REJECTED', { concernsReport: true }) {}

/** Network, TLS, timeout, or 429 and 5xx after the retries. */
export class UnreachableError extends errorClass(5, 'UNREACHABLE', { retryable: true }) {}

/** The report failed or expired. */
export class ReportFailedError extends errorClass(6, 'REPORT_FAILED', { isUsedUp: true }) {}

/** The wait timed out; the report may still become ready. */
export class StillInProgressError extends errorClass(7, 'STILL_IN_PROGRESS', { retryable: true }) {}

/** The output could not be written. */
export class OutputError extends errorClass(8, 'OUTPUT') {}

/** The data is incomplete or wrong. */
export class IncompleteDataError extends errorClass(9, 'INCOMPLETE_DATA', {
  retryable: true,
  concernsReport: true,
}) {}

/** The report was read and is refused: another download would have the same rows. */
export class RefusedReportError extends errorClass(9, 'INCOMPLETE_REPORT', { isUsedUp: true }) {}

/** For warnings that are errors, as with `--strict`. */
export function warningsMessage(warnings: readonly CheckMessage[]): string {
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

/** The reader of stdout has gone, as with `| head`, which is not a mistake. */
export class ClosedPipeError extends errorClass(0, 'CLOSED_PIPE') {
  constructor() {
    super('The output pipe was closed.');
  }
}

/** As `--help` and the README print them. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done'],
  [1, 'a bug in adreport'],
  [2, 'usage: flags, period or settings'],
  [3, 'not signed in, or access refused'],
  [4, 'the service rejected the request'],
  [5, 'unreachable: network, TLS, timeout, or 429 and 5xx after the retries'],
  [6, 'the report failed or expired'],
  [7, 'still in progress at the timeout (can be resumed)'],
  [8, 'the output could not be written'],
  [9, 'the data is incomplete or wrong'],
  [130, 'interrupted with Ctrl-C'],
  [143, 'terminated by SIGTERM'],
];

/** Such a report is requested again if it was picked up. */
export function isAboutReport(error: unknown): error is AdreportError {
  return error instanceof AdreportError && error.concernsReport;
}

/** A response could not be read: nobody knows what the service did. */
export function isUnreadable(error: unknown): error is AdreportError {
  return error instanceof IncompleteDataError;
}

/** Also for 429 and 5xx after the retries. */
export function isUnreachable(error: unknown): error is AdreportError {
  return error instanceof UnreachableError;
}

export function isUnknownReport(error: unknown): boolean {
  return error instanceof RejectedError && error.httpStatus === 404;
}

/** Also if it expired. */
export function isReportFailure(error: unknown): boolean {
  return error instanceof ReportFailedError;
}

/** Shorter reports may succeed. A request body that is too large does not count. */
export function isTooLarge(error: unknown): error is AdreportError {
  if (!(error instanceof AdreportError) || error.httpStatus !== 413) return false;
  return error.code !== 'BODY_TOO_LARGE';
}

/** No run picks the report up again. */
export function isUsedUp(error: unknown): error is AdreportError {
  return error instanceof AdreportError && error.isUsedUp;
}

export function isStillInProgress(error: unknown): boolean {
  return error instanceof StillInProgressError;
}

/** The work was ended by a signal, and did not fail itself. */
export function isInterruption(error: unknown): error is InterruptedError {
  return error instanceof InterruptedError;
}

/** Also if the service refused the token or the credentials. */
export function isNotSignedIn(error: unknown): error is SignInError {
  return error instanceof SignInError;
}

export function isClosedPipe(error: unknown): boolean {
  return error instanceof ClosedPipeError;
}

/** Returns the code of the system or Node, such as `ENOENT`, if any. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
