import { outcomeOf, type StatusRecord } from '../contract/messages.ts';
import { isUnreachable, ReportFailedError, StillInProgressError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import type { ServiceRecord } from './answers.ts';

// Everything about “not yet”: recognizing it, and waiting.

/** The result of one check. */
interface Look<Seen> {
  readonly seen: Seen;

  /** True if the wait is over. */
  readonly isOver: boolean;

  /** The service's `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
}

/** The state of a wait after a check. */
export interface Poll<Seen> {
  readonly seen: Seen;
  readonly polls: number;
  readonly waitedMs: number;

  /** The pause before the next check; `undefined` if there is none. */
  readonly nextPauseMs: number | undefined;
}

/** How often to check, and for how long. */
export interface Pace {
  /** The pause after a check, by the time waited so far. `Retry-After` can only make it longer. */
  readonly pauseAfter: (waitedMs: number) => number;

  /** The longest total wait; may be `Infinity`. The last check is at the deadline. */
  readonly timeoutMs: number;

  /** Monotonic, in milliseconds. */
  readonly clock: () => number;

  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

interface PollOptions<Seen> extends Pace {
  /** Called after each check, before the pause or the end. */
  readonly onPoll?: ((poll: Poll<Seen>) => void) | undefined;
}

/** Timers may fire a fraction of a millisecond early; that does not justify another check. */
const leastLeftMs = 1;

/**
 * Calls `look`, with the milliseconds left, until it is over or the time is up, and returns the
 * last result. Throws the signal's reason when aborted, and what `look` throws.
 */
async function poll<Seen>(
  look: (leftMs: number) => Promise<Look<Seen>>,
  { pauseAfter, timeoutMs, clock, sleep, signal, onPoll }: PollOptions<Seen>,
): Promise<Look<Seen>> {
  const startedMs = clock();
  for (let polls = 1; ; polls += 1) {
    signal?.throwIfAborted();
    const last = await look(timeoutMs - (clock() - startedMs));

    const waitedMs = clock() - startedMs;
    const leftMs = timeoutMs - waitedMs;
    const wantedMs = Math.max(pauseAfter(waitedMs), last.retryAfterMs ?? 0);
    const continues = !last.isOver && leftMs >= leastLeftMs;
    const nextPauseMs = continues ? Math.min(wantedMs, leftMs) : undefined;
    onPoll?.({ seen: last.seen, polls, waitedMs, nextPauseMs });

    if (nextPauseMs === undefined) return last;
    await sleep(nextPauseMs, signal);
  }
}

type StatusAnswer = StatusRecord & { readonly retryAfterMs?: number | undefined };

/** A report to wait for. */
export interface WaitOptions extends PollOptions<StatusRecord> {
  readonly reportId: string;

  /** Makes a status call, which may be repeated for `patienceMs` after temporary failures. */
  readonly status: (reportId: string, patienceMs: number) => Promise<StatusAnswer>;
}

/**
 * Waits until a report is ready and returns its last status record. Throws `ReportFailedError` if
 * the report ends otherwise, `StillInProgressError` if the time is up, and like `poll`.
 */
export async function waitForReport(options: WaitOptions): Promise<StatusRecord> {
  const { reportId, status, clock } = options;
  const startedMs = clock();

  async function look(patienceMs: number): Promise<Look<StatusAnswer>> {
    try {
      const seen = await status(reportId, patienceMs);
      const isOver = outcomeOf(seen.status) !== 'progress';
      return { seen, isOver, retryAfterMs: seen.retryAfterMs };
    } catch (cause) {
      // If the service was unreachable until the end, the report may still become ready.
      const waitedMs = clock() - startedMs;
      const isTimeUp = options.timeoutMs - waitedMs < leastLeftMs;
      if (!isUnreachable(cause) || !isTimeUp) throw cause;
      const waited = formatDuration(waitedMs);
      const message = `The report ${reportId} was not ready within ${waited}. ${cause.message}`;
      throw new StillInProgressError(message, { reportId, cause });
    }
  }

  const { seen, isOver } = await poll(look, options);
  if (!isOver) throw stillInProgress(reportId, seen, clock() - startedMs);
  if (outcomeOf(seen.status) === 'failed') throw reportFailed(reportId, seen);
  return seen;
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

/** The error (exit 6) for a report that failed or expired. */
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

/** An answer to a download that is a record instead of a report. */
interface DownloadAnswer {
  /** The HTTP status. */
  readonly status: number;
  readonly record: ServiceRecord;
}

/** True if the answer to a download says that the report is not ready yet. */
export function isNotYet({ status, record }: DownloadAnswer): boolean {
  if (record.isTransient && [400, 403, 404, 409, 422, 425].includes(status)) return true;
  if ([401, 403, 410, 429].includes(status)) return false;
  if (record.reportState !== undefined) return record.reportState === 'progress';
  return [202, 409, 425].includes(status);
}
