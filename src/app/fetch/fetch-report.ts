import type { ReportAnswer } from '../../api/client.ts';
import type { RunOptions } from '../../commands/run.ts';
import type { Context } from '../../context.ts';
import { AdreportError } from '../../errors.ts';
import { formatDuration } from '../../text/duration.ts';
import { type Delivered, incompleteReport } from '../output/delivery.ts';
import type { ProfilePlan } from '../plan/plan-report.ts';
import { awaitReport } from './await-report.ts';
import { createReportFor } from './create-report.ts';
import { ledgerIdentity, noteFetched, statusNoter } from './ledger-notes.ts';
import { isGone, resumeCommand, withResumeHint } from './resume.ts';

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
  const created = await createReportFor(context, options, plan, intake.take);
  return created.kind === 'data' ? created.result : waitAndFetch(context, options, created.id, intake);
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
  context.console.note(`Picking up report ${entry.id}, asked for ${age} ago (--fresh creates a new one).`);
  try {
    return await waitAndFetch(context, options, entry.id, intake);
  } catch (error) {
    if (!isGone(error)) throw error;
    context.console.note(`The service does not have report ${entry.id} any more: creating a new one.`);
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
  const resume = await resumeOf(context, options, id, intake.file);
  try {
    const delivered = await withResumeHint(context, id, resume, async () => {
      await awaitReport(context, id, options, await statusNoter(context, id));
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

/** The command that goes on with a report; `undefined` where none can. */
async function resumeOf(
  context: Context,
  options: RunOptions,
  id: string,
  file: Intake<Delivered>['file'],
): Promise<string | undefined> {
  if (context.isLocal || !file) return undefined;
  const { account } = await context.settings();
  // A saved report may have an account of its own, which no other command would take from the file.
  const saved = account.source === 'file' ? { account: account.value } : {};
  return resumeCommand(id, { ...options, ...saved }, file(id));
}
