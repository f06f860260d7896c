import type { Client } from '../api/client.ts';
import { type Poll, type PollInterval, pauseAfter } from '../api/poll.ts';
import { AdreportError, isReportFailure, isStillInProgress, isUnknownReport } from '../errors.ts';
import type { Expectation } from '../query/expectation.ts';
import { printable } from '../text/printable.ts';
import { type OpenReport, openReport, type Transfer } from './open.ts';
import type { RequestedReport } from './request.ts';
import { type ReadyReport, waitUntilReady } from './wait.ts';

interface StepsOptions {
  /** Set for a report that was requested before. It is not requested again. */
  readonly requested?: RequestedReport | undefined;

  /** Request that the rows are checked against; absent if the request is not known. */
  readonly expectation?: Expectation | undefined;

  /** How long to wait for the report, in milliseconds. */
  readonly waitTimeoutMs: number;
  readonly pollInterval?: PollInterval | undefined;

  /** How often a call is repeated. With 0, a report that fails is not requested again. */
  readonly retries: number | undefined;

  /** False if a report that is not ready is an error. */
  readonly waits?: boolean | undefined;

  /** Ends the steps; by default the signal of the client. */
  readonly signal?: AbortSignal | undefined;

  /** Prints why something is repeated. */
  readonly note?: ((sentence: string) => void) | undefined;
}

/** A report may be unknown to a part of the service for so long after it is ready. */
const maxLateMs = 60_000;

/** Timers may fire a fraction of a millisecond early; that does not justify another attempt. */
const minLeftMs = 1;

/**
 * Takes a report from its request to its rows, and remembers what each step returned. After an
 * error, `recover` decides which of them are taken again: a report that failed is requested once
 * more, one that is not ready after all is waited for, and a download that was cut is begun again.
 */
export class ReportSteps {
  readonly #client: Client;
  readonly #options: StepsOptions;
  readonly #signal: AbortSignal;
  readonly #startedMs: number;

  /** Tries to download the report; refused calls and cut bodies both count. */
  readonly #downloads = { tries: 0 };
  #requested: RequestedReport | undefined;
  #ready: ReadyReport | undefined;
  #open: OpenReport | undefined;
  #mayRequestAgain: boolean;
  #endMs: number | undefined;
  #readyMs: number | undefined;
  #hasNotedLateness = false;

  constructor(client: Client, options: StepsOptions) {
    const { requested, retries, signal = client.host.signal } = options;
    this.#client = client;
    this.#options = options;
    this.#signal = signal;
    this.#startedMs = client.host.stopwatch();
    this.#requested = requested;
    this.#mayRequestAgain = !requested && retries !== 0;
  }

  /** `undefined` if the report is still to be requested. */
  get requested(): RequestedReport | undefined {
    return this.#requested;
  }

  get ready(): ReadyReport | undefined {
    return this.#ready;
  }

  /** True if the download has begun. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Continues with a report that was requested or found. The time to wait begins. */
  continueWith(requested: RequestedReport): RequestedReport {
    this.#requested = requested;
    this.#leftMs();
    return requested;
  }

  /** Throws as `waitUntilReady`. */
  async wait(requested: RequestedReport, onPoll?: (poll: Poll) => void): Promise<ReadyReport> {
    const { waits = true, pollInterval } = this.#options;
    const limits = { waitTimeoutMs: this.#leftMs(), pollInterval, signal: this.#signal, onPoll };
    this.#ready ??= waits
      ? await waitUntilReady(this.#client, requested, limits)
      : { ...requested, message: '' };
    this.#readyMs ??= this.#client.host.stopwatch();
    return this.#ready;
  }

  /** Begins the download. Throws as `openReport`. */
  async open(ready: ReadyReport, onTransfer: (transfer: Transfer) => void): Promise<OpenReport> {
    this.#open = await openReport(this.#client, ready, {
      expectation: this.#options.expectation,
      tries: this.#downloads,
      signal: this.#signal,
      onTransfer,
    });
    return this.#open;
  }

  /**
   * Returns once the steps may be taken again after an error. Those that need not be return what
   * they returned before. Otherwise throws the error.
   */
  async recover(error: unknown): Promise<void> {
    const hasReport = this.#requested?.id !== undefined;
    if (!hasReport || !(error instanceof AdreportError)) throw error;
    if (isReportFailure(error)) return this.#requestAgain(error);
    if (this.#isLate(error)) return this.#waitAgain(error);
    // The calls themselves repeat what they may.
    if (!error.isCut) throw error;

    await this.#client.pauseAfterCut(error, this.#downloads);
    this.#open = undefined;
  }

  /** Begins anew with another report. */
  restart(): void {
    this.#endMs = undefined;
    this.#forgetReport();
  }

  /** Ends the download. */
  close(): void {
    this.#open?.close();
  }

  #requestAgain(error: AdreportError): void {
    const { waitTimeoutMs, note } = this.#options;
    if (!this.#mayRequestAgain) throw error;

    note?.(`${error.message} Requesting it again.`);
    this.#mayRequestAgain = false;
    this.#endMs = this.#startedMs + waitTimeoutMs;
    this.#forgetReport();
  }

  #forgetReport(): void {
    this.#requested = undefined;
    this.#ready = undefined;
    this.#open = undefined;
    this.#readyMs = undefined;
    this.#downloads.tries = 0;
    this.#hasNotedLateness = false;
  }

  /** Holds if a report that is ready cannot be downloaded yet. */
  #isLate(error: AdreportError): boolean {
    if (this.#options.waits === false || this.#readyMs === undefined) return false;
    const sinceReadyMs = this.#client.host.stopwatch() - this.#readyMs;
    return isStillInProgress(error) || (isUnknownReport(error) && sinceReadyMs < maxLateMs);
  }

  async #waitAgain(error: AdreportError): Promise<void> {
    const { pollInterval, note } = this.#options;
    const { stopwatch, sleep } = this.#client.host;
    const leftMs = this.#leftMs();
    if (leftMs < minLeftMs) throw error;

    if (!this.#hasNotedLateness) {
      const id = printable(this.#requested?.id ?? '');
      note?.(`Report ${id} is ready, but its download is not available yet; waiting.`);
    }
    this.#hasNotedLateness = true;
    this.#downloads.tries = 0;
    this.#ready = undefined;
    this.#open = undefined;
    const waitedMs = stopwatch() - (this.#readyMs ?? 0);
    const pauseMs = Math.max(pauseAfter(waitedMs, pollInterval), error.retryAfterMs ?? 0);
    await sleep(Math.min(pauseMs, leftMs), this.#signal);
  }

  /** Milliseconds left to wait for the report, counted from the first call. */
  #leftMs(): number {
    const { stopwatch } = this.#client.host;
    this.#endMs ??= stopwatch() + this.#options.waitTimeoutMs;
    return this.#endMs - stopwatch();
  }
}
