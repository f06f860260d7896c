import type { Created, ReportAnswer } from '../api/client.ts';
import type { Context } from '../context.ts';
import type { StatusRecord } from '../contract/messages.ts';
import { AdreportError, InterruptedError, RejectedError, ReportFailedError, StillInProgressError } from '../errors.ts';
import { fetchedStatus, type LedgerChange } from '../report/ledger.ts';
import { encodeRequest, requestHash } from '../report/request.ts';
import { waitForReport } from '../report/wait.ts';
import { describeWindow } from '../report/window.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import { type Delivered, incompleteReport } from './deliver.ts';
import type { RunOptions, WaitFlags } from './flags.ts';
import type { ProfilePlan } from './plan.ts';
import { resumeCommand } from './resume.ts';

/** What takes the data of a report. */
export interface Intake<T extends Delivered> {
  /** Called anew, from zero, for each try of a download. */
  readonly take: (answer: ReportAnswer, reportId?: string) => Promise<T>;
  /** The file that the data goes to. Absent where that is not where it stays: then `noteFetched` is the caller's. */
  readonly file?: (reportId: string) => string | undefined;
}

/**
 * Creates a report, or picks up an unfinished one of the same request, waits for it, and hands its data on. What it
 * throws names the report and, where that can still be had, the command that goes on with it.
 */
export async function fetchReport<T extends Delivered>(
  context: Context,
  options: RunOptions,
  plan: ProfilePlan,
  intake: Intake<T>,
): Promise<T> {
  const unfinished = await fetchUnfinished(context, options, plan, intake);
  if (unfinished) return unfinished;
  const created = await createReportFor(context, plan, intake.take);
  return created.kind === 'data' ? created.result : waitAndFetch(context, options, created.id, intake);
}

/**
 * Asks for the report, and notes it in the ledger the moment its id is known. Throws as the client's `createReport`.
 *
 * @param take takes the data, where the service answers with it at once (`decisions.md` 2)
 */
export async function createReportFor<T>(
  context: Context,
  plan: ProfilePlan,
  take: (answer: ReportAnswer) => Promise<T>,
): Promise<Created<T>> {
  const { profile, request, window } = plan;
  const { encoding } = await context.settings();
  const client = await context.client();
  const created = await client.createReport(encodeRequest(request, encoding.value), take).catch((error) => {
    if (!(error instanceof AdreportError) || error.code !== 'PROFILE_MISMATCH') throw error;
    const other = profile === 'buyer' ? 'dsp' : 'buyer';
    throw error.amend('', { hint: `Add --profile ${other}, or keep it: adreport config set profile ${other}` });
  });
  if (created.kind === 'report') {
    const { since, until } = describeWindow(window);
    const identity = await ledgerIdentity(context, plan);
    (await context.ledger())?.record({ id: created.id, ...identity, profile, request, window: { since, until } });
  }
  return created;
}

/**
 * The report of the same request that an earlier run left unfinished; said on stderr. `undefined` where there is none,
 * or the service does not have it any more.
 */
async function fetchUnfinished<T extends Delivered>(
  context: Context,
  options: RunOptions,
  plan: ProfilePlan,
  intake: Intake<T>,
): Promise<T | undefined> {
  if (options.fresh || options.direct) return undefined;
  const entry = (await context.ledger())?.findUnfinished((await ledgerIdentity(context, plan)).hash);
  if (!entry) return undefined;
  const age = formatDuration(Math.max(0, context.host.wallClock() - Date.parse(entry.createdAt)));
  context.console.note(`Picking up report ${printable(entry.id)}, asked for ${age} ago (--fresh creates a new one).`);
  try {
    return await waitAndFetch(context, options, entry.id, intake);
  } catch (error) {
    if (!isGone(error)) throw error;
    context.console.note(`The service does not have report ${printable(entry.id)} any more: creating a new one.`);
    return undefined;
  }
}

/** Waits for a report and hands its data on; what becomes of it is noted in the ledger. */
async function waitAndFetch<T extends Delivered>(
  context: Context,
  options: RunOptions,
  id: string,
  intake: Intake<T>,
): Promise<T> {
  const client = await context.client();
  const { account } = await context.settings();
  // A saved report may have an account of its own, which no other command would take from the file.
  const own = account.source === 'file' ? { ...options, account: account.value } : options;
  const canGoOn = !context.isLocal && intake.file !== undefined;
  const resume = canGoOn ? resumeCommand(id, own, intake.file?.(id)) : undefined;
  try {
    const delivered = await withResumeHint(context, id, resume, async () => {
      await awaitReport(context, id, options);
      return client.download(id, (answer) => intake.take(answer, id));
    });
    if (intake.file) await noteFetched(context, id, delivered.file);
    return delivered;
  } catch (error) {
    // It was fetched and judged: picking it up again would lead to the same rows.
    if (error instanceof AdreportError && error.code === incompleteReport) await noteFetched(context, id, undefined);
    throw error;
  }
}

/**
 * Polls until the report is ready, with progress on stderr and the changes noted in the ledger, and returns the last
 * record. Throws as `waitForReport`: `ReportFailedError`, `StillInProgressError` at the wait's end, and what the status
 * call throws.
 */
export async function awaitReport(context: Context, reportId: string, flags: WaitFlags): Promise<StatusRecord> {
  const { host } = context;
  const client = await context.client();
  const note = await statusNoter(context, reportId);
  const meter = (await context.progress()).wait(`Report ${printable(reportId)}`);
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

// What commands write into the ledger. With `--local` there is none, and every one of these does nothing.

/** Whose report it is, and the hash of what was asked for, by which the same request is found again. */
async function ledgerIdentity(
  context: Context,
  { request }: ProfilePlan,
): Promise<{ baseUrl: string; account: string; hash: string }> {
  const { baseUrl, account, email } = await context.settings();
  const identity = { baseUrl: baseUrl.value?.href ?? '', account: email.value ?? account.value };
  return { ...identity, hash: requestHash({ ...identity, request }) };
}

/** A function to be told each status word of a report, which notes the changes; every report begins as `progress`. */
export async function statusNoter(context: Context, id: string): Promise<(status: string) => void> {
  const ledger = await context.ledger();
  const { baseUrl } = await context.settings();
  let last = 'progress';
  return (status) => {
    if (status !== last) ledger?.update({ baseUrl: baseUrl.value?.href ?? '', id }, { status });
    last = status;
  };
}

/**
 * Notes that a report has been had, so that it is not picked up again.
 *
 * @param file where it was written, as the user named it; `undefined` for stdout, or for nowhere
 */
export async function noteFetched(context: Context, id: string, file: string | undefined): Promise<void> {
  await note(context, id, { status: fetchedStatus, file });
}

async function note(context: Context, id: string, change: LedgerChange): Promise<void> {
  const { baseUrl } = await context.settings();
  (await context.ledger())?.update({ baseUrl: baseUrl.value?.href ?? '', id }, change);
}

/**
 * Runs what follows the birth of a report, so that whatever ends it early names the report and, where it can still be
 * had, the command that goes on with it; a report that is found to be gone is noted in the ledger.
 *
 * @param resume the command that goes on; `undefined` where none can, because the service ends with this process
 */
export async function withResumeHint<T>(
  context: Context,
  reportId: string,
  resume: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { signal } = context.host;
  try {
    return await work();
  } catch (error) {
    // A cancelled operation may throw anything on its way out; the reason it ended is the signal.
    const reason = signal.aborted ? signal.reason : error;
    if (!(reason instanceof AdreportError)) throw reason;
    if (isGone(reason)) await note(context, reportId, { status: 'expired' });
    throw amended(reason, reportId, resume);
  }
}

/** Whether an error says that the service does not have the report any more. */
function isGone(error: unknown): boolean {
  // A sign-in may be answered 404 too, which says nothing of the report.
  if (error instanceof RejectedError) return error.httpStatus === 404;
  return error instanceof ReportFailedError && (error.httpStatus === 410 || error.code === 'REPORT_EXPIRED');
}

function amended(error: AdreportError, reportId: string, resume: string | undefined): AdreportError {
  const goOn = resume === undefined ? undefined : `Go on with: ${resume}`;
  if (error instanceof InterruptedError || error instanceof StillInProgressError) {
    const sentence = error.message.includes(reportId) ? '' : `The report ${printable(reportId)} goes on being made.`;
    return error.amend(goOn ? sentence : '', { reportId, ...(goOn ? { hint: goOn } : {}) });
  }
  const isKept = resume !== undefined && (error.retryable || [3, 8].includes(error.exitCode));
  const hint = [error.hint, isKept ? `The report ${printable(reportId)} is kept. ${goOn}` : undefined]
    .filter(Boolean)
    .join('\n');
  return error.amend('', { reportId, ...(hint === '' ? {} : { hint }) });
}
