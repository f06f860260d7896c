import type { ReportAnswer } from '../api/client.ts';
import { type Pace, type Poll, pollDownload, waitForReport } from '../api/poll.ts';
import type { StatusRecord } from '../contract/messages.ts';
import { AdreportError, InterruptedError, isInterruption } from '../errors.ts';
import type { WaitFlags } from '../plan/flags/wait-flags.ts';
import { type PollInterval, pauseAfter } from '../report/poll-interval.ts';
import { printable } from '../text/printable.ts';
import { noteReport, noteUsedUp, type ReportTools } from './order.ts';

interface ReportWait extends WaitFlags {
  /** Receives the status answers. */
  readonly records?: unknown[];
}

/** Like `waitForReport`, with progress on stderr and status changes recorded in the ledger. */
export async function awaitReport(
  tools: ReportTools,
  reportId: string,
  { waitTimeout, pollInterval, records = [] }: ReportWait,
): Promise<StatusRecord> {
  const client = await tools.account.client();
  const meter = (await tools.progress()).wait(`Report ${printable(reportId)}`);
  let lastStatus = 'progress';

  const onPoll = ({ seen, polls, waitedMs, nextPauseMs = 0 }: Poll<StatusRecord>): void => {
    const { status } = seen;
    if (status !== lastStatus) void noteReport(tools, reportId, { status });
    lastStatus = status;
    meter.update({ status: printable(status), polls, waitedMs, nextPollMs: nextPauseMs });
  };

  const status = async (id: string, patienceMs: number) => {
    const answer = await client.status(id, patienceMs);
    if (records.length === maxRecords) records.shift();
    records.push(answer.answer);
    return answer;
  };

  try {
    const pace = paceOf(tools, pollInterval, waitTimeout);
    return await waitForReport({ ...pace, reportId, status, onPoll });
  } finally {
    meter.stop();
  }
}

/** Between two status calls to the server in this process, whose reports take 0.2 s. */
const localIntervalMs = 100;

/** A pace with the clock and the signal of the command. */
function paceOf(tools: ReportTools, interval: PollInterval, timeoutMs: number): Pace {
  const { account, host, signal } = tools;
  const { stopwatch: clock, sleep } = host;
  const ownInterval = account.isLocal && interval === 'auto' ? localIntervalMs : interval;
  const pause = (waitedMs: number) => pauseAfter(waitedMs, ownInterval);
  return { pauseAfter: pause, timeoutMs, clock, sleep, signal };
}

/** Only the last status answers of a report are kept. */
const maxRecords = 20;

/** A report that is to be downloaded. */
interface AwaitedReport {
  readonly reportId: string;
  readonly options: WaitFlags;
}

/**
 * Waits for a report and downloads it. Throws as `waitForReport`, and as `pollDownload` and
 * the client's `download`.
 */
export async function downloadWhenReady<T>(
  tools: ReportTools,
  { reportId, options }: AwaitedReport,
  take: (answer: ReportAnswer, records: readonly unknown[]) => Promise<T>,
): Promise<T> {
  const client = await tools.account.client();
  const records: unknown[] = [];
  const { stopwatch } = tools.host;
  const endMs = stopwatch() + options.waitTimeout;
  const { pollInterval } = options;
  const ready = (waitTimeout: number) =>
    awaitReport(tools, reportId, { pollInterval, waitTimeout: Math.max(0, waitTimeout), records });

  await ready(options.waitTimeout);
  return pollDownload(
    {
      download: () => client.download(reportId, (answer) => take(answer, records)),
      ready,
      onLate: () =>
        tools.console.note(
          `Report ${printable(reportId)} is ready, but its download is not available yet; waiting.`,
        ),
    },
    paceOf(tools, pollInterval, endMs - stopwatch()),
  );
}

/** A created report that may need to be resumed. */
interface ResumableReport {
  readonly reportId: string;

  /** How to continue, as a sentence; `undefined` for a local server, which ends too. */
  readonly resume: string | undefined;
}

/**
 * Runs the work on a created report. Errors name the report and, if it can be resumed, how to
 * continue.
 */
export async function withResumeHint<T>(
  tools: ReportTools,
  { reportId, resume }: ResumableReport,
  work: () => Promise<T>,
): Promise<T> {
  const { signal } = tools;
  try {
    return await work();
  } catch (error) {
    // A cancelled operation may throw any error. The reason is in the signal.
    const reason = signal.aborted ? signal.reason : error;
    if (!(reason instanceof AdreportError)) throw reason;
    if (reason.isUsedUp) await noteUsedUp(tools, reportId, reason);

    // One signal may end several reports, and each adds its own hint.
    const own = isInterruption(reason) ? new InterruptedError(reason.exitCode) : reason;
    const hints = own.hint === undefined ? [] : [own.hint];
    if (resume !== undefined && !own.isUsedUp) {
      hints.push(`The report ${printable(reportId)} is still available. ${resume}`);
    }
    throw own.amend('', { reportId, hint: hints.join('\n') || undefined });
  }
}
