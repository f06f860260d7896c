import type { Client } from '../api/client.ts';
import { type Poll, type PollInterval, waitForReport } from '../api/poll.ts';
import type { RequestedReport } from './request.ts';

interface WaitLimits {
  readonly waitTimeoutMs: number;
  readonly pollInterval?: PollInterval | undefined;

  /** Ends the wait; by default the signal of the client. */
  readonly signal?: AbortSignal | undefined;

  /** Called after each status call. */
  readonly onPoll?: ((poll: Poll) => void) | undefined;
}

/** A report whose status is ready, with the service's last word on it. */
export interface ReadyReport extends RequestedReport {
  readonly message: string;
}

/** Only the last status responses of a report are kept. */
const maxRecords = 20;

/** Throws `StillInProgressError` when time is up, `ReportFailedError`, and as `Client.status`. */
export async function waitUntilReady(
  client: Client,
  requested: RequestedReport,
  options: WaitLimits,
): Promise<ReadyReport> {
  const { id: reportId, records: earlier = [] } = requested;
  if (reportId === undefined || requested.answer) return { ...requested, message: '' };

  const statusRecords: unknown[] = [];
  const status = async (id: string, patienceMs: number) => {
    const seen = await client.status(id, patienceMs);
    if (statusRecords.length === maxRecords) statusRecords.shift();
    statusRecords.push(seen.answer);
    return seen;
  };

  const { waitTimeoutMs, pollInterval, signal = client.host.signal, onPoll } = options;
  const timeoutMs = Math.max(0, waitTimeoutMs);
  const { host } = client;
  const limits = { pollInterval, timeoutMs, host, signal, onPoll };
  const seen = await waitForReport({ reportId, status, ...limits });
  const records = [...earlier, ...statusRecords];
  return { ...requested, status: seen.status, message: seen.message, records };
}
