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

export type ReportRows = OpenReport | MergedReport;

/** A report to request, resume or download. */
export interface ReportToRead {
  /** The part to request, if known. The rows are checked against it. */
  readonly part?: Part | undefined;

  /** A report that the user specified by its ID. */
  readonly existing?: RequestedReport;

  /** Whether to wait until the report is ready. Default: true. */
  readonly shouldWait?: boolean;

  /** Reports to merge, instead of a single report. */
  readonly merged?: PartsToMerge | undefined;

  /** Downloads of the run. Needed to request a failed report in parts. */
  readonly downloads?: Downloads | undefined;

  /** Label of the report, if the run has several. */
  readonly label?: string | undefined;
  readonly options: WaitFlags & Partial<Pick<RunFlags, 'fresh' | 'retries' | 'concurrency'>>;
}

interface FoundReport {
  readonly report: RequestedReport;

  /** Whether this run requested the report. */
  readonly isNew: boolean;

  /** Deadline for the wait, in stopwatch milliseconds. */
  readonly endMs: number;
}

/**
 * Reads the rows of a report. If the report fails, it is requested once more, and then in parts,
 * which are merged.
 */
export class ReportSource {
  readonly #context: Context;
  readonly #request: ReportToRead;
  #mayResume: boolean;
  #mayRequestAgain: boolean;
  #found: FoundReport | undefined;
  #ready: ReadyReport | undefined;
  #open: OpenReport | undefined;

  /** Attempts to download the report, including refused calls and truncated bodies. */
  #tries = 0;
  #merged: MergedReport | undefined;

  /** Progress of the parts, once the report as a whole has failed. */
  #meter: PartsProgress | undefined;

  constructor(context: Context, request: ReportToRead) {
    const { existing, part, options, merged } = request;
    this.#context = context;
    this.#request = request;
    this.#mayResume = !existing && !options.fresh && !part?.query.direct;
    this.#mayRequestAgain = !existing && options.retries !== 0;
    this.#merged = merged && this.#mergeParts(merged);
  }

  /** Opens the report. Throws `PartsFailedError` and the errors of the client. */
  async open(): Promise<ReportRows> {
    return this.#merged ?? this.#openOne();
  }

  /** Downloads the report into a temporary file. */
  async spool(label: string): Promise<SpooledPart> {
    for (;;) {
      try {
        return await spoolPart(await this.#openOne(), label);
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  /** Requests or resumes the report, waits until it is ready, and starts the download. */
  async #openOne(): Promise<OpenReport> {
    const { shouldWait, options } = this.#request;
    this.#found ??= await this.#requestOrResume();
    this.#ready ??=
      shouldWait === false
        ? { ...this.#found.report, message: '' }
        : await waitForReport(this.#context, this.#found, options);
    this.#open = await this.#beginDownload(this.#ready, this.#found.endMs);
    return this.#open;
  }

  /**
   * Prepares the next attempt. A truncated download is repeated. A report that failed, or a resumed
   * report that no longer exists, is requested once more and then in parts. Any other error is
   * recorded and rethrown.
   */
  async recover(thrown: unknown): Promise<void> {
    if (this.#merged) return this.#endMerged(this.#merged, thrown);
    try {
      await this.#pauseAfterCut(thrown);
    } catch (error) {
      await this.#requestAgain(error);
    }
  }

  /** IDs of the reports that were read. */
  get reportIds(): readonly string[] {
    const id = this.#found?.report.id;
    const own = id === undefined ? [] : [id];
    return this.#merged?.reportIds ?? own;
  }

  /** Records that the files are complete, so that the same command requests a new report. */
  async recordDownload(): Promise<void> {
    this.#meter?.stop();
    for (const id of this.reportIds) {
      await updateLedger(this.#context, id, { status: 'downloaded' });
    }
  }

  async #requestOrResume(): Promise<FoundReport> {
    const { existing, part, shouldWait, options } = this.#request;
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
    // The wait is timed from here, because an earlier report may have delayed this one.
    const waitMs = shouldWait === false ? 0 : options.waitTimeout;
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

  /** Waits before another attempt if the download was cut off. Rethrows any other error. */
  async #pauseAfterCut(error: unknown): Promise<void> {
    const interrupted = this.#open;
    this.#open = undefined;
    this.#tries = interrupted?.tries ?? 0;
    if (!interrupted) throw error;
    await interrupted.pauseAfter(error);
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

  /** Splits a failed report into parts. Rethrows the error if parts would not help. */
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
    // An error with an ID is about one part, and the other parts can still be resumed.
    const isWholeRefused = error instanceof RefusedReportError && error.reportId === undefined;
    for (const id of isWholeRefused ? reportIds : []) {
      await recordFailure(this.#context, id, error);
    }
    throw error;
  }
}

/** How many parts to download ahead; each keeps a temporary file open. */
const maxAhead = 32;

/**
 * Downloads parts concurrently into temporary files, and yields them in time order. If a part
 * fails, the others are still downloaded, so that the service has them ready for the next run.
 * Throws `PartsFailedError`.
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
      // Prevents an unhandled rejection if the download fails before it is awaited.
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
    // If the output failed or its pipe was closed (`| head`), downloads may still be running.
    cancel.abort(new InterruptedError(143));
    for (const spooled of started) {
      const part = await spooled.catch(() => undefined);
      await part?.spool.close();
    }
  }
}

/** Milliseconds between status calls with `--local`, where reports take 0.2 s. */
const localIntervalMs = 100;

/** Shows progress until a report is ready, and records how long that took. */
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
  const typicalMs = ledger()?.findTypicalMs(await identifyAccount(account));
  const meter = (await context.progress()).wait(label, typicalMs);
  let pollCount = 0;
  const onPoll = ({ status, polls }: Poll): void => {
    meter.update(status);
    pollCount = polls;
  };
  try {
    const client = await account.client();
    const ready = await waitUntilReady(client, report, { endMs, pollInterval, signal, onPoll });
    const tookMs = Math.max(0, host.wallClock() - (requestedMs ?? Number.NaN));
    // If the report was already ready at the first call, the time it took is unknown.
    const isTimed = (isNew || pollCount > 1) && requestedMs !== undefined;
    await updateLedger(context, id, { status: ready.status, ...(isTimed && { tookMs }) });
    return ready;
  } finally {
    meter.stop();
  }
}

/**
 * Records the error that ended the work on a report, and whether a later run may resume the report.
 * Returns the error with the report ID. Rethrows bugs.
 */
export async function recordFailure(
  context: Context,
  id: string | undefined,
  thrown: unknown,
): Promise<AdreportError> {
  const { signal, console } = context;
  // An aborted operation may throw any error; the reason is in the signal.
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (!(error instanceof AdreportError)) throw error;
  if (id === undefined) return error;

  const message = console.redact(error.message);
  if (!signal.aborted) await updateLedger(context, id, { message, ...statusAfter(error) });
  return error.reportId === id ? error : new ErrorInContext(error, { reportId: id });
}

function statusAfter(error: AdreportError): LedgerChange {
  if (!endsReport(error)) return {};
  const ended = error.exitCode === 9 ? 'unreadable' : 'refused';
  return { status: isReportFailure(error) ? 'failed' : ended };
}
