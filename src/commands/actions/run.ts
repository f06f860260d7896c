import type { Context } from '../../context.ts';
import { columnsOf } from '../../contract/columns.ts';
import { formatDuration } from '../../contract/duration.ts';
import { AdreportError } from '../../errors.ts';
import { fetchedStatus } from '../../report/ledger-entry.ts';
import type { RunOptions } from '../run.ts';
import { awaitReport, noteStatus } from './await-report.ts';
import { createReportFor, ledgerIdentity } from './create-report.ts';
import { announce, type Delivered, type Delivery, incompleteReport, prepareDelivery } from './deliver.ts';
import { printDryRun } from './dry-run.ts';
import { type ProfilePlan, planFromFlags } from './plan-report.ts';
import { reportNames } from './report-names.ts';
import { isGone, resumeCommand, withResumeHint } from './resume.ts';

/** Creates a report, or picks up an unfinished one of the same request, waits for it, and delivers its data. */
export async function run(context: Context, options: RunOptions): Promise<void> {
  const plan = await planFromFlags(context, options);
  if (options.dryRun) return printDryRun(context, options, plan, options.output);

  const { breakdowns } = plan.request;
  const columns = columnsOf(plan.profile, plan.request);
  const delivery = await prepareDelivery(context, options, {
    names: reportNames(plan),
    columns,
    expectation: { window: plan.window, breakdowns, columns },
    strict: options.strict ?? false,
  });
  const delivered = await deliverUnfinished(context, options, plan, delivery);
  await announce(context, delivered ?? (await deliverNew(context, options, plan, delivery)));
}

async function deliverNew(
  context: Context,
  options: RunOptions,
  plan: ProfilePlan,
  delivery: Delivery,
): Promise<Delivered> {
  const created = await createReportFor(context, options, plan, delivery);
  return created.kind === 'data' ? created.result : waitAndFetch(context, options, created.id, delivery);
}

/**
 * Delivers the report of the same request that an earlier run left unfinished; said on stderr. `undefined` where there
 * is none, or the service does not have it any more.
 */
async function deliverUnfinished(
  context: Context,
  options: RunOptions,
  plan: ProfilePlan,
  delivery: Delivery,
): Promise<Delivered | undefined> {
  if (options.fresh || options.direct) return undefined;
  const entry = (await context.ledger())?.findUnfinished((await ledgerIdentity(context, plan)).hash);
  if (!entry) return undefined;
  const age = formatDuration(Math.max(0, context.host.wallClock() - Date.parse(entry.createdAt)));
  context.console.note(`Picking up report ${entry.id}, asked for ${age} ago (--fresh creates a new one).`);
  try {
    return await waitAndFetch(context, options, entry.id, delivery);
  } catch (error) {
    if (!isGone(error)) throw error;
    context.console.note(`The service does not have report ${entry.id} any more: creating a new one.`);
    return undefined;
  }
}

/** Waits for a report and delivers its data; what becomes of it is noted in the ledger. */
async function waitAndFetch(context: Context, options: RunOptions, id: string, delivery: Delivery): Promise<Delivered> {
  const [client, ledger, { baseUrl }] = await Promise.all([context.client(), context.ledger(), context.settings()]);
  const key = { baseUrl: baseUrl.value?.href ?? '', id };
  const resume = context.isLocal ? undefined : resumeCommand(id, options, delivery.file(id));
  try {
    const delivered = await withResumeHint(context, id, resume, async () => {
      await awaitReport(context, id, options, await noteStatus(context, id));
      return client.download(id, (answer) => delivery.take(answer, id));
    });
    ledger?.update(key, { status: fetchedStatus, file: delivered.file });
    return delivered;
  } catch (error) {
    // It was fetched and judged: picking it up again would lead to the same rows.
    if (error instanceof AdreportError && error.code === incompleteReport)
      ledger?.update(key, { status: fetchedStatus });
    throw error;
  }
}
