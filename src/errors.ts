/**
 * What an error is about, by the name that users know. Whoever knows where that is, such as the
 * line of a file, adds the place.
 */
export interface ErrorSubject {
  /** The long name of a flag: `--metrics`. */
  readonly flag?: string;
  readonly key?: string;
  readonly member?: string;
  readonly file?: string;
  readonly value?: string;
}

/** What an error tells beside its message. */
export interface ErrorDetails {
  readonly about?: ErrorSubject;

  /** The errors that this one stands for, if several things are wrong. */
  readonly mistakes?: readonly AdreportError[];

  /**
   * A stable, machine-readable word, e.g. `UNKNOWN_REPORT`; the service's own `error_id` where it
   * gave one.
   */
  readonly code?: string;

  /** What to do next, one sentence. */
  readonly hint?: string;

  /** Whether the same command may succeed when run again unchanged. */
  readonly retryable?: boolean;

  /** The report that the error is about. */
  readonly reportId?: string;

  /** The status of the service's refusal. */
  readonly httpStatus?: number;

  /** How long the service asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** What a finding or a note is on: mostly the lines of the table in `cli.md`. */
export type RemarkKind =
  | 'window'
  | 'zone'
  | 'columns'
  | 'values'
  | 'rows'
  | 'total'
  | 'filters'
  | 'beside the rows'
  | 'clock';

/** A finding or a note. */
export interface Remark {
  readonly kind: RemarkKind;

  /** The column, or what the service calls it; absent for the whole report. */
  readonly about?: string;

  /** A sentence. */
  readonly message: string;

  /** What stderr has of a note without `-v`, if that is not the message; empty for nothing. */
  readonly brief?: string;
}

/** What a report is found to be (`cli.md`, Never silently wrong). */
export interface Judgement {
  /** Each is proof that the report is not what was asked for: with `--strict` an error. */
  readonly findings: readonly Remark[];

  /** What may be fine. */
  readonly notes: readonly Remark[];
}

/** The notes of a judgement as stderr has them without `-v`. */
export function briefNotesOf({ notes }: Pick<Judgement, 'notes'>): string[] {
  return notes.map(({ message, brief = message }) => brief).filter((text) => text !== '');
}

/**
 * The base of every error that is meant for the user; anything else that reaches `main` is a bug
 * here.
 */
export abstract class AdreportError extends Error {
  /** What the program exits with (`cli.md`, Exit codes). */
  abstract readonly exitCode: number;
  readonly code: string;
  readonly hint?: string;
  readonly retryable: boolean;
  readonly reportId?: string;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
  readonly about?: ErrorSubject;
  readonly mistakes?: readonly AdreportError[];

  constructor(message: string, { cause, code = '', retryable = false, ...details }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = retryable;
    Object.assign(this, details);
  }

  /**
   * Adds what only a caller further out knows: a sentence to the message, if any, and details in
   * place of the old ones.
   */
  amend(sentence: string, details: ErrorDetails = {}): this {
    if (sentence !== '') this.message += ` ${sentence}`;
    return Object.assign(
      this,
      Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)),
    );
  }
}

function errorClass(exitCode: number, code: string, retryable = false) {
  return class extends AdreportError {
    readonly exitCode = exitCode;
    constructor(message: string, details?: ErrorDetails) {
      super(message, { retryable, ...details, code: details?.code ?? code });
    }
  };
}

/** Flags, window or settings are wrong. */
export class UsageError extends errorClass(2, 'USAGE') {}

/** Not signed in, or the service refused the token or the credentials (401, 403). */
export class SignInError extends errorClass(3, 'NOT_SIGNED_IN') {}

/** The service understood the request and said no. */
export class RejectedError extends errorClass(4, 'REJECTED') {}

/** Network, TLS, timeout, or 429 and 5xx after the retries. */
export class UnreachableError extends errorClass(5, 'UNREACHABLE', true) {}

/** The report ended in another state than ready. */
export class ReportFailedError extends errorClass(6, 'REPORT_FAILED') {}

/** The wait timed out; the report may still become ready. */
export class StillInProgressError extends errorClass(7, 'STILL_IN_PROGRESS', true) {}

/** The output could not be written. */
export class OutputError extends errorClass(8, 'OUTPUT') {}

/** The data arrived incomplete or malformed. */
export class IncompleteDataError extends errorClass(9, 'INCOMPLETE_DATA', true) {}

/** With `--strict`: the data arrived, and it has findings. A second download would be no better. */
export class FindingsError extends IncompleteDataError {
  constructor(
    findings: readonly Remark[],
    details: Pick<ErrorDetails, 'hint'> & { lastly?: string },
  ) {
    const { lastly, hint } = details;
    const sentences = findings.map(({ message }) => message);
    if (lastly !== undefined) sentences.push(lastly);
    super(sentences.join(' '), { hint, code: 'INCOMPLETE_REPORT', retryable: false });
  }
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

/** The exit codes and their meanings, as `--help` and the README print them. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done'],
  [1, 'a bug in adreport'],
  [2, 'usage: flags, window or settings'],
  [3, 'not signed in, or refused'],
  [4, 'the service rejected the request'],
  [5, 'unreachable: network, TLS, timeout, or 429 and 5xx after the retries'],
  [6, 'the report failed or expired'],
  [7, 'still in progress at the timeout (can be resumed)'],
  [8, 'the output could not be written'],
  [9, 'the data arrived incomplete or malformed'],
  [130, 'interrupted with Ctrl-C'],
  [143, 'terminated by SIGTERM'],
];

/**
 * The code by which the system or Node names an error, such as `ENOENT`; `undefined` for what has
 * none.
 */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
