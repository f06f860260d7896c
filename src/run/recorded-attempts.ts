import type { Transfer } from '../client/open.ts';
import { type AttemptsSetup, ReportAttempts } from '../client/report-attempts.ts';
import type { RequestedReport } from '../client/send-request.ts';
import type { Poll } from '../client/wait.ts';
import { outcomeOf } from '../contract/messages.ts';
import type { RunFlags } from '../query/flags/run-flags.ts';
import type { WaitFlags } from '../query/flags/wait-flags.ts';
import { printable } from '../text/printable.ts';
import type { Progress } from '../ui/progress.ts';
import type { Context } from './context.ts';
import {
  lastTookMs,
  recordFailure,
  requestAndRecord,
  resumeReport,
  updateLedger,
} from './request.ts';

/** A report to request or resume, or one that exists. */
export interface ReportToOpen extends Pick<AttemptsSetup, 'part' | 'named' | 'waits'> {
  readonly options: WaitFlags & Partial<Pick<RunFlags, 'fresh' | 'retries'>>;
}

/** Milliseconds between calls to the server in this process, whose reports take 0.2 s. */
const localIntervalMs = 100;

/** A report whose steps are shown, and recorded in the ledger. */
export async function recordedAttempts(
  context: Context,
  { part, named, waits, options }: ReportToOpen,
): Promise<ReportAttempts> {
  const { account, console, signal } = context;
  const { waitTimeout: waitTimeoutMs, retries, fresh } = options;
  const isFastest = account.isLocal && options.pollInterval === 'auto';
  const mayResume = !fresh && !part?.query.direct;
  const progress = await context.progress();
  return new ReportAttempts({
    client: () => account.client(),
    signal,
    part,
    named,
    waits,
    waitTimeoutMs,
    pollInterval: isFastest ? localIntervalMs : options.pollInterval,
    retries,
    steps: {
      resume: mayResume ? (requested) => resumeReport(context, requested) : undefined,
      request: (requested) => requestAndRecord(context, requested),
      async wait(begin, report, isNew) {
        const { id = '' } = report;
        const label = `Report ${printable(id).slice(0, 40)}`;
        const meter = progress.wait(label, await lastTookMs(context));
        const record = statusRecorder(context, report, isNew);
        try {
          return await begin((poll) => {
            meter.update(poll.status);
            record(poll);
          });
        } finally {
          meter.stop();
        }
      },
      onRefusal({ polls, nextPauseMs }) {
        const isLate = polls === 1 && nextPauseMs !== undefined;
        if (isLate) console.note('The report is ready, but cannot be downloaded yet; waiting.');
      },
      onTransfer: transferMeter(progress),
      async fail(error, isRequestedAgain) {
        await recordFailure(context, error.reportId, error);
        if (isRequestedAgain) console.note(`${error.message} Requesting it again.`);
      },
    },
  });
}

/** Records changes of the status of a report. */
function statusRecorder(
  context: Context,
  { id = '', requestedMs }: RequestedReport,
  isNew: boolean,
): (poll: Poll) => void {
  let lastStatus = 'progress';
  return ({ status, polls }) => {
    if (status === lastStatus) return;
    lastStatus = status;
    // A report that was ready before this run asked for it tells nothing about its duration.
    const wasReady = polls === 1 && !isNew;
    const isTimed = outcomeOf(status) === 'ready' && !wasReady && requestedMs !== undefined;
    const tookMs = isTimed ? Math.max(0, context.host.wallClock() - requestedMs) : undefined;
    void updateLedger(context, id, { status, ...(tookMs !== undefined && { tookMs }) });
  };
}

/** Shows each transfer from its first bytes on. */
function transferMeter(progress: Progress): (transfer: Transfer) => void {
  let meter: ReturnType<Progress['transfer']> | undefined;
  return ({ bytes, sizeBytes, isOver }) => {
    meter ??= progress.transfer('Downloading', sizeBytes);
    meter.update({ bytes });
    if (!isOver) return;
    meter.stop();
    meter = undefined;
  };
}
