import type { Context } from '../../context.ts';
import { columnsOf } from '../../contract/columns.ts';
import { formatDuration } from '../../contract/duration.ts';
import { fetchedStatus } from '../../report/ledger-entry.ts';
import type { RunOptions } from '../run.ts';
import { awaitReport, noteStatus, withResumeHint } from './await-report.ts';
import { createReportFor, ledgerIdentity } from './create-report.ts';
import { announce, prepareDelivery } from './deliver.ts';
import { printDryRun } from './dry-run.ts';
import { type ProfilePlan, planFromFlags } from './plan-report.ts';
import { reportNames } from './report-names.ts';

/** Creates a report, or picks up an unfinished one of the same request, waits for it, and delivers its data. */
export async function run(context: Context, options: RunOptions): Promise<void> {
  const plan = await planFromFlags(context, options);
  if (options.dryRun) return printDryRun(context, options, plan, options.output);

  const names = reportNames(plan);
  const columns = columnsOf(plan.profile, plan.request);
  const delivery = await prepareDelivery(context, options, { names, columns });
  const unfinished = options.fresh || options.direct ? undefined : await findUnfinished(context, plan);
  const created = unfinished ?? (await createReportFor(context, options, plan, delivery));
  if (created.kind === 'data') return announce(context, created.result);

  const { id } = created;
  const client = await context.client();
  const ledger = await context.ledger();
  const { baseUrl } = await ledgerIdentity(context, plan);
  const resume = resumeCommand(id, options);
  const delivered = await withResumeHint(id, resume, context.host.signal, async () => {
    await awaitReport(context, id, options, await noteStatus(context, id));
    return client.download(id, (answer) => delivery.take(answer, id));
  });
  ledger?.update({ baseUrl, id }, { status: fetchedStatus, file: delivered.file });
  await announce(context, delivered);
}

/** The report of the same request that an earlier run left unfinished; said on stderr. */
async function findUnfinished(
  context: Context,
  plan: ProfilePlan,
): Promise<{ readonly kind: 'report'; readonly id: string } | undefined> {
  const ledger = await context.ledger();
  const entry = ledger?.findUnfinished((await ledgerIdentity(context, plan)).hash);
  if (!entry) return undefined;
  const age = formatDuration(Math.max(0, context.host.wallClock() - Date.parse(entry.createdAt)));
  context.console.note(`Picking up report ${entry.id}, asked for ${age} ago (--fresh creates a new one).`);
  return { kind: 'report', id: entry.id };
}

function resumeCommand(id: string, { output, format }: RunOptions): string {
  const flags = `${output === undefined ? '' : ` -o ${quoted(output)}`}${format === undefined ? '' : ` --format ${format}`}`;
  return `adreport status ${id} --wait && adreport download ${id}${flags}`;
}

function quoted(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
