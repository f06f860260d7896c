import type { WaitFlags } from '../../commands/flags.ts';
import type { Context } from '../../context.ts';
import type { StatusRecord } from '../../contract/messages.ts';
import { printable } from '../../text/printable.ts';

/**
 * Polls until the report is ready, with progress on stderr, and returns the last record. Throws as `waitForReport`:
 * `ReportFailedError`, `StillInProgressError` at the wait's end, and what the status call throws.
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
