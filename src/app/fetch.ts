import type { ReportAnswer } from '../api/client.ts';
import type { Context } from '../context.ts';
import type { StatusRecord } from '../contract/messages.ts';
import { AdreportError, InterruptedError, RejectedError, ReportFailedError } from '../errors.ts';
import { fetchedStatus, type LedgerChange } from '../report/ledger.ts';
import { encodeRequest, requestHash } from '../report/request.ts';
import { waitForReport } from '../report/wait.ts';
import { describeWindow } from '../report/window.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import { incompleteReport } from './deliver.ts';
import { outputFlags } from './flags/output-flags.ts';
import type { RunFlags } from './flags/run-flags.ts';
import {
  typedAccountFlags,
  typedCommand,
  typedFlags,
  typedWaitCommand,
} from './flags/typed-command.ts';
import type { WaitFlags } from './flags/wait-flags.ts';
import type { ProfilePlan } from './plan.ts';

/**
 * What takes the data of a report, anew for each try of a download; and the file that the data goes to, absent where that is
 * not where it stays: then `noteFetched` is the caller's.
 */
export interface Intake<T> {
  take(answer: ReportAnswer, reportId?: string): Promise<T>;
  file?(reportId?: string): string | undefined;
}

type FetchFlags = WaitFlags & Partial<RunFlags>;

/**
 * Creates a report, or picks up an unfinished one of the same request, waits for it, and hands its data on. What it
 * throws names the report and, where that can still be had, the command that goes on with it.
 */
export async function fetchReport<T>(
  context: Context,
  options: FetchFlags,
  plan: ProfilePlan,
  intake: Intake<T>,
) {
  const { console, host } = context;
  const ledger = options.fresh || options.direct ? undefined : await context.ledger();
  const unfinished = ledger?.findUnfinished((await ledgerIdentity(context, plan)).hash);
  if (unfinished) {
    const shownId = printable(unfinished.id);
    const age = formatDuration(Math.max(0, host.wallClock() - Date.parse(unfinished.createdAt)));
    console.note(`Picking up report ${shownId}, asked for ${age} ago (--fresh creates a new one).`);
    try {
      return await waitAndFetch(context, options, unfinished.id, intake);
    } catch (error) {
      if (!isGone(error)) throw error;
      console.note(`The service does not have report ${shownId} any more: creating a new one.`);
    }
  }
  const created = await createReportFor(context, plan, intake.take);
  return created.kind === 'data'
    ? created.result
    : waitAndFetch(context, options, created.id, intake);
}

/**
 * Asks for the report, and notes it in the ledger the moment its id is known; `take` takes the data, where the service
 * answers with it at once (`decisions.md` 2). Throws as the client's `createReport`.
 */
export async function createReportFor<T>(
  context: Context,
  plan: ProfilePlan,
  take: Intake<T>['take'],
) {
  const { profile, request, window } = plan;
  const { encoding } = await context.settings();
  const client = await context.client();
  const created = await client
    .createReport(encodeRequest(request, encoding.value), take)
    .catch((error) => {
      if (!(error instanceof AdreportError) || error.code !== 'PROFILE_MISMATCH') throw error;
      const other = profile === 'buyer' ? 'dsp' : 'buyer';
      throw error.amend('', {
        hint: `Add --profile ${other}, or keep it: adreport config set profile ${other}`,
      });
    });
  if (created.kind === 'report') {
    const { since, until } = describeWindow(window);
    const identity = await ledgerIdentity(context, plan);
    (await context.ledger())?.record({
      id: created.id,
      ...identity,
      profile,
      request,
      window: { since, until },
    });
  }
  return created;
}

/** Waits for a report and hands its data on; what becomes of it is noted in the ledger. */
async function waitAndFetch<T>(
  context: Context,
  options: FetchFlags,
  id: string,
  intake: Intake<T>,
): Promise<T> {
  const client = await context.client();
  const { account } = await context.settings();
  // A saved report may have an account of its own, which no other command would take from the file.
  const own = account.source === 'file' ? { ...options, account: account.value } : options;
  const flags = [
    ...typedAccountFlags(own),
    ...typedFlags(outputFlags, { ...options, output: intake.file?.(id) }),
  ];
  const goOn = `${typedWaitCommand(id, own)} && ${typedCommand('download', id, flags)}`;
  const taken = await withResumeHint(
    context,
    id,
    intake.file && !context.isLocal ? goOn : undefined,
    async () => {
      await awaitReport(context, id, options);
      return client.download(id, (answer) => intake.take(answer, id));
    },
  );
  if (intake.file) await noteFetched(context, id, intake.file(id));
  return taken;
}

/** As `waitForReport`, with progress on stderr and the changes of the status noted in the ledger. */
export async function awaitReport(
  context: Context,
  reportId: string,
  flags: WaitFlags,
): Promise<StatusRecord> {
  const { host } = context;
  const client = await context.client();
  const note = await ledgerNote(context, reportId);
  const meter = (await context.progress()).wait(`Report ${printable(reportId)}`);
  let last = 'progress';
  try {
    return await waitForReport({
      reportId,
      status: client.status,
      interval: flags.pollInterval,
      timeoutMs: flags.waitTimeout,
      clock: host.stopwatch,
      sleep: host.sleep,
      signal: host.signal,
      onPoll: ({ record: { status }, polls, waitedMs, nextPauseMs = 0 }) => {
        if (status !== last) note({ status });
        last = status;
        meter.update({ status: printable(status), polls, waitedMs, nextPollMs: nextPauseMs });
      },
    });
  } finally {
    meter.stop();
  }
}

/** Whose report it is, and the hash of what was asked for, by which the same request is found again. */
async function ledgerIdentity(context: Context, { request }: ProfilePlan) {
  const { baseUrl, account, email } = await context.settings();
  const identity = { baseUrl: baseUrl.value?.href ?? '', account: email.value ?? account.value };
  return { ...identity, hash: requestHash(identity.baseUrl, identity.account, request) };
}

/** A function that notes in the ledger what becomes of a report; with `--local` there is none, and it does nothing. */
export async function ledgerNote(
  context: Context,
  id: string,
): Promise<(change: LedgerChange) => void> {
  const ledger = await context.ledger();
  const { baseUrl } = await context.settings();
  return (change) => ledger?.update({ baseUrl: baseUrl.value?.href ?? '', id }, change);
}

/** Notes that a report has been had, so that it is not picked up again; `file` is `undefined` for stdout, or for nowhere. */
export async function noteFetched(
  context: Context,
  id: string,
  file: string | undefined,
): Promise<void> {
  (await ledgerNote(context, id))({ status: fetchedStatus, file });
}

/**
 * Runs what follows the birth of a report: what ends it early names the report and, where it can still be had, the command
 * that goes on with it. `resume` is absent where none can, because the service ends with this process.
 */
export async function withResumeHint<T>(
  context: Context,
  reportId: string,
  resume: string | undefined,
  work: () => T,
) {
  const { signal } = context.host;
  try {
    return await work();
  } catch (error) {
    // A cancelled operation may throw anything on its way out; the reason it ended is the signal.
    const reason = signal.aborted ? signal.reason : error;
    if (!(reason instanceof AdreportError)) throw reason;
    if (isGone(reason)) (await ledgerNote(context, reportId))({ status: 'expired' });
    // It was fetched and judged: picking it up again would lead to the same rows.
    if (reason.code === incompleteReport) await noteFetched(context, reportId, undefined);
    // Each of several reports that one signal ends has its own words to add.
    const own = reason instanceof InterruptedError ? new InterruptedError(reason.exitCode) : reason;
    const isKept = resume && (own.retryable || [3, 8].includes(own.exitCode));
    const kept = isKept && `The report ${printable(reportId)} is kept. Go on with: ${resume}`;
    throw own.amend('', {
      reportId,
      hint: [own.hint, kept].filter(Boolean).join('\n') || undefined,
    });
  }
}

/** Whether an error says that the service does not have the report any more. */
function isGone(error: unknown): boolean {
  // A sign-in may be answered 404 too, which says nothing of the report.
  if (error instanceof RejectedError) return error.httpStatus === 404;
  return (
    error instanceof ReportFailedError &&
    (error.httpStatus === 410 || error.code === 'REPORT_EXPIRED')
  );
}
