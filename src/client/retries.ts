import type { Client } from '../api/client.ts';
import type { TryCount } from '../api/exchange.ts';
import { AdreportError, isReportFailure, isStillInProgress, isUnknownReport } from '../errors.ts';
import { type PollInterval, pauseAfter } from '../report/poll-interval.ts';
import { printable } from '../text/printable.ts';

/** Step from which a report is downloaded again after an error. */
export type RetryStep = 'request' | 'wait' | 'open';

interface RetryOptions {
  /** How long to wait for a report, in milliseconds. */
  readonly waitTimeoutMs: number;
  readonly pollInterval?: PollInterval | undefined;

  /** How often a report may be requested, including the first time. */
  readonly maxRequests: number;

  /** False if a report that is not ready is an error. */
  readonly waits: boolean;
  readonly signal?: AbortSignal | undefined;

  /** Prints why something is repeated. */
  readonly note?: ((sentence: string) => void) | undefined;
}

/** A report may be unknown to a part of the service for so long after it is ready. */
const maxLateMs = 60_000;

/** Timers may fire a fraction of a millisecond early; that does not justify another attempt. */
const minLeftMs = 1;

/**
 * Decides what is repeated after an error, and pauses before it: a report that failed is requested
 * once more, one that is not ready after all is waited for, and a download that was cut is begun
 * again.
 */
export class Retries {
  /** Tries to download the report; refused calls and cut bodies both count. */
  readonly downloads: TryCount = { tries: 0 };
  readonly #client: Client;
  readonly #options: RetryOptions;
  readonly #startedMs: number;
  #requests = 1;
  #endMs: number | undefined;
  #readyMs: number | undefined;
  #readyId = '';
  #hasNotedLateness = false;

  constructor(client: Client, options: RetryOptions) {
    this.#client = client;
    this.#options = options;
    this.#startedMs = client.host.stopwatch();
  }

  /** Milliseconds left to wait for the report, counted from the first call. */
  leftMs(): number {
    const { stopwatch } = this.#client.host;
    this.#endMs ??= stopwatch() + this.#options.waitTimeoutMs;
    return this.#endMs - stopwatch();
  }

  /** Begins anew with another report instead of one that was picked up. */
  restart(): void {
    this.#endMs = undefined;
    this.#beginReport();
  }

  /** Starts the time in which a ready report may still be unknown. */
  markReady(reportId: string): void {
    this.#readyMs ??= this.#client.host.stopwatch();
    this.#readyId = reportId;
  }

  /** Returns the step to repeat, once it may be repeated. Otherwise throws the error. */
  async next(error: unknown): Promise<RetryStep> {
    if (!(error instanceof AdreportError)) throw error;
    if (isReportFailure(error)) return this.#requestAgain(error);
    if (this.#isLate(error)) return this.#waitAgain(error);
    // The calls themselves repeat what they may.
    if (!error.isCut) throw error;

    await this.#client.pauseAfterCut(error, this.downloads);
    return 'open';
  }

  #requestAgain(error: AdreportError): RetryStep {
    const { maxRequests, waitTimeoutMs, note } = this.#options;
    if (this.#requests >= maxRequests) throw error;

    note?.(`${error.message} Requesting it again.`);
    this.#requests += 1;
    this.#endMs = this.#startedMs + waitTimeoutMs;
    this.#beginReport();
    return 'request';
  }

  #beginReport(): void {
    this.#readyMs = undefined;
    this.downloads.tries = 0;
    this.#hasNotedLateness = false;
  }

  /** Holds if a report that is ready cannot be downloaded yet. */
  #isLate(error: AdreportError): boolean {
    if (!this.#options.waits || this.#readyMs === undefined) return false;
    const sinceReadyMs = this.#client.host.stopwatch() - this.#readyMs;
    return isStillInProgress(error) || (isUnknownReport(error) && sinceReadyMs < maxLateMs);
  }

  async #waitAgain(error: AdreportError): Promise<RetryStep> {
    const { pollInterval, signal, note } = this.#options;
    const { stopwatch, sleep, signal: clientSignal } = this.#client.host;
    const leftMs = this.leftMs();
    if (leftMs < minLeftMs) throw error;

    if (!this.#hasNotedLateness) {
      const id = printable(this.#readyId);
      note?.(`Report ${id} is ready, but its download is not available yet; waiting.`);
    }
    this.#hasNotedLateness = true;
    this.downloads.tries = 0;
    const waitedMs = stopwatch() - (this.#readyMs ?? 0);
    const pauseMs = Math.max(pauseAfter(waitedMs, pollInterval), error.retryAfterMs ?? 0);
    await sleep(Math.min(pauseMs, leftMs), signal ?? clientSignal);
    return 'wait';
  }
}
