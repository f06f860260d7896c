import type { ServiceAccount } from '../account/account.ts';
import {
  AdreportError,
  ErrorInContext,
  endsReport,
  InterruptedError,
  isClosedPipe,
  isInterruption,
  isNotSignedIn,
  isReportFailure,
  isUnreachable,
} from '../errors.ts';
import { formatDays } from '../query/calendar.ts';
import type { Part } from '../query/query.ts';
import { printable } from '../text/printable.ts';
import type { PartsProgress } from '../ui/progress.ts';
import type { Context } from './context.ts';

/** A report of a run, or a part of one. */
export interface Download {
  /** Name of the report in messages, if the run has several reports. */
  readonly label: string | undefined;

  /** First second of the period. */
  readonly since: number;
  readonly account: ServiceAccount;
}

export interface Failure extends Download {
  readonly error: AdreportError;
}

/** Thrown if parts of a merged report failed. Their failures are already recorded. */
export class PartsFailedError extends ErrorInContext {}

interface DownloadOptions {
  /** Maximum number of concurrent downloads. */
  readonly size: number;

  /** Counts the downloads. */
  readonly meter?: PartsProgress | undefined;

  /** Failures of earlier downloads of the run. */
  readonly failures?: Failure[];
}

/** Number of identical refusals after which no more reports are requested. */
const maxRefusals = 3;

/**
 * Downloads the reports of a run, a few at a time. A failure does not stop the other downloads. If
 * the service refuses every request, the remaining reports are not requested.
 */
export class Downloads {
  readonly size: number;
  readonly failures: Failure[];
  readonly #context: Context;
  readonly #meter: PartsProgress | undefined;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(context: Context, { size, meter, failures = [] }: DownloadOptions) {
    this.#context = context;
    this.size = size;
    this.#meter = meter;
    this.failures = failures;
    this.#free = size;
  }

  /** Waits for a free slot, then downloads a report. Records and rethrows any error. */
  async take<T>(download: Download, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));

    const meter = this.#meter?.begin();
    let isDone = false;
    try {
      const result = await this.record(download, async () => {
        await this.#requireAccepted(download.account);
        return work();
      });
      isDone = true;
      return result;
    } finally {
      meter?.end(isDone);
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** Records and rethrows the error of a download. A bug or a closed pipe ends the run. */
  async record<T>(download: Download, work: () => Promise<T>): Promise<T> {
    const { signal, stopper } = this.#context;
    try {
      return await work();
    } catch (error) {
      if (!isFailure(error)) {
        stopper.abort(new InterruptedError(143));
        throw error;
      }
      const isCancelled = isInterruption(error) && !signal.aborted;
      const isRecorded = error instanceof PartsFailedError;
      if (!isCancelled && !isRecorded) this.failures.push({ ...download, error });
      throw error;
    }
  }

  /**
   * Throws if the sign-in was refused, or if the first requests were all refused for the same
   * reason.
   */
  async #requireAccepted(account: ServiceAccount): Promise<void> {
    const failures = this.failures.filter((failure) => failure.account === account);
    const errors = failures.map(({ error }) => error);
    const signIn = errors.find(isNotSignedIn);
    if (signIn) throw signIn;

    const refusals = errors.filter(({ exitCode, reportId }) => {
      return exitCode === 4 && reportId === undefined;
    });
    const repeated = refusals.find(({ message }) => {
      return refusals.filter((other) => other.message === message).length >= maxRefusals;
    });
    if (!repeated) return;
    const { hasCreatedReport } = await account.client();
    if (!hasCreatedReport) throw repeated;
  }
}

function isFailure(error: unknown): error is AdreportError {
  return error instanceof AdreportError && !isClosedPipe(error);
}

/**
 * Waits until all downloads have ended. Returns the error of each download, or `undefined` if it
 * succeeded. Throws only a bug or a closed pipe.
 */
export async function settleAll(
  downloads: readonly Promise<unknown>[],
): Promise<(AdreportError | undefined)[]> {
  const errors: (AdreportError | undefined)[] = [];
  for (const end of await Promise.allSettled(downloads)) {
    const error = end.status === 'rejected' ? end.reason : undefined;
    if (error !== undefined && !isFailure(error)) throw error;
    errors.push(error);
  }
  return errors;
}

/**
 * Returns the error of the earliest failure. Its message lists all failures, and each cause once.
 *
 * @param reportCount number of reports in the run
 */
export function combineFailures(failures: readonly Failure[], reportCount: number): AdreportError {
  const inOrder = failures.toSorted((a, b) => {
    return a.since - b.since || (a.label ?? '').localeCompare(b.label ?? '');
  });
  const [first, ...others] = inOrder;
  if (!first) throw new Error('Nothing has failed.');
  if (reportCount === 1 && others.length === 0) return first.error;

  const causes = new Set(inOrder.map(({ error }) => error.message));
  const isSharedByAll = causes.size === 1 && failures.length === reportCount;
  const message = isSharedByAll
    ? `${first.error.message} None of the ${reportCount} reports was downloaded.`
    : formatFailures(inOrder);
  return new ErrorInContext(first.error, { message });
}

function formatFailures(failures: readonly Failure[]): string {
  const labelsByCause = new Map<string, string[]>();
  for (const { error, label = '' } of failures) {
    labelsByCause.set(error.message, [...(labelsByCause.get(error.message) ?? []), label]);
  }
  const [[cause, labels] = ['', []], ...others] = labelsByCause;
  if (others.length === 0) return `${formatLabels(labels)} failed: ${cause}`;

  const lines = [...labelsByCause].map(([message, failed]) => {
    return `\n  - ${formatLabels(failed)}: ${message}`;
  });
  return `${failures.length} reports failed:${lines.join('')}`;
}

/** Formats `2026-11-01`, or `2 reports (2026-11-01, 2026-11-02)`. */
function formatLabels(labels: readonly string[]): string {
  const list = labels.join(', ');
  return labels.length === 1 ? list : `${labels.length} reports (${list})`;
}

/** Adds the days of a part to the label of its report, if the report has a label. */
export function labelPart(label: string | undefined, part: Part): string {
  const days = formatDays(part);
  return label === undefined ? days : `${label} ${days}`;
}

/** Commands to suggest after an error. Only commands that would help are set. */
interface NextCommands {
  /** Resumes the report. */
  readonly resume?: string | undefined;

  /** Requests a failed report again. */
  readonly again?: string | undefined;
}

/** Adds the command to run next to the hint of an error. */
export function withNextCommand(error: unknown, { resume, again }: NextCommands): unknown {
  if (!isFailure(error)) return error;
  const { reportId, message, hint } = error;
  if (isReportFailure(error)) {
    if (again === undefined) return error;
    return new ErrorInContext(error, { hint: `Request it again: ${again}` });
  }

  const hasBegun = reportId !== undefined || isUnreachable(error) || isInterruption(error);
  if (resume === undefined || endsReport(error) || !hasBegun) return error;
  const displayId = printable(reportId ?? '');
  const isNamed = message.includes(displayId) || resume.includes(displayId);
  const available = isNamed ? '' : `The report ${displayId} is still available. `;
  const isLost = reportId === undefined && isUnreachable(error);
  const what = isLost ? 'To run it again' : 'To resume';
  const hints = [...(hint === undefined ? [] : [hint]), `${available}${what}: ${resume}`];
  return new ErrorInContext(error, { hint: hints.join('\n') });
}
