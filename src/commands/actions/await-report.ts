import type { Context } from '../../context.ts';
import type { StatusRecord } from '../../contract/messages.ts';
import { printable } from '../../contract/printable.ts';
import { AdreportError, InterruptedError, StillInProgressError } from '../../errors.ts';
import type { WaitFlags } from '../flags.ts';

/**
 * Polls until the report is ready, with progress on stderr, and returns the last record. Throws as `waitForReport`.
 *
 * @param note told of each status word
 */
export async function awaitReport(
  context: Context,
  reportId: string,
  flags: WaitFlags,
  note: (status: string) => void,
): Promise<StatusRecord> {
  const [{ waitForReport }, progress, client] = await Promise.all([
    import('../../report/wait.ts'),
    context.progress(),
    context.client(),
  ]);
  const { host } = context;
  const meter = progress.wait(`Report ${reportId}`);
  try {
    return await waitForReport({
      reportId,
      status: client.status,
      interval: flags.pollInterval,
      timeoutMs: flags.waitTimeout,
      clock: host.stopwatch,
      sleep: host.sleep,
      signal: host.signal,
      onPoll: ({ record, polls, waitedMs, nextPauseMs = 0 }) => {
        note(record.status);
        meter.update({ status: printable(record.status), polls, waitedMs, nextPollMs: nextPauseMs });
      },
    });
  } finally {
    meter.stop();
  }
}

/** Notes a report's status in the ledger when it changes; for `--local`, where there is no ledger, does nothing. */
export async function noteStatus(context: Context, id: string): Promise<(status: string) => void> {
  const [ledger, { baseUrl }] = await Promise.all([context.ledger(), context.settings()]);
  let last: string | undefined;
  return (status) => {
    if (status === last || (last === undefined && status === 'progress')) return;
    last = status;
    ledger?.update({ baseUrl: baseUrl.value?.href ?? '', id }, { status });
  };
}

/**
 * Runs what follows the birth of a report, so that whatever ends it early names the report and, where it can still be
 * had, the command that goes on with it.
 */
export async function withResumeHint<T>(
  reportId: string,
  resume: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A cancelled operation may throw anything on its way out; the reason it ended is the signal.
    const reason = signal.aborted ? signal.reason : error;
    if (reason instanceof InterruptedError || reason instanceof StillInProgressError) {
      const sentence = reason.message.includes(reportId) ? '' : `The report ${reportId} goes on being made.`;
      throw reason.amend(sentence, { reportId, hint: `Go on with: ${resume}` });
    }
    if (reason instanceof AdreportError) throw reason.amend('', { reportId });
    throw reason;
  }
}
