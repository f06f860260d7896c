import { outcomeOf, type StatusRecord } from '../contract/messages.ts';
import {
  type AdreportError,
  RejectedError,
  ReportFailedError,
  StillInProgressError,
  UnreachableError,
} from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import type { ServiceRecord } from './answers.ts';

// The one place that knows what “not yet” is, and how it is waited for.

/** What one look at something that is waited for came to. */
export interface Look<Seen> {
  readonly seen: Seen;

  /** Whether the wait is over. */
  readonly isOver: boolean;

  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
}

/** How a wait stands after one look. */
export interface Poll<Seen> {
  readonly seen: Seen;
  readonly polls: number;
  readonly waitedMs: number;

  /** The pause before the next look; `undefined` when there is none. */
  readonly nextPauseMs: number | undefined;
}

/** How often something is looked at, and for how long. */
export interface Pace {
  /**
   * The pause after a look, by the time waited so far; `Retry-After` makes it longer, never
   * shorter.
   */
  readonly pauseAfter: (waitedMs: number) => number;

  /** How long the wait may last in all; `Infinity` for ever. The last look is at the deadline. */
  readonly timeoutMs: number;

  /** Milliseconds that never run backwards. */
  readonly clock: () => number;

  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** A pace, and who is told how the wait stands. */
interface PollOptions<Seen> extends Pace {
  /** Told after each look, before the pause or the end. */
  readonly onPoll?: ((poll: Poll<Seen>) => void) | undefined;
}

/** Timers may end a fraction of a millisecond early: that much is no reason for one more look. */
const leastLeftMs = 1;

/**
 * Looks at something, the first time at once, until it is there or the time is up, and gives the
 * last look. Throws the signal's reason when it is aborted, and what `look` throws, which is told
 * how many milliseconds are left.
 */
export async function poll<Seen>(
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
    const goesOn = !last.isOver && leftMs >= leastLeftMs;
    const nextPauseMs = goesOn ? Math.min(wantedMs, leftMs) : undefined;
    onPoll?.({ seen: last.seen, polls, waitedMs, nextPauseMs });

    if (nextPauseMs === undefined) return last;
    await sleep(nextPauseMs, signal);
  }
}

/** A status record, and how long the service asks to be left alone. */
type StatusAnswer = StatusRecord & { readonly retryAfterMs?: number | undefined };

/** A report that is waited for. */
export interface WaitOptions extends PollOptions<StatusRecord> {
  readonly reportId: string;

  /** One status call, which may go on being repeated for `patienceMs` where it fails in passing. */
  readonly status: (reportId: string, patienceMs: number) => Promise<StatusAnswer>;
}

/**
 * Asks for a report's status until it is ready, and gives the last record. Throws
 * `ReportFailedError` when the report ends otherwise, `StillInProgressError` when the time is up,
 * and as `poll`.
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
      // Where the service could not be asked until the time was up, the report may still become
      // ready.
      const waitedMs = clock() - startedMs;
      const isTimeUp = options.timeoutMs - waitedMs < leastLeftMs;
      if (!(cause instanceof UnreachableError) || !isTimeUp) throw cause;
      const waited = formatDuration(waitedMs);
      const message = `The report ${reportId} was not seen ready within ${waited}. ${cause.message}`;
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

/** An answer to a download, with the record that stands in the place of a report. */
interface DownloadAnswer {
  /** Of HTTP. */
  readonly status: number;
  readonly record: ServiceRecord;
}

/** A report that is not there yet, in the words of services that have no code for it. */
const notYetForm =
  /\bnot (?:yet )?(?:ready|finished|complete|generated)\b|\bnot yet\b|\bstill (?:being|in progress|processing|running)\b|\bin progress\b|\bbeing (?:generated|prepared|processed|built)\b/i;

/** Whether the answer to a download says that the report is not there yet. */
export function isNotYet({ status, record }: DownloadAnswer): boolean {
  if (record.isTransient && [400, 403, 404, 409, 422, 425].includes(status)) return true;
  if ([401, 403, 410, 429].includes(status)) return false;
  if (record.reportState !== undefined) return record.reportState === 'progress';
  if ([202, 409, 425].includes(status)) return true;
  return saysNotYet(`${record.errorId ?? ''} ${record.message ?? ''}`);
}

/** Whether a text of the service says that the report is not there yet. */
export function saysNotYet(text: string): boolean {
  return notYetForm.test(text);
}

/**
 * For so long after its status says that it is ready, a report that the service does not know is
 * late, and not gone.
 */
export const lateAtMostMs = 60_000;

/**
 * Downloads a report that is said to be ready. A download that is answered with “not yet” is waited
 * for like a report in progress: `ready` is asked for the status before the next try, and throws
 * where the report has failed. Throws the last error once the time is up, and as `poll`.
 */
export async function downloadOnceThere<Result>(
  { download, ready, onLate }: Downloading<Result>,
  pace: Pace,
): Promise<Result> {
  const readyMs = pace.clock();
  let isFirstTry = true;

  async function look(leftMs: number): Promise<Look<Outcome<Result>>> {
    if (!isFirstTry) await ready(leftMs);
    try {
      return { seen: { result: await download() }, isOver: true };
    } catch (error) {
      if (!isLate(error, pace.clock() - readyMs)) throw error;
      if (isFirstTry && leftMs >= leastLeftMs) onLate();
      return { seen: { error }, isOver: false, retryAfterMs: error.retryAfterMs };
    } finally {
      isFirstTry = false;
    }
  }

  const { seen } = await poll(look, pace);
  if ('error' in seen) throw seen.error;
  return seen.result;
}

/** What one try of a download came to. */
type Outcome<Result> = { readonly result: Result } | { readonly error: AdreportError };

/** How a report is downloaded. */
interface Downloading<Result> {
  readonly download: () => Promise<Result>;

  /** Resolves when the status says once more that the report is ready. */
  readonly ready: (leftMs: number) => Promise<unknown>;

  /** Told, once, that the report is not there although it is ready. */
  readonly onLate: () => void;
}

/** Whether a download was refused because the report, which is ready, is not there yet. */
function isLate(error: unknown, sinceReadyMs: number): error is AdreportError {
  if (error instanceof StillInProgressError) return true;
  const isUnknown = error instanceof RejectedError && error.httpStatus === 404;
  return isUnknown && sinceReadyMs < lateAtMostMs;
}
