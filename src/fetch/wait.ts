import type { ReportAnswer } from '../api/client.ts';
import { downloadOnceThere, type Pace, type Poll, waitForReport } from '../api/poll.ts';
import type { StatusRecord } from '../contract/messages.ts';
import {
  AdreportError,
  FindingsError,
  InterruptedError,
  OutputError,
  RejectedError,
  SignInError,
} from '../errors.ts';
import type { WaitFlags } from '../plan/flags/wait-flags.ts';
import { type PollInterval, pauseAfter } from '../report/wait.ts';
import { printable } from '../text/printable.ts';
import { isGone, noteFetched, noteReport, type ReportTools } from './order.ts';

/** How a report is waited for, and what takes the answers of the service. */
interface ReportWait extends WaitFlags {
  readonly records?: unknown[];
}

/**
 * As `waitForReport`, with progress on stderr and the changes of the status noted in the ledger.
 */
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
    if (records.length === recordsAtMost) records.shift();
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

/** How something is waited for with the clock and the signal of the command. */
function paceOf({ host, signal }: ReportTools, interval: PollInterval, timeoutMs: number): Pace {
  const { stopwatch: clock, sleep } = host;
  const pause = (waitedMs: number) => pauseAfter(waitedMs, interval);
  return { pauseAfter: pause, timeoutMs, clock, sleep, signal };
}

/** So many answers on the status of a report are kept, the last ones. */
const recordsAtMost = 20;

/** A report that is to be downloaded. */
interface AwaitedReport {
  readonly reportId: string;
  readonly options: WaitFlags;
}

/**
 * Waits for a report and downloads it. Throws as `waitForReport`, and as `downloadOnceThere` and
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
  return downloadOnceThere(
    {
      download: () => client.download(reportId, (answer) => take(answer, records)),
      ready,
      onLate: () =>
        tools.console.note(
          `Report ${printable(reportId)} is ready, and its download says that it is not: waiting.`,
        ),
    },
    paceOf(tools, pollInterval, endMs - stopwatch()),
  );
}

/** What is begun and may have to be gone on with. */
interface BegunReport {
  readonly reportId: string;

  /**
   * What to do to go on, as a sentence or a command; `undefined` where none can, because the
   * service ends with this process.
   */
  readonly resume: string | undefined;
}

/**
 * Runs what follows the birth of a report. What ends it early names the report and, where it can
 * still be had, the command that goes on with it.
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
    if (reason instanceof FindingsError) await noteFetched(tools, reportId, undefined);

    // Each of several reports that one signal ends has its own words to add.
    const own = reason instanceof InterruptedError ? new InterruptedError(reason.exitCode) : reason;
    const hints = own.hint === undefined ? [] : [own.hint];
    if (resume !== undefined && canBeResumed(own)) {
      hints.push(`The report ${printable(reportId)} is kept. ${resume}`);
    }
    throw own.amend('', { reportId, hint: hints.join('\n') || undefined });
  }
}

/**
 * True if the report can still be had after an error: once it has passed, the user signs in, the
 * service accepts the call, or there is room to write.
 */
function canBeResumed(error: AdreportError): boolean {
  const isOutside = [SignInError, RejectedError, OutputError].some((each) => error instanceof each);
  return error.retryable || (isOutside && !isGone(error));
}
