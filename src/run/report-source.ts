import { identifyAccount } from '../account/owner.ts';
import type { RequestedReport } from '../api/client.ts';
import { OpenReport } from '../client/open.ts';
import { type Poll, type ReadyReport, waitForDownload, waitUntilReady } from '../client/wait.ts';
import {
  AdreportError,
  ErrorInContext,
  endsReport,
  InterruptedError,
  isInterruption,
  isReportFailure,
  isTooLarge,
  RefusedReportError,
} from '../errors.ts';
import type { RunFlags } from '../query/flags/run-flags.ts';
import type { WaitFlags } from '../query/flags/wait-flags.ts';
import { splitToRetry, withoutOutput } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import { anySignal } from '../signals.ts';
import { printable } from '../text/printable.ts';
import { type PartsProgress, silentProgress } from '../ui/progress.ts';
import type { Context } from './context.ts';
import { Downloads, labelPart, PartsFailedError } from './downloads.ts';
import type { LedgerChange } from './ledger.ts';
import { MergedReport, type SpooledPart, spoolPart } from './merge-parts.ts';
import { findReportToResume, requestAndRecord, updateLedger } from './request.ts';

/** Parts to read as one report. */
interface PartsToMerge {
  /** Parts in time order. */
  readonly parts: readonly Part[];

  /** Label of the report, if the run has several. */
  readonly label?: string | undefined;
  readonly downloads: Downloads;
}

/** A report that yields rows. */
export type ReportRows = OpenReport | MergedReport;

/** A report to request or resume, or one that exists. */
export interface ReportToRead {
  /** Part to request. The rows are checked against it. Absent if the request is not known. */
  readonly part?: Part | undefined;

  /** Set for a report that the user names by its ID. */
  readonly existing?: RequestedReport;

  /** False to download at once, without waiting. */
  readonly waits?: boolean;

  /** Reports to merge; absent to request one. */
  readonly merged?: PartsToMerge | undefined;

  /** Downloads of the run. If absent, a report that failed is not requested in parts. */
  readonly downloads?: Downloads | undefined;

  /** Label of the report, if the run has several. */
  readonly label?: string | undefined;
  readonly options: WaitFlags & Partial<Pick<RunFlags, 'fresh' | 'retries' | 'concurrency'>>;
}

/** A report that was requested or found. */
interface FoundReport {
  readonly report: RequestedReport;

  /** Set if this run requested it. */
  readonly isNew: boolean;

  /** End of the wait for the report, in milliseconds by the stopwatch. */
  readonly endMs: number;
}

/**
 * Reads the rows of a report. If the report fails, it is requested a second time. If that fails
 * too, it is requested in parts, which are merged.
 */
export class ReportSource {
  readonly #context: Context;
  readonly #request: ReportToRead;
  #mayResume: boolean;
  #mayRequestAgain: boolean;
  #found: FoundReport | undefined;
  #ready: ReadyReport | undefined;
  #open: OpenReport | undefined;

  /** Counts attempts to download the report: refused calls and cut bodies. */
  #tries = 0;
  #merged: MergedReport | undefined;

  /** Counts the parts, once the report as a whole has failed. */
  #meter: PartsProgress | undefined;

  constructor(context: Context, request: ReportToRead) {
    const { existing, part, options, merged } = request;
    this.#context = context;
    this.#request = request;
    this.#mayResume = !existing && !options.fresh && !part?.query.direct;
    this.#mayRequestAgain = !existing && options.retries !== 0;
    this.#merged = merged && this.#mergeParts(merged);
  }

  /** Opens the report. Throws the errors of the client, and `PartsFailedError`. */
  async open(): Promise<ReportRows> {
    return this.#merged ?? this.#openOne();
  }

  /** Downloads the report into a temporary file. Throws the errors of the client. */
  async spool(label: string): Promise<SpooledPart> {
    for (;;) {
      try {
        return await spoolPart(await this.#openOne(), label);
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  /** Requests the report or resumes it, waits until it is ready, and begins its download. */
  async #openOne(): Promise<OpenReport> {
    const { waits, options } = this.#request;
    this.#found ??= await this.#requestOrResume();
    this.#ready ??=
      waits === false
        ? { ...this.#found.report, message: '' }
        : await waitForReport(this.#context, this.#found, options);
    this.#open = await this.#beginDownload(this.#ready, this.#found.endMs);
    return this.#open;
  }

  /**
   * Prepares the next attempt. After a cut, this is another download. If the report failed, or if a
   * resumed report no longer exists, it is requested once more and then in parts. For any other
   * error, records and throws it.
   */
  async recover(thrown: unknown): Promise<void> {
    if (this.#merged) return this.#endMerged(this.#merged, thrown);
    try {
      await this.#pauseAfterCut(thrown);
    } catch (final) {
      await this.#requestAgain(final);
    }
  }

  /** Ids of the reports that were read. */
  get reportIds(): readonly string[] {
    const id = this.#found?.report.id;
    const own = id === undefined ? [] : [id];
    return this.#merged?.reportIds ?? own;
  }

  /** Records that the report is in its files. The same command will request it anew. */
  async recordDownload(): Promise<void> {
    this.#meter?.stop();
    for (const id of this.reportIds) {
      await updateLedger(this.#context, id, { status: 'downloaded' });
    }
  }

  async #requestOrResume(): Promise<FoundReport> {
    const { existing, part, waits, options } = this.#request;
    const { host, signal } = this.#context;
    signal.throwIfAborted();
    const resumed =
      this.#mayResume && part ? await findReportToResume(this.#context, part) : undefined;
    let report = existing ?? resumed;
    const isNew = report === undefined;
    if (!report) {
      if (!part) throw new TypeError('A report without an id has a request.');
      report = await requestAndRecord(this.#context, part);
    }
    // The wait of each report begins here, because an earlier report may have delayed this one.
    const waitMs = waits === false ? 0 : options.waitTimeout;
    return { report, isNew, endMs: host.stopwatch() + waitMs };
  }

  async #beginDownload(report: ReadyReport, endMs: number): Promise<OpenReport> {
    const { account, console, signal, progress } = this.#context;
    const { part, options } = this.#request;
    const client = await account.client();
    const response = await waitForDownload(client, report, {
      signal,
      endMs,
      pollInterval: options.pollInterval,
      triesBefore: this.#tries,
      onPoll({ polls, nextPauseMs }) {
        const isLate = polls === 1 && nextPauseMs !== undefined;
        if (isLate) console.note('The report is ready, but cannot be downloaded yet; waiting.');
      },
    });
    const onTransfer = (await progress()).download();
    return new OpenReport(client, { report, response, part, signal, onTransfer });
  }

  /** Waits before another download if this one was cut. Throws any other error. */
  async #pauseAfterCut(error: unknown): Promise<void> {
    const cut = this.#open;
    this.#open = undefined;
    this.#tries = cut?.tries ?? 0;
    if (!cut) throw error;
    await cut.pauseAfter(error);
  }

  async #requestAgain(thrown: unknown): Promise<void> {
    const { report, isNew = true } = this.#found ?? {};
    const error = await recordFailure(this.#context, report?.id, thrown);
    const isFailed = isReportFailure(error) && this.#mayRequestAgain;
    const isReplaced = !isNew && !this.#request.existing && endsReport(error);
    if (!isFailed && !isReplaced) {
      this.#merged = await this.#splitAfter(error);
      return;
    }
    this.#context.console.note(`${error.message} Requesting it again.`);
    this.#mayResume = false;
    if (isFailed) this.#mayRequestAgain = false;
    this.#found = undefined;
    this.#ready = undefined;
    this.#tries = 0;
  }

  /** Splits a failed report into parts. Throws the error if parts cannot help. */
  async #splitAfter(error: AdreportError): Promise<MergedReport> {
    const { part, downloads, options, label } = this.#request;
    const mayHelp = isReportFailure(error) || isTooLarge(error);
    const isAllowed = downloads && options.retries !== 0;
    const parts = part && isAllowed ? splitToRetry(part) : [];
    if (!mayHelp || parts.length < 2) throw error;

    const { console, progress } = this.#context;
    console.note(`${error.message} Requesting it as ${parts.length} shorter reports instead.`);
    const meter = (await progress()).parts(parts.length);
    this.#meter = meter;
    const { concurrency: size = 1 } = options;
    const failures = downloads?.failures;
    return this.#mergeParts({
      parts,
      label,
      downloads: new Downloads(this.#context, { size, meter, failures }),
    });
  }

  #mergeParts(merged: PartsToMerge): MergedReport {
    const { host } = this.#context;
    const [first] = merged.parts;
    return new MergedReport(downloadParts(this.#context, merged, this.#request.options), {
      createdMs: host.wallClock(),
      isWeekly: first?.query.breakdowns.includes('WEEKLY') === true,
    });
  }

  async #endMerged({ reportIds }: MergedReport, error: unknown): Promise<never> {
    this.#meter?.stop();
    // The error of one report names it, and the others can still be resumed.
    const isWholeRefused = error instanceof RefusedReportError && error.reportId === undefined;
    for (const id of isWholeRefused ? reportIds : []) {
      await recordFailure(this.#context, id, error);
    }
    throw error;
  }
}

/** Parts downloaded ahead of the one being read; each keeps a temporary file open. */
const maxAhead = 32;

/**
 * Downloads parts concurrently into temporary files, and yields them in time order. If one fails,
 * the others are still downloaded. The service then has them ready for the next run. Throws
 * `PartsFailedError`.
 */
async function* downloadParts(
  outer: Context,
  { parts, label: reportLabel, downloads }: PartsToMerge,
  options: ReportToRead['options'],
): AsyncGenerator<SpooledPart> {
  const { account } = outer;
  const cancel = new AbortController();
  const signal = anySignal(outer.signal, cancel.signal);
  const context = { ...outer, signal, progress: async () => silentProgress };
  const ahead = Math.max(maxAhead, downloads.size);
  const started: Promise<SpooledPart>[] = [];
  const startUntil = (end: number): void => {
    for (const part of parts.slice(started.length, end)) {
      const label = labelPart(reportLabel, part);
      const source = new ReportSource(context, { part: withoutOutput(part), options });
      const spooled = downloads.take({ label, since: part.since, account }, () => {
        return source.spool(label);
      });
      // It may fail before it is awaited.
      spooled.catch(() => {});
      started.push(spooled);
    }
  };

  try {
    startUntil(ahead);
    // `started` grows during the loop.
    for (const [index, spooled] of started.entries()) {
      const part = await spooled;
      yield part;
      await part.spool.close();
      startUntil(index + 1 + ahead);
    }
  } catch (error) {
    if (!(error instanceof AdreportError) || isInterruption(error)) throw error;
    await Promise.allSettled(started);
    throw new PartsFailedError(error, {});
  } finally {
    // If the output failed or its reader is gone (`| head`), downloads may still be running.
    cancel.abort(new InterruptedError(143));
    for (const spooled of started) {
      const part = await spooled.catch(() => undefined);
      await part?.spool.close();
    }
  }
}

/** Milliseconds between status calls to the server in this process, whose reports take 0.2 s. */
const localIntervalMs = 100;

/** Waits until a report is ready, with progress, and records how long that took. */
export async function waitForReport(
  context: Context,
  { report, isNew, endMs }: FoundReport,
  options: WaitFlags,
): Promise<ReadyReport> {
  const { account, host, ledger, signal } = context;
  const { id, requestedMs } = report;
  if (id === undefined) return { ...report, message: '' };

  const isAuto = options.pollInterval === 'auto';
  const pollInterval = account.isLocal && isAuto ? localIntervalMs : options.pollInterval;
  const label = `Report ${printable(id).slice(0, 40)}`;
  const usualMs = ledger()?.findUsualMs(await identifyAccount(account));
  const meter = (await context.progress()).wait(label, usualMs);
  let pollCount = 0;
  const onPoll = ({ status, polls }: Poll): void => {
    meter.update(status);
    pollCount = polls;
  };
  try {
    const client = await account.client();
    const ready = await waitUntilReady(client, report, { endMs, pollInterval, signal, onPoll });
    const tookMs = Math.max(0, host.wallClock() - (requestedMs ?? Number.NaN));
    // If the report was ready before this run called the service, the time says nothing about its
    // duration.
    const isTimed = (isNew || pollCount > 1) && requestedMs !== undefined;
    await updateLedger(context, id, { status: ready.status, ...(isTimed && { tookMs }) });
    return ready;
  } finally {
    meter.stop();
  }
}

/**
 * Records the error that ended the work on a report, and whether a later run may resume it. Returns
 * the error with the ID of the report. Throws bugs.
 */
export async function recordFailure(
  context: Context,
  id: string | undefined,
  thrown: unknown,
): Promise<AdreportError> {
  const { signal, console } = context;
  // A cancelled operation may throw any error. The reason is in the signal.
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (!(error instanceof AdreportError)) throw error;
  if (id === undefined) return error;

  const message = console.redact(error.message);
  if (!signal.aborted) await updateLedger(context, id, { message, ...statusAfter(error) });
  return error.reportId === id ? error : new ErrorInContext(error, { reportId: id });
}

/** Returns the status of a report that has ended. */
function statusAfter(error: AdreportError): LedgerChange {
  if (!endsReport(error)) return {};
  const ended = error.exitCode === 9 ? 'unreadable' : 'refused';
  return { status: isReportFailure(error) ? 'failed' : ended };
}
