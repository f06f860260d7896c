import { type OpenReport, openReport, type Transfer } from '../client/open.ts';
import type { RequestedReport } from '../client/send-request.ts';
import { type Poll, type ReadyReport, waitUntilReady } from '../client/wait.ts';
import { outcomeOf } from '../contract/messages.ts';
import { endsReport, isReportFailure, isTruncated } from '../errors.ts';
import type { RunFlags } from '../query/flags/run-flags.ts';
import type { WaitFlags } from '../query/flags/wait-flags.ts';
import type { Part } from '../query/query.ts';
import { printable } from '../text/printable.ts';
import type { Progress } from '../ui/progress.ts';
import type { Context } from './context.ts';
import {
  lastTookMs,
  recordFailure,
  requestAndRecord,
  resumeReport,
  updateLedger,
} from './request.ts';

/** A report to request or resume, or one that exists. */
export interface ReportToOpen {
  /** What is requested, and what the rows are checked against; absent if it is not known. */
  readonly part?: Part | undefined;

  /** Set if the report is named by its id. */
  readonly named?: RequestedReport;

  /** False to download at once, without waiting. */
  readonly waits?: boolean;
  readonly options: WaitFlags & Partial<Pick<RunFlags, 'fresh' | 'retries'>>;
}

/** A report that was requested or found. */
interface FoundReport {
  readonly report: RequestedReport;

  /** Requested by an earlier run. */
  readonly isResumed: boolean;

  /** When the wait for it ends, in milliseconds by the stopwatch. */
  readonly endMs: number;
}

/** One report until its rows are read; what failed in a way that may pass is tried again. */
export class ReportAttempts {
  readonly #context: Context;
  readonly #request: ReportToOpen;
  #mayResume: boolean;
  #mayRequestAgain: boolean;
  #found: FoundReport | undefined;
  #ready: ReadyReport | undefined;
  #open: OpenReport | undefined;

  /** Tries to download the report; refused calls and cut bodies both count. */
  #downloads = 0;

  constructor(context: Context, request: ReportToOpen) {
    const { named, part, options } = request;
    this.#context = context;
    this.#request = request;
    this.#mayResume = !named && !options.fresh && !part?.query.direct;
    this.#mayRequestAgain = !named && options.retries !== 0;
  }

  /** Requests the report or resumes it, waits until it is ready, and begins its download. */
  async open(): Promise<OpenReport> {
    this.#found ??= await this.#requestOrResume();
    this.#ready ??= await waitForReport(this.#context, this.#request, this.#found);
    this.#open = await this.#beginDownload(this.#ready, this.#found);
    return this.#open;
  }

  /**
   * Prepares the next attempt: after a cut another download; after a failure, or the end of a
   * resumed report, another request, once. Otherwise records the error and throws it.
   */
  async recover(thrown: unknown): Promise<void> {
    const { report, isResumed = false } = this.#found ?? {};
    const broken = this.#open;
    this.#open = undefined;
    broken?.close();
    this.#downloads = broken?.tries ?? 0;
    const final = broken ? await this.#pauseAfterCut(thrown) : thrown;
    if (final === undefined) return;

    const error = await recordFailure(this.#context, report?.id, final);
    const isFailed = isReportFailure(error) && this.#mayRequestAgain;
    const isReplaced = isResumed && endsReport(error);
    if (!isFailed && !isReplaced) throw error;

    this.#context.console.note(`${error.message} Requesting it again.`);
    this.#mayResume = false;
    if (isFailed) this.#mayRequestAgain = false;
    this.#found = undefined;
    this.#ready = undefined;
    this.#downloads = 0;
  }

  async #requestOrResume(): Promise<FoundReport> {
    const { named, part, options } = this.#request;
    const { host, signal } = this.#context;
    signal.throwIfAborted();
    const resumed = this.#mayResume && part ? await resumeReport(this.#context, part) : undefined;
    let report = named ?? resumed;
    if (!report) {
      if (!part) throw new TypeError('A report without an id has a request.');
      report = await requestAndRecord(this.#context, part);
    }
    // Counted from here for each report: an earlier one may have kept this one waiting.
    const endMs = host.stopwatch() + options.waitTimeout;
    return { report, isResumed: resumed !== undefined, endMs };
  }

  async #beginDownload(ready: ReadyReport, { endMs }: FoundReport): Promise<OpenReport> {
    const { account, console, host, signal, progress } = this.#context;
    const { part, waits, options } = this.#request;
    return openReport(await account.client(), ready, {
      part,
      signal,
      endMs: waits === false ? host.stopwatch() : endMs,
      pollInterval: options.pollInterval,
      onPoll({ polls, nextPauseMs }) {
        const isLate = polls === 1 && nextPauseMs !== undefined;
        if (isLate) console.note('The report is ready, but cannot be downloaded yet; waiting.');
      },
      triesBefore: this.#downloads,
      onTransfer: transferMeter(await progress()),
    });
  }

  /** Waits if the report may be downloaded again; otherwise returns the error. */
  async #pauseAfterCut(error: unknown): Promise<unknown> {
    const { account, signal } = this.#context;
    const hasId = this.#found?.report.id !== undefined;
    if (!isTruncated(error) || !hasId || signal.aborted) return error;

    const client = await account.client();
    return client.pause(error, this.#downloads).catch((final: unknown) => final);
  }
}

/** Shows a transfer from its first bytes on. */
function transferMeter(progress: Progress): (transfer: Transfer) => void {
  let meter: ReturnType<Progress['transfer']> | undefined;
  return ({ bytes, sizeBytes, isOver }) => {
    meter ??= progress.transfer('Downloading', sizeBytes);
    meter.update({ bytes });
    if (isOver) meter.stop();
  };
}

/** Milliseconds between status calls to the server in this process, whose reports take 0.2 s. */
const localIntervalMs = 100;

/** Waits until a report is ready, with progress, and records changes of its status. */
export async function waitForReport(
  context: Context,
  { options, waits, named }: ReportToOpen,
  { report, isResumed, endMs }: FoundReport,
): Promise<ReadyReport> {
  const { account, host, signal } = context;
  const { id, response, requestedMs } = report;
  if (waits === false || id === undefined || response) return { ...report, message: '' };

  const isAuto = options.pollInterval === 'auto';
  const pollInterval = account.isLocal && isAuto ? localIntervalMs : options.pollInterval;
  const label = `Report ${printable(id).slice(0, 40)}`;
  const meter = (await context.progress()).wait(label, await lastTookMs(context));
  let lastStatus = 'progress';
  const onPoll = ({ status, polls }: Poll): void => {
    meter.update(status);
    if (status === lastStatus) return;
    lastStatus = status;
    // A report that was ready before this run asked for it tells nothing about its duration.
    const wasReady = polls === 1 && (isResumed || named !== undefined);
    const isTimed = outcomeOf(status) === 'ready' && !wasReady && requestedMs !== undefined;
    const tookMs = isTimed ? Math.max(0, host.wallClock() - requestedMs) : undefined;
    void updateLedger(context, id, { status, ...(tookMs !== undefined && { tookMs }) });
  };
  try {
    const client = await account.client();
    return await waitUntilReady(client, report, { endMs, pollInterval, signal, onPoll });
  } finally {
    meter.stop();
  }
}
