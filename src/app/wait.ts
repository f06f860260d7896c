import type { ReportAnswer } from '../api/client.ts';
import type { StatusRecord } from '../contract/messages.ts';
import { AdreportError, InterruptedError, RejectedError, StillInProgressError } from '../errors.ts';
import { autoPauseMs, type Poll, waitForReport } from '../report/wait.ts';
import { printable } from '../text/printable.ts';
import type { WaitFlags } from './flags/wait-flags.ts';
import { isGone, noteFetched, noteReport, type ReportTools } from './order.ts';

/** The code of the error for a whole document whose rows are not all there (`--strict`). */
export const incompleteReport = 'INCOMPLETE_REPORT';

/**
 * As `waitForReport`, with progress on stderr and the changes of the status noted in the ledger.
 * @param notices takes the warnings that the answers bring, in sentences
 */
export async function awaitReport(
  tools: ReportTools,
  reportId: string,
  flags: WaitFlags,
  notices: Set<string> = new Set(),
): Promise<StatusRecord> {
  const { account, host, signal } = tools;
  const client = await account.client();
  const meter = (await tools.progress()).wait(`Report ${printable(reportId)}`);
  let lastStatus = 'progress';

  const onPoll = ({ record, polls, waitedMs, nextPauseMs = 0 }: Poll): void => {
    const { status } = record;
    if (status !== lastStatus) void noteReport(tools, reportId, { status });
    lastStatus = status;
    meter.update({ status: printable(status), polls, waitedMs, nextPollMs: nextPauseMs });
  };

  const status = async (id: string, patienceMs: number) => {
    const answer = await client.status(id, patienceMs);
    for (const notice of answer.notices) notices.add(notice);
    return answer;
  };

  try {
    return await waitForReport({
      reportId,
      status,
      interval: flags.pollInterval,
      timeoutMs: flags.waitTimeout,
      clock: host.stopwatch,
      sleep: host.sleep,
      signal,
      onPoll,
    });
  } finally {
    meter.stop();
  }
}

/** A report that is to be downloaded. */
interface AwaitedReport {
  readonly reportId: string;
  readonly flags: WaitFlags;
}

/** A report may be found this much later than its status says that it is ready. */
const lateMs = 60_000;

/**
 * Waits for a report and downloads it. A download that is answered with “not yet” is waited for like a report in progress.
 * Throws as `waitForReport` and the client's `download`; `StillInProgressError` only once the time is up.
 */
export async function downloadWhenReady<T>(
  tools: ReportTools,
  { reportId, flags }: AwaitedReport,
  take: (answer: ReportAnswer) => Promise<T>,
): Promise<T> {
  const { account, host, signal, console } = tools;
  const client = await account.client();
  const notices = new Set<string>();
  const startedMs = host.stopwatch();
  const leftMs = () => flags.waitTimeout - (host.stopwatch() - startedMs);
  let readyAtMs: number | undefined;

  for (;;) {
    const waitTimeout = Math.max(0, leftMs());
    await awaitReport(tools, reportId, { ...flags, waitTimeout }, notices);
    const isFirstTry = readyAtMs === undefined;
    readyAtMs ??= host.stopwatch();

    try {
      return await client.download(reportId, (answer) =>
        take({ ...answer, notices: [...notices, ...answer.notices] }),
      );
    } catch (error) {
      const sinceReadyMs = host.stopwatch() - readyAtMs;
      if (!isNotYet(error, sinceReadyMs) || leftMs() < 1) throw error;
      if (isFirstTry) {
        const name = printable(reportId);
        console.note(`Report ${name} is ready, and its download says that it is not: waiting.`);
      }
      const pauseMs =
        flags.pollInterval === 'auto' ? autoPauseMs(sinceReadyMs) : flags.pollInterval;
      const wantedMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
      await host.sleep(Math.min(wantedMs, leftMs()), signal);
    }
  }
}

/** Whether a download was refused because the report, which is ready, is not there yet. */
function isNotYet(error: unknown, sinceReadyMs: number): error is AdreportError {
  if (error instanceof StillInProgressError) return true;
  const isUnknown = error instanceof RejectedError && error.httpStatus === 404;
  return isUnknown && sinceReadyMs < lateMs;
}

/** What is begun and may have to be gone on with. */
interface BegunReport {
  readonly reportId: string;
  /** What to do to go on, as a sentence or a command; `undefined` where none can, because the service ends with this process. */
  readonly resume: string | undefined;
}

/**
 * Runs what follows the birth of a report. What ends it early names the report and, where it can still be had, the command
 * that goes on with it.
 */
export async function withResumeHint<T>(
  tools: ReportTools,
  { reportId, resume }: BegunReport,
  work: () => Promise<T>,
): Promise<T> {
  const { signal } = tools;
  try {
    return await work();
  } catch (error) {
    // A cancelled operation may throw anything on its way out; the reason it ended is the signal.
    const reason = signal.aborted ? signal.reason : error;
    if (!(reason instanceof AdreportError)) throw reason;
    if (isGone(reason)) await noteReport(tools, reportId, { status: 'expired' });
    // It was fetched and judged: picking it up again would lead to the same rows.
    if (reason.code === incompleteReport) await noteFetched(tools, reportId, undefined);

    // Each of several reports that one signal ends has its own words to add.
    const own = reason instanceof InterruptedError ? new InterruptedError(reason.exitCode) : reason;
    const hints = own.hint === undefined ? [] : [own.hint];
    if (resume !== undefined && canBeResumed(own)) {
      hints.push(`The report ${printable(reportId)} is kept. ${resume}`);
    }
    throw own.amend('', { reportId, hint: hints.join('\n') || undefined });
  }
}

/** Whether the report can still be had after an error: once it has passed, the user signs in, or there is room to write. */
function canBeResumed({ retryable, exitCode }: AdreportError): boolean {
  const signInNeeded = 3;
  const outputFailed = 8;
  return retryable || exitCode === signInNeeded || exitCode === outputFailed;
}
