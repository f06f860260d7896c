import type { StatusRecord } from '../contract/messages.ts';
import { AdreportError, InterruptedError } from '../errors.ts';
import { type Poll, waitForReport } from '../report/wait.ts';
import { printable } from '../text/printable.ts';
import type { WaitFlags } from './flags/wait-flags.ts';
import { isGone, noteFetched, noteReport, type ReportTools } from './order.ts';

/** The code of the error for a whole document whose rows are not all there (`--strict`). */
export const incompleteReport = 'INCOMPLETE_REPORT';

/** As `waitForReport`, with progress on stderr and the changes of the status noted in the ledger. */
export async function awaitReport(
  tools: ReportTools,
  reportId: string,
  flags: WaitFlags,
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

  try {
    return await waitForReport({
      reportId,
      status: client.status,
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

/** What is begun and may have to be gone on with. */
interface BegunReport {
  readonly reportId: string;
  /** The command that goes on; `undefined` where none can, because the service ends with this process. */
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
      hints.push(`The report ${printable(reportId)} is kept. Go on with: ${resume}`);
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
