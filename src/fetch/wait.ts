import type { Poll } from '../api/poll.ts';
import type { RequestedReport } from '../client/request.ts';
import { type ReadyReport, waitUntilReady } from '../client/wait.ts';
import type { WaitFlags } from '../plan/flags/wait-flags.ts';
import { printable } from '../text/printable.ts';
import { type ReportTools, updateLedger } from './request.ts';

/** Milliseconds between status calls to the server in this process, whose reports take 0.2 s. */
const localIntervalMs = 100;

/** Shows progress on stderr, and records status changes. Throws as `waitUntilReady`. */
export async function waitWithProgress(
  tools: ReportTools,
  requested: RequestedReport,
  { waitTimeout: waitTimeoutMs, pollInterval }: WaitFlags,
): Promise<ReadyReport> {
  const { account, signal } = tools;
  const reportId = requested.id ?? '';
  const client = await account.client();
  const meter = (await tools.progress()).wait(`Report ${printable(reportId)}`);
  let lastStatus = 'progress';

  const isAuto = pollInterval === 'auto';
  const interval = account.isLocal && isAuto ? localIntervalMs : pollInterval;
  const onPoll = ({ seen, polls, waitedMs, nextPauseMs = 0 }: Poll): void => {
    const { status } = seen;
    if (status !== lastStatus) void updateLedger(tools, reportId, { status });
    lastStatus = status;
    meter.update({ status: printable(status), polls, waitedMs, nextPollMs: nextPauseMs });
  };
  try {
    const limits = { waitTimeoutMs, pollInterval: interval, signal, onPoll };
    return await waitUntilReady(client, requested, limits);
  } finally {
    meter.stop();
  }
}
