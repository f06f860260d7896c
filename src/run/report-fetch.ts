import { type OpenReport, openReport, type Transfer } from '../client/open.ts';
import type { RequestedReport } from '../client/send-request.ts';
import { type Poll, type ReadyReport, waitUntilReady } from '../client/wait.ts';
import { outcomeOf } from '../contract/messages.ts';
import {
  AdreportError,
  ErrorInContext,
  endsReport,
  isReportFailure,
  isStillInProgress,
  isTruncated,
} from '../errors.ts';
import type { RunFlags } from '../query/flags/run-flags.ts';
import type { WaitFlags } from '../query/flags/wait-flags.ts';
import type { Part } from '../query/query.ts';
import { printable } from '../text/printable.ts';
import type { Progress } from '../ui/progress.ts';
import type { PlannedQuery } from './plan-run.ts';
import type { PlannedFile } from './prepare-files.ts';
import {
  lastTookMs,
  markDownloaded,
  type ReportTools,
  recordFailure,
  requestAgainHint,
  requestAndRecord,
  resumeReport,
  updateLedger,
} from './request.ts';
import { formatDownloadCommand, resumeCommand } from './resume-command.ts';
import { type PreparedOutput, type WrittenReport, writeReport } from './run-report.ts';

export interface FetchSetup {
  readonly options: WaitFlags & Partial<Pick<RunFlags, 'fresh' | 'retries' | 'baseUrl'>>;

  /** What is requested, and what the rows are checked against; absent if it is not known. */
  readonly part?: Part | undefined;

  /** Set if the report is named by its id. */
  readonly named?: RequestedReport;

  /** False to download at once, without waiting. */
  readonly waits?: boolean;

  /** Formats the commands that resume a report, as sentences; absent if none can. */
  readonly resumeHint?: ((reportId: string) => string) | undefined;
}

/**
 * Sets up the fetch of a part, or without `part` of the one report of the query. `files` are those
 * for its rows; they are absent if the rows go into files with those of other reports.
 */
export function setUpFetch(
  tools: ReportTools,
  planned: PlannedQuery,
  {
    part = planned.whole,
    files,
  }: { readonly part?: Part | undefined; readonly files?: readonly PlannedFile[] } = {},
): FetchSetup {
  const { options } = planned;
  const resumeHint = resumeHintFor(tools, planned, files);
  return { options, part: files ? part : withoutOutput(part), resumeHint };
}

/** Leaves out what does not apply to a report whose rows go into an output with those of others. */
function withoutOutput(part: Part): Part {
  const { split: _split, compare: _compare, ...query } = part.query;
  const [{ format }] = query.outputs;
  return { ...part, query: { ...query, outputs: [{ path: '-', format }] } };
}

/** Formats the commands that resume a report; none for a local server, which ends too. */
function resumeHintFor(
  { account, host: { platform } }: ReportTools,
  planned: PlannedQuery,
  files: readonly PlannedFile[] | undefined,
): FetchSetup['resumeHint'] {
  if (account.isLocal) return undefined;

  const { query, options } = planned;
  const { baseUrl } = options;
  const here = resumeCommand(planned, platform);
  return (reportId) => {
    const outputs = files?.map(({ target, format }) => ({
      path: target.name(reportId) ?? '-',
      format,
    }));
    const elsewhere = formatDownloadCommand(reportId, query, { baseUrl, platform, outputs });
    return `To resume: ${here}\nOr on another machine: ${elsewhere}`;
  };
}

/** A report that this run requested or found. */
interface FoundReport {
  readonly report: RequestedReport;
  readonly isResumed: boolean;

  /** When the wait for it ends, in milliseconds by the stopwatch. */
  readonly endMs: number;
}

/**
 * Requests a report or resumes an unfinished one, waits for it, and passes its rows to `write`. A
 * report that fails is requested once more, and so is one that was resumed and has ended.
 */
export async function fetchReport<Written>(
  tools: ReportTools,
  setup: FetchSetup,
  write: (report: OpenReport) => Promise<Written>,
): Promise<Written> {
  const { fresh, retries } = setup.options;
  let mayResume = !fresh && !setup.part?.query.direct;
  let mayRequestAgain = !setup.named && retries !== 0;
  for (;;) {
    const found = await requestOrResume(tools, setup, mayResume);
    try {
      const ready = await waitForReport(tools, setup, found);
      return await downloadReport(tools, setup, { ...found, report: ready }, write);
    } catch (thrown) {
      const { report, isResumed } = found;
      const error = await failedReportError(tools, setup, { report, thrown });
      const isFailed = isReportFailure(error) && mayRequestAgain;
      const isReplaced = isResumed && endsReport(error);
      if (!isFailed && !isReplaced) throw error;

      tools.console.note(`${error.message} Requesting it again.`);
      mayResume = false;
      if (isFailed) mayRequestAgain = false;
    }
  }
}

async function requestOrResume(
  tools: ReportTools,
  { named, part, options }: FetchSetup,
  mayResume: boolean,
): Promise<FoundReport> {
  const resumed = mayResume && part && !named ? await resumeReport(tools, part) : undefined;
  let report = named ?? resumed;
  if (!report) {
    if (!part) throw new TypeError('A report without an id has a request.');
    report = await requestAndRecord(tools, part);
  }
  // Counted from here for each report: an earlier one may have kept this one waiting.
  const endMs = tools.host.stopwatch() + options.waitTimeout;
  return { report, isResumed: resumed !== undefined, endMs };
}

/** Milliseconds between status calls to the server in this process, whose reports take 0.2 s. */
const localIntervalMs = 100;

/** Waits until a report is ready, with progress, and records status changes in the ledger. */
export async function waitForReport(
  tools: ReportTools,
  { options, waits, named }: FetchSetup,
  { report, isResumed, endMs }: FoundReport,
): Promise<ReadyReport> {
  const { account, host, signal } = tools;
  const { id, response } = report;
  if (waits === false || id === undefined || response) return { ...report, message: '' };

  const isAuto = options.pollInterval === 'auto';
  const pollInterval = account.isLocal && isAuto ? localIntervalMs : options.pollInterval;
  const label = `Report ${printable(id).slice(0, 40)}`;
  const meter = (await tools.progress()).wait(label, await lastTookMs(tools));
  let lastStatus = 'progress';
  const onPoll = ({ status, polls }: Poll): void => {
    // A report that was ready before this run asked for it tells nothing about its duration.
    const wasReady = polls === 1 && (isResumed || named !== undefined);
    const isNews = outcomeOf(status) === 'ready' && !wasReady;
    const tookMs = Math.max(0, host.wallClock() - (report.requestedMs ?? host.wallClock()));
    const change = { status, ...(isNews && { tookMs }) };
    if (status !== lastStatus) void updateLedger(tools, id, change);
    lastStatus = status;
    meter.update(status);
  };
  try {
    const client = await account.client();
    return await waitUntilReady(client, report, { endMs, pollInterval, signal, onPoll });
  } finally {
    meter.stop();
  }
}

/** Downloads a report, with progress; after a cut again. */
async function downloadReport<Written>(
  tools: ReportTools,
  { options, part, waits }: FetchSetup,
  { report, endMs }: FoundReport,
  write: (report: OpenReport) => Promise<Written>,
): Promise<Written> {
  const { account, console, host, signal } = tools;
  const client = await account.client();
  const limits = {
    endMs: waits === false ? host.stopwatch() : endMs,
    pollInterval: options.pollInterval,
    signal,
    onPoll: ({ polls, nextPauseMs }: Poll): void => {
      const isLate = polls === 1 && nextPauseMs !== undefined;
      if (isLate) console.note('The report is ready, but cannot be downloaded yet; waiting.');
    },
  };
  const onTransfer = transferMeter(await tools.progress());
  const tries = { tries: 0 };
  for (;;) {
    const open = await openReport(client, report, { ...limits, part, tries, onTransfer });
    try {
      return await write(open);
    } catch (error) {
      open.close();
      const mayRepeat = isTruncated(error) && report.id !== undefined && !signal.aborted;
      if (!mayRepeat) throw error;
      await client.pauseAfterCut(error, tries);
    }
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

/** Downloads a report into its output, and records that it is downloaded. */
export function fetchToOutput(
  tools: ReportTools,
  setup: FetchSetup,
  output: PreparedOutput,
): Promise<WrittenReport> {
  return fetchReport(tools, setup, async (report) => {
    const written = await writeReport(tools, output, report);
    await markDownloaded(tools, report.id);
    return written;
  });
}

interface FailedReport {
  readonly report: RequestedReport;
  readonly thrown: unknown;
}

/**
 * Records what ended the work on a report. Returns its error, with the report and the command that
 * goes on. Throws other errors.
 */
export async function failedReportError(
  tools: ReportTools,
  setup: FetchSetup,
  { report: { id }, thrown }: FailedReport,
): Promise<AdreportError> {
  const { signal } = tools;
  // A cancelled operation may throw any error. The reason is in the signal.
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (!(error instanceof AdreportError)) throw error;
  if (id === undefined) throw error;

  if (!signal.aborted) await recordFailure(tools, id, error);
  const hints = await hintsAfter(tools, setup, { id, error });
  return new ErrorInContext(error, { reportId: id, hint: hints.join('\n') || undefined });
}

async function hintsAfter(
  tools: ReportTools,
  { named, options, resumeHint, waits }: FetchSetup,
  { id, error }: { readonly id: string; readonly error: AdreportError },
): Promise<string[]> {
  const isFailed = isReportFailure(error) && named;
  const again = isFailed && (await requestAgainHint(tools, id, options.baseUrl));
  const own = again || error.hint;
  const hints = own === undefined ? [] : [own];
  if (isStillInProgress(error) && waits !== false) {
    hints.push('To wait longer, raise --wait-timeout.');
  }
  if (!resumeHint || endsReport(error)) return hints;

  const shownId = printable(id);
  const available = error.message.includes(shownId)
    ? ''
    : `The report ${shownId} is still available. `;
  return [...hints, `${available}${resumeHint(id)}`];
}
