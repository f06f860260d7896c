import { outcomeOf, type StatusRecord } from '../contract/messages.ts';
import { ReportFailedError, StillInProgressError, UnreachableError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';

/**
 * Milliseconds from one status call to the next, `auto`: a tenth of the time waited so far, so that the answer is found
 * at most a tenth later than it came, within 0.5 s and 30 s (`cli.md`, Waiting).
 */
export function autoPauseMs(waitedMs: number): number {
  return Math.min(Math.max(waitedMs / 10, 500), 30_000);
}

/** How a wait stands after one status call. */
export interface Poll {
  readonly record: StatusRecord;
  readonly polls: number;
  readonly waitedMs: number;
  /** The pause before the next call; `undefined` when the wait is over. */
  readonly nextPauseMs: number | undefined;
}

export interface WaitOptions {
  readonly reportId: string;
  /** One status call, which may go on being repeated for `patienceMs` where it fails in passing. */
  readonly status: (
    reportId: string,
    patienceMs: number,
  ) => Promise<StatusRecord & { readonly retryAfterMs?: number }>;
  /** Milliseconds between two status calls; `Retry-After` makes a pause longer, never shorter. */
  readonly interval: 'auto' | number;
  /** How long the wait may last in all; `Infinity` for ever. The last call is made at the deadline. */
  readonly timeoutMs: number;
  /** Milliseconds that never run backwards. */
  readonly clock: () => number;
  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Told after each status call, before the pause or the end. */
  readonly onPoll?: ((poll: Poll) => void) | undefined;
}

/**
 * Asks for a report's status until it is ready, the first time at once, and returns the last record.
 * Throws `ReportFailedError` when the report ends otherwise, `StillInProgressError` when the time is up, the signal's
 * reason when it is aborted, and what `status` throws before the time is up.
 */
export async function waitForReport(options: WaitOptions): Promise<StatusRecord> {
  const { reportId, interval, timeoutMs, clock, signal } = options;
  const startedMs = clock();
  for (let polls = 1; ; polls += 1) {
    signal?.throwIfAborted();
    const record = await options
      .status(reportId, timeoutMs - (clock() - startedMs))
      .catch((cause: unknown) => {
        const waitedMs = clock() - startedMs;
        if (!(cause instanceof UnreachableError) || timeoutMs - waitedMs >= 1) throw cause;
        // The service could not be asked any more, and the report may still become ready.
        const sentence = `The report ${reportId} was not seen ready within ${formatDuration(waitedMs)}. ${cause.message}`;
        throw new StillInProgressError(sentence, { reportId, cause });
      });
    const waitedMs = clock() - startedMs;
    const leftMs = timeoutMs - waitedMs;
    const pauseMs = Math.max(
      interval === 'auto' ? autoPauseMs(waitedMs) : interval,
      record.retryAfterMs ?? 0,
    );
    const outcome = outcomeOf(record.status);
    // Timers may end a fraction of a millisecond early: that much is no reason for one more call.
    const nextPauseMs =
      outcome === 'progress' && leftMs >= 1 ? Math.min(pauseMs, leftMs) : undefined;
    options.onPoll?.({ record, polls, waitedMs, nextPauseMs });
    if (outcome === 'ready') return record;
    if (outcome === 'failed') throw reportFailed(reportId, record);
    if (nextPauseMs === undefined) {
      const word = record.status.trim().toLowerCase();
      const said = word === 'progress' ? '' : ` (${printable(word)})`;
      const sentence = `The report ${reportId} is still in progress${said} after ${formatDuration(waitedMs)}.`;
      throw new StillInProgressError(sentence, { reportId });
    }
    await options.sleep(nextPauseMs, signal);
  }
}

/** The error (exit 6) for a report that has ended otherwise than ready. */
export function reportFailed(
  reportId: string,
  { status, message }: StatusRecord,
): ReportFailedError {
  const word = status.trim().toLowerCase();
  const saysMore = message.trim() !== '' && message.trim().toLowerCase() !== word;
  const sentence = `The report ${reportId} ended as ${printable(word)}${saysMore ? `: ${printable(message)}` : '.'}`;
  const hint = 'Create it anew: a report that has ended does not change any more.';
  return new ReportFailedError(sentence, {
    reportId,
    hint,
    ...(word === 'expired' ? { code: 'REPORT_EXPIRED' } : {}),
  });
}
