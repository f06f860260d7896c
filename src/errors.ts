/** The subject of an error, by the name that users know. Callers may add its location. */
export interface ErrorSubject {
  /** The long name of a flag: `--metrics`. */
  readonly flag?: string;
  readonly key?: string;
  readonly member?: string;
  readonly file?: string;
  readonly value?: string;
}

/** The details of an error in addition to its message. */
export interface ErrorDetails {
  readonly about?: ErrorSubject;

  /** The individual errors, if several things are wrong. */
  readonly mistakes?: readonly AdreportError[];

  /** A stable, machine-readable word such as `UNKNOWN_REPORT`; the service's `error_id` if any. */
  readonly code?: string;

  /** What to do next, in one sentence. */
  readonly hint?: string;

  /** True if the same command may succeed when run again. */
  readonly retryable?: boolean;

  /** True if no run picks the report up again: it failed, is gone, or was read and refused. */
  readonly isUsedUp?: boolean;

  /**
   * True if the service refuses this report, or its answer is unreadable. A run that picked the
   * report up requests it again; a report of this run is kept.
   */
  readonly concernsReport?: boolean;

  /** True if a report broke off while it was read: another download may be whole. */
  readonly isCut?: boolean;

  /** The report concerned. */
  readonly reportId?: string;

  /** The HTTP status of the service's refusal. */
  readonly httpStatus?: number;

  /** The service's `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** The kind of a warning or note: mostly the lines of the table in `cli.md`. */
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

  /** The column or member; absent for the whole report. */
  readonly about?: string;

  /** A sentence. */
  readonly message: string;

  /** True for a note about the run that is printed as a warning, even with `-q`. */
  readonly isUrgent?: boolean;

  /** The text for stderr without `-v`, if different; empty for no text. */
  readonly brief?: string;

  /** The text for pages, sheets and PDFs, if different: without flags and commands. */
  readonly forReaders?: string;
}

/** The warnings and notes on a report (`cli.md`, Never silently wrong). */
export interface CheckResult {
  /** Proofs that the report is not what was requested; errors with `--strict`. */
  readonly warnings: readonly CheckMessage[];

  /** What may be fine. */
  readonly notes: readonly CheckMessage[];
}

/** The notes for stderr without `-v`. */
export function briefNotesOf({ notes }: Pick<CheckResult, 'notes'>): string[] {
  return notes.map(({ message, brief = message }) => brief).filter((text) => text !== '');
}

/** The base of all errors meant for users. Any other error that reaches `main` is a bug. */
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

/** What is usually true for the errors of a class. */
type Policy = Pick<ErrorDetails, 'retryable' | 'isUsedUp' | 'concernsReport'>;

function errorClass(exitCode: number, code: string, policy: Policy = {}) {
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

/** The message of warnings that are errors, as with `--strict`. */
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

/** The reader of stdout has gone, as with `| head`: no mistake of anyone. */
export class ClosedPipeError extends errorClass(0, 'CLOSED_PIPE') {
  constructor() {
    super('The output pipe was closed.');
  }
}

/** The exit codes and their meanings, as `--help` and the README print them. */
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

/** True if the service refuses a report, which is then requested again if it was picked up. */
export function isAboutReport(error: unknown): error is AdreportError {
  return error instanceof AdreportError && error.concernsReport;
}

/** True if the service could not be reached, or had no time. */
export function isUnreachable(error: unknown): error is AdreportError {
  return error instanceof UnreachableError;
}

/** True if the service does not know a report. */
export function isUnknownReport(error: unknown): boolean {
  return error instanceof RejectedError && error.httpStatus === 404;
}

/** True if a report failed or expired. */
export function isReportFailure(error: unknown): boolean {
  return error instanceof ReportFailedError;
}

/** True if the service refuses the size of a report, so that shorter ones may succeed. */
export function isTooLarge(error: unknown): error is AdreportError {
  if (!(error instanceof AdreportError) || error.httpStatus !== 413) return false;
  return error.code !== 'BODY_TOO_LARGE';
}

/** True if no run picks the report up again. */
export function isUsedUp(error: unknown): error is AdreportError {
  return error instanceof AdreportError && error.isUsedUp;
}

/** True if a report may still become ready. */
export function isStillInProgress(error: unknown): boolean {
  return error instanceof StillInProgressError;
}

/** True if the work was ended by a signal, and did not fail itself. */
export function isInterruption(error: unknown): error is InterruptedError {
  return error instanceof InterruptedError;
}

/** True if the user is not signed in, or the service refused the token or the credentials. */
export function isNotSignedIn(error: unknown): error is SignInError {
  return error instanceof SignInError;
}

/** True if the reader of stdout has gone. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof ClosedPipeError;
}

/** The error code of the system or Node, such as `ENOENT`, if any. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
