import { outcomeOf, type StatusRecord } from '../contract/messages.ts';
import { isUnreachable, ReportFailedError, StillInProgressError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import type { ServiceRecord } from './answers.ts';

// Everything about reports that are not ready: recognizing them, and waiting.

/** State of a wait after a status call. */
export interface Poll {
  readonly seen: StatusRecord;
  readonly polls: number;
  readonly waitedMs: number;

  /** Pause before the next call; `undefined` if there is none. */
  readonly nextPauseMs: number | undefined;
}

/** Pause between two status calls: `auto`, or a fixed one in milliseconds. */
export type PollInterval = 'auto' | number;

/**
 * Returns milliseconds until the next status call, after `waitedMs`. `auto` is a tenth of the time
 * waited so far, between 0.5 s and 30 s, so that a report is noticed at most a tenth too late.
 */
export function pauseAfter(waitedMs: number, interval: PollInterval = 'auto'): number {
  if (interval !== 'auto') return interval;
  return Math.min(Math.max(waitedMs / 10, 500), 30_000);
}

/** A report to wait for, how often to call, and for how long. */
export interface WaitOptions {
  readonly reportId: string;

  /** Makes a status call, which may be repeated for `patienceMs` after temporary failures. */
  readonly status: (
    reportId: string,
    patienceMs: number,
  ) => Promise<StatusRecord & { readonly retryAfterMs?: number | undefined }>;

  /** `Retry-After` can only make the pauses longer. */
  readonly pollInterval?: PollInterval | undefined;

  /** Maximum total wait; may be `Infinity`. The last call is at the deadline. */
  readonly timeoutMs: number;

  readonly host: {
    /** Monotonic, in milliseconds. */
    readonly stopwatch: () => number;

    /** Rejects with the signal's reason when it is aborted. */
    readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  };
  readonly signal?: AbortSignal | undefined;

  /** Called after each call, before the pause or the end. */
  readonly onPoll?: ((poll: Poll) => void) | undefined;
}

/** Timers may fire a fraction of a millisecond early; that does not justify another call. */
const minLeftMs = 1;

/**
 * Returns the last status record once the report is ready. Throws `ReportFailedError` if the report
 * ends otherwise, `StillInProgressError` if the time is up, the signal's reason when aborted, and
 * what `status` throws.
 */
export async function waitForReport(options: WaitOptions): Promise<StatusRecord> {
  const { reportId, status, pollInterval, timeoutMs, host, signal, onPoll } = options;
  const startedMs = host.stopwatch();
  const waitedMs = (): number => host.stopwatch() - startedMs;

  for (let polls = 1; ; polls += 1) {
    signal?.throwIfAborted();
    const seen = await status(reportId, timeoutMs - waitedMs()).catch((cause) => {
      // If the service was unreachable until the end, the report may still become ready.
      const isTimeUp = timeoutMs - waitedMs() < minLeftMs;
      throw isTimeUp && isUnreachable(cause) ? notReadyInTime(reportId, waitedMs(), cause) : cause;
    });

    const outcome = outcomeOf(seen.status);
    const leftMs = timeoutMs - waitedMs();
    const wantedMs = Math.max(pauseAfter(waitedMs(), pollInterval), seen.retryAfterMs ?? 0);
    const continues = outcome === 'progress' && leftMs >= minLeftMs;
    const nextPauseMs = continues ? Math.min(wantedMs, leftMs) : undefined;
    onPoll?.({ seen, polls, waitedMs: waitedMs(), nextPauseMs });

    if (nextPauseMs !== undefined) await host.sleep(nextPauseMs, signal);
    else if (outcome === 'failed') throw reportFailed(reportId, seen);
    else if (outcome === 'progress') throw stillInProgress(reportId, seen, waitedMs());
    else return seen;
  }
}

function notReadyInTime(reportId: string, waitedMs: number, cause: Error): StillInProgressError {
  const waited = formatDuration(waitedMs);
  const message = `The report ${reportId} was not ready within ${waited}. ${cause.message}`;
  return new StillInProgressError(message, { reportId, cause });
}

function stillInProgress(
  reportId: string,
  { status }: StatusRecord,
  waitedMs: number,
): StillInProgressError {
  const word = status.trim().toLowerCase();
  const unusualWord = word === 'progress' ? '' : ` (${printable(word)})`;
  const waited = formatDuration(waitedMs);
  const message = `The report ${reportId} is still in progress${unusualWord} after ${waited}.`;
  return new StillInProgressError(message, { reportId });
}

/** Returns the error (exit 6) for a report that failed or expired. */
export function reportFailed(
  reportId: string,
  { status, message }: Pick<StatusRecord, 'status' | 'message'>,
): ReportFailedError {
  const word = status.trim().toLowerCase();
  const reason = message.trim();
  const saysMore = reason !== '' && reason.toLowerCase() !== word;
  const end = saysMore ? `: ${printable(message)}` : '.';
  const how = /^(failed|expired)$/.test(word) ? word : `ended as ${printable(word)}`;
  return new ReportFailedError(`The report ${reportId} ${how}${end}`, {
    reportId,
    hint: 'Request it again.',
    ...(word === 'expired' && { code: 'REPORT_EXPIRED', concernsReport: true }),
  });
}

/**
 * Recognizes a response to a download that says that the report is not ready yet.
 *
 * @param status HTTP status
 */
export function isNotReady({
  status,
  record,
}: {
  readonly status: number;
  readonly record: ServiceRecord;
}): boolean {
  if (record.isTransient && [400, 403, 404, 409, 422, 425].includes(status)) return true;
  if ([401, 403, 410, 429].includes(status)) return false;
  if (record.reportState !== undefined) return record.reportState === 'progress';
  return [202, 409, 425].includes(status);
}
