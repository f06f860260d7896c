import type { Client } from '../api/client.ts';
import type { TryCount } from '../api/retrying-caller.ts';
import {
  AdreportError,
  ErrorInContext,
  endsReport,
  isReportFailure,
  isTruncated,
} from '../errors.ts';
import type { Part } from '../query/query.ts';
import { type OpenOptions, type OpenReport, openReport } from './open.ts';
import type { RequestedReport } from './send-request.ts';
import { type PollInterval, type ReadyReport, type WaitLimits, waitUntilReady } from './wait.ts';

/** Waits for a report; `onPoll` is told each status. */
type Wait = (onPoll: WaitLimits['onPoll']) => Promise<ReadyReport>;

/** What a caller records and shows of a report. */
export interface ReportSteps extends Pick<OpenOptions, 'onTransfer'> {
  /** Finds an unfinished report of the same request; absent if none is resumed. */
  readonly resume?: ((part: Part) => Promise<RequestedReport | undefined>) | undefined;

  request(part: Part): Promise<RequestedReport>;

  /** Calls `begin`. `isNew` is false for a report that was resumed, or is named by its id. */
  wait(begin: Wait, report: RequestedReport, isNew: boolean): Promise<ReadyReport>;

  /** Called after each refusal of a download that is not available yet. */
  readonly onRefusal?: WaitLimits['onPoll'];

  /** Called after an error that another download does not help, if there is an id. */
  fail?(error: AdreportError, isRequestedAgain: boolean): Promise<void>;
}

/** A report to request or resume, or one that exists. */
export interface AttemptsSetup {
  readonly client: () => Promise<Client>;
  readonly signal: AbortSignal;

  /** What is requested, and what the rows are checked against; absent if it is not known. */
  readonly part?: Part | undefined;

  /** Set if the report is named by its id. */
  readonly named?: RequestedReport | undefined;

  /** False to download at once, without waiting. */
  readonly waits?: boolean | undefined;

  /** Milliseconds to wait for each report that is requested. */
  readonly waitTimeoutMs: number;
  readonly pollInterval?: PollInterval | undefined;

  /** A report that fails is not requested once more if this is 0. */
  readonly retries?: number | undefined;
  readonly steps: ReportSteps;
}

/** A report that was requested or found, and how far it is. */
interface Attempt {
  readonly client: Client;
  readonly report: RequestedReport;
  readonly isNew: boolean;

  /** When the wait ends, in milliseconds by the stopwatch. */
  readonly endMs: number;

  /** Tries to download the report; refused calls and cut bodies both count. */
  readonly tries: TryCount;
  ready?: ReadyReport;
  open?: OpenReport | undefined;
}

/** One report until its rows are read; what failed in a way that may pass is tried again. */
export class ReportAttempts {
  readonly #setup: AttemptsSetup;
  #mayResume: boolean;
  #mayRequestAgain: boolean;
  #attempt: Attempt | undefined;

  constructor(setup: AttemptsSetup) {
    this.#setup = setup;
    this.#mayResume = !setup.named;
    this.#mayRequestAgain = !setup.named && setup.retries !== 0;
  }

  get id(): string | undefined {
    return this.#attempt?.report.id;
  }

  /** The report that is being read. */
  get open(): OpenReport | undefined {
    return this.#attempt?.open;
  }

  /**
   * Reads the report that is open, or opens it. After a cut it is downloaded again; after a
   * failure, or the end of a resumed report, it is requested again, once: `use` then begins anew.
   * Throws other errors as the client, with the id of the report, or the reason of an abort.
   */
  async read<Result>(use: (report: OpenReport) => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        this.#attempt ??= await this.#requestOrResume();
        this.#attempt.open ??= await this.#download(this.#attempt);
        return await use(this.#attempt.open);
      } catch (error) {
        await this.#recover(error);
      }
    }
  }

  /** Requests the report or resumes it, and waits until it is ready. */
  async wait(): Promise<ReadyReport> {
    this.#attempt ??= await this.#requestOrResume();
    return this.#waitFor(this.#attempt);
  }

  async #requestOrResume(): Promise<Attempt> {
    const { client: connect, signal, named, part, waitTimeoutMs, steps } = this.#setup;
    signal.throwIfAborted();
    const found = named ?? (this.#mayResume && part ? await steps.resume?.(part) : undefined);
    let report = found;
    if (!report) {
      if (!part) throw new TypeError('A report without an id has a request.');
      report = await steps.request(part);
    }
    const client = await connect();
    // Counted from here for each report: an earlier one may have kept this one waiting.
    const endMs = client.host.stopwatch() + waitTimeoutMs;
    return { client, report, isNew: found === undefined, endMs, tries: { tries: 0 } };
  }

  async #waitFor({ client, report, isNew, endMs }: Attempt): Promise<ReadyReport> {
    const { signal, waits, pollInterval, steps } = this.#setup;
    if (waits === false || report.id === undefined) return { ...report, message: '' };

    const limits = { endMs, pollInterval, signal };
    const wait: Wait = (onPoll) => waitUntilReady(client, report, { ...limits, onPoll });
    return steps.wait(wait, report, isNew);
  }

  async #download(attempt: Attempt): Promise<OpenReport> {
    const { signal, part, waits, pollInterval, steps } = this.#setup;
    attempt.ready ??= await this.#waitFor(attempt);
    const { client, ready, endMs, tries } = attempt;
    return openReport(client, ready, {
      part,
      signal,
      endMs: waits === false ? client.host.stopwatch() : endMs,
      pollInterval,
      tries,
      onPoll: steps.onRefusal,
      onTransfer: steps.onTransfer,
    });
  }

  /** Prepares the next attempt. Throws the error if there is none. */
  async #recover(thrown: unknown): Promise<void> {
    const { signal, steps } = this.#setup;
    const attempt = this.#attempt;
    const final = attempt?.open ? await this.#pauseAfterCut(attempt, thrown) : thrown;
    if (final === undefined) return;

    const id = attempt?.report.id;
    const error = withReportId(final, id, signal);
    if (!(error instanceof AdreportError) || id === undefined) throw error;

    const isFailed = isReportFailure(error) && this.#mayRequestAgain;
    const isReplaced = this.#mayResume && attempt?.isNew === false && endsReport(error);
    await steps.fail?.(error, isFailed || isReplaced);
    if (!isFailed && !isReplaced) throw error;

    this.#mayResume = false;
    if (isFailed) this.#mayRequestAgain = false;
    this.#attempt = undefined;
  }

  /** Waits if the report may be downloaded again; otherwise returns the error. */
  async #pauseAfterCut(attempt: Attempt, error: unknown): Promise<unknown> {
    const { client, report, tries } = attempt;
    attempt.open?.close();
    attempt.open = undefined;
    const mayHelp = isTruncated(error) && report.id !== undefined && !this.#setup.signal.aborted;
    return mayHelp ? client.pauseAfterCut(error, tries).catch((final: unknown) => final) : error;
  }
}

/** Returns what ended the work on a report: the reason of an abort, or the error with its id. */
export function withReportId(
  thrown: unknown,
  id: string | undefined,
  signal: AbortSignal,
): unknown {
  // A cancelled operation may throw any error. The reason is in the signal.
  const error: unknown = signal.aborted ? signal.reason : thrown;
  const isWhole = !(error instanceof AdreportError) || id === undefined || error.reportId === id;
  return isWhole ? error : new ErrorInContext(error, { reportId: id });
}
