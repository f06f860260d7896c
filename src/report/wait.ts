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

/** A status record, and how long the service asks to be left alone. */
type StatusAnswer = StatusRecord & { readonly retryAfterMs?: number | undefined };

/** What is waited for, how often it is looked at, and for how long. */
export interface WaitOptions {
  readonly reportId: string;
  /** One status call, which may go on being repeated for `patienceMs` where it fails in passing. */
  readonly status: (reportId: string, patienceMs: number) => Promise<StatusAnswer>;
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

/** Timers may end a fraction of a millisecond early: that much is no reason for one more call. */
const leastLeftMs = 1;

/**
 * Asks for a report's status until it is ready, the first time at once, and returns the last record.
 * Throws `ReportFailedError` when the report ends otherwise, `StillInProgressError` when the time is up, the signal's
 * reason when it is aborted, and what `status` throws before the time is up.
 */
export async function waitForReport(options: WaitOptions): Promise<StatusRecord> {
  const { reportId, timeoutMs, clock, sleep, signal, onPoll } = options;
  const startedMs = clock();
  for (let polls = 1; ; polls += 1) {
    signal?.throwIfAborted();
    const record = await askStatus(options, startedMs);

    const waitedMs = clock() - startedMs;
    const leftMs = timeoutMs - waitedMs;
    const outcome = outcomeOf(record.status);
    const goesOn = outcome === 'progress' && leftMs >= leastLeftMs;
    const nextPauseMs = goesOn
      ? Math.min(pauseAfter(options, record, waitedMs), leftMs)
      : undefined;
    onPoll?.({ record, polls, waitedMs, nextPauseMs });

    if (outcome === 'ready') return record;
    if (outcome === 'failed') throw reportFailed(reportId, record);
    if (nextPauseMs === undefined) throw stillInProgress(reportId, record, waitedMs);
    await sleep(nextPauseMs, signal);
  }
}

/** One status call. Where the service could not be asked until the time was up, the report may still become ready. */
async function askStatus(options: WaitOptions, startedMs: number): Promise<StatusAnswer> {
  const { reportId, status, timeoutMs, clock } = options;
  const patienceMs = timeoutMs - (clock() - startedMs);
  try {
    return await status(reportId, patienceMs);
  } catch (cause) {
    const waitedMs = clock() - startedMs;
    const isTimeUp = timeoutMs - waitedMs < leastLeftMs;
    if (!(cause instanceof UnreachableError) || !isTimeUp) throw cause;
    const waited = formatDuration(waitedMs);
    const problem = `The report ${reportId} was not seen ready within ${waited}. ${cause.message}`;
    throw new StillInProgressError(problem, { reportId, cause });
  }
}

function pauseAfter({ interval }: WaitOptions, record: StatusAnswer, waitedMs: number): number {
  const pauseMs = interval === 'auto' ? autoPauseMs(waitedMs) : interval;
  return Math.max(pauseMs, record.retryAfterMs ?? 0);
}

function stillInProgress(
  reportId: string,
  { status }: StatusRecord,
  waitedMs: number,
): StillInProgressError {
  const word = status.trim().toLowerCase();
  const unusualWord = word === 'progress' ? '' : ` (${printable(word)})`;
  const waited = formatDuration(waitedMs);
  const problem = `The report ${reportId} is still in progress${unusualWord} after ${waited}.`;
  return new StillInProgressError(problem, { reportId });
}

/** The error (exit 6) for a report that has ended otherwise than ready. */
export function reportFailed(
  reportId: string,
  { status, message }: StatusRecord,
): ReportFailedError {
  const word = status.trim().toLowerCase();
  const reason = message.trim();
  const saysMore = reason !== '' && reason.toLowerCase() !== word;
  const end = saysMore ? `: ${printable(message)}` : '.';
  return new ReportFailedError(`The report ${reportId} ended as ${printable(word)}${end}`, {
    reportId,
    hint: 'Create it anew: a report that has ended does not change any more.',
    ...(word === 'expired' && { code: 'REPORT_EXPIRED' }),
  });
}
