import type { Client, RequestedReport } from '../api/client.ts';
import type { ReportResponse } from '../api/read-responses.ts';
import { outcomeOf, type StatusRecord } from '../contract/messages.ts';
import {
  AdreportError,
  isStillInProgress,
  isUnknownReport,
  isUnreachable,
  ReportFailedError,
  StillInProgressError,
} from '../errors.ts';
import { printable, quoted, withFullStop } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';

/** Pause between two calls: `auto`, or milliseconds. */
export type PollInterval = 'auto' | number;

/** Progress of a wait, after a status call. */
export interface Poll {
  readonly status: string;
  readonly polls: number;
  readonly waitedMs: number;

  /** Pause before the next call, or `undefined` if this was the last call. */
  readonly nextPauseMs: number | undefined;
}

export interface WaitLimits {
  /** Deadline, in stopwatch milliseconds. The last call is made at this time. */
  readonly endMs: number;

  /** Default: `auto`. `Retry-After` can only lengthen the pauses. */
  readonly pollInterval?: PollInterval | undefined;

  /** Aborts the wait. Default: the client's signal. */
  readonly signal?: AbortSignal | undefined;

  /** Called after each call, before the pause or the end. */
  readonly onPoll?: ((poll: Poll) => void) | undefined;
}

/** Outcome of one call. */
interface WaitState<Result> {
  readonly status: string;

  /** Not set while the report is in progress. */
  readonly result?: Result;
  readonly retryAfterMs?: number | undefined;

  /** Why the call failed. */
  readonly problem?: AdreportError;
}

/** A report that is ready, with the last status from the service. */
export interface ReadyReport extends RequestedReport {
  readonly message: string;
}

/**
 * Waits until a report is ready. Rejects like `client.status()`, with
 * `StillInProgressError` at the deadline, and with `ReportFailedError` if the report fails.
 */
export async function waitUntilReady(
  client: Client,
  requested: RequestedReport,
  limits: WaitLimits,
): Promise<ReadyReport> {
  const { id } = requested;
  if (id === undefined || requested.response) return { ...requested, message: '' };

  const ready = await poll(client, requested, limits, async (leftMs) => {
    const seen = await client.status(id, leftMs).catch((error) => {
      // Even if the service stayed unreachable, the report may still become ready.
      const isTimeUp = limits.endMs - client.host.stopwatch() < minLeftMs;
      if (isTimeUp && isUnreachable(error)) return error;
      throw error;
    });
    if (seen instanceof AdreportError) return { status: 'progress', problem: seen };

    const { status, retryAfterMs } = seen;
    const outcome = outcomeOf(status);
    if (outcome === 'failed') throw reportFailedError(id, seen);
    return { status, retryAfterMs, ...(outcome === 'ready' && { result: seen }) };
  });
  const { status, message } = ready;
  return { ...requested, status, message };
}

/**
 * Starts a download. The report may become available later than its status promises. Rejects like
 * `client.download()`, and with `StillInProgressError` at the deadline.
 *
 * @param triesBefore earlier attempts to download the report: refused calls and truncated bodies
 */
export async function waitForDownload(
  client: Client,
  report: RequestedReport,
  { triesBefore, ...limits }: WaitLimits & { readonly triesBefore?: number | undefined },
): Promise<ReportResponse> {
  const { id = '', response } = report;
  if (response) return response;
  return poll(client, report, limits, async () => {
    const result = await client.download(id, triesBefore);
    return { status: 'ready', result };
  });
}

/**
 * Returns the pause before the next call, in milliseconds. `auto` is a tenth of the time waited so
 * far, between 0.5 s and 30 s, so that no wait is much more than a tenth too long.
 */
export function pauseAfter(waitedMs: number, interval: PollInterval = 'auto'): number {
  if (interval !== 'auto') return interval;
  return Math.min(Math.max(waitedMs / 10, 500), 30_000);
}

/**
 * Minimum time left for another call, because timers may fire a fraction of a millisecond early.
 */
const minLeftMs = 1;

/** Repeats a call until there is a result. Throws `StillInProgressError` at the deadline. */
async function poll<Result>(
  { host }: Client,
  report: RequestedReport,
  { endMs, pollInterval, signal = host.signal, onPoll }: WaitLimits,
  call: (leftMs: number) => Promise<WaitState<Result>>,
): Promise<Result> {
  const startedMs = host.stopwatch();
  for (let polls = 1; ; polls += 1) {
    signal.throwIfAborted();
    const state = await call(Math.max(0, endMs - host.stopwatch())).catch((error) => {
      if (isUnknownReport(error) && isRecent(report, host.wallClock())) return notKnownYet;
      if (isStillInProgress(error)) {
        return { status: 'not available yet', retryAfterMs: error.retryAfterMs, problem: error };
      }
      throw error;
    });

    const { status, result, retryAfterMs = 0, problem } = state;
    const waitedMs = host.stopwatch() - startedMs;
    const leftMs = endMs - host.stopwatch();
    const shouldContinue = result === undefined && leftMs >= minLeftMs;
    const pauseMs = Math.min(leftMs, Math.max(pauseAfter(waitedMs, pollInterval), retryAfterMs));
    onPoll?.({ status, polls, waitedMs, nextPauseMs: shouldContinue ? pauseMs : undefined });

    if (result !== undefined) return result;
    if (!shouldContinue) throw stillInProgressError(report, { status, waitedMs, problem });
    await host.sleep(pauseMs, signal);
  }
}

/** How long a new report may be unknown to some of the service's machines. */
const maxUnknownMs = 60_000;

const notKnownYet: WaitState<never> = { status: 'not known yet' };

function isRecent({ requestedMs }: RequestedReport, nowMs: number): boolean {
  return requestedMs !== undefined && nowMs - requestedMs < maxUnknownMs;
}

interface LastWait extends Pick<WaitState<unknown>, 'status' | 'problem'> {
  readonly waitedMs: number;
}

function stillInProgressError(
  { id: reportId = '', status: lastStatus }: RequestedReport,
  { status, waitedMs, problem }: LastWait,
): AdreportError {
  if (outcomeOf(lastStatus) === 'ready') {
    const refusal = problem?.httpStatus ? ` (${problem.httpStatus})` : '';
    const message = `The report ${printable(reportId)} is ready, but the service refused its download until the timeout${refusal}.`;
    return new StillInProgressError(message, { reportId, cause: problem });
  }
  const word = status.trim().toLowerCase();
  const statusSuffix = word === 'progress' ? '' : ` (${printable(word)})`;
  const waited = waitedMs === 0 ? '' : ` after ${formatDuration(waitedMs)}`;
  const why = isUnreachable(problem) ? ` ${problem.message}` : '';
  const message = `The report ${printable(reportId)} is still in progress${statusSuffix}${waited}.`;
  return new StillInProgressError(message + why, { reportId, cause: problem });
}

/** Builds the error (exit 6) for a report that failed or expired. */
export function reportFailedError(
  reportId: string,
  { status, message }: Pick<StatusRecord, 'status' | 'message'>,
): ReportFailedError {
  const word = status.trim().toLowerCase();
  const reason = message.trim();
  const saysMore = reason !== '' && reason.toLowerCase() !== word;
  const end = saysMore ? `: ${withFullStop(printable(reason))}` : '.';
  const how = /^(failed|expired)$/.test(word) ? word : `has the status ${quoted(word)}`;
  return new ReportFailedError(`The report ${printable(reportId)} ${how}${end}`, {
    code: word === 'expired' ? 'REPORT_EXPIRED' : 'REPORT_FAILED',
    reportId,
    hint: 'Request it again.',
  });
}
