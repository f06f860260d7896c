import type { ReportAnswer } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { formatDuration } from '../../contract/duration.ts';
import { fetchedStatus } from '../../report/ledger-entry.ts';
import type { RunOptions } from '../run.ts';
import { awaitReport, noteStatus, withResumeHint } from './await-report.ts';
import { createReportFor, ledgerIdentity } from './create-report.ts';
import type { Delivered } from './deliver.ts';
import type { ProfilePlan } from './plan-report.ts';

/** What takes the data of a report. */
export interface Intake<T extends Delivered> {
  /** Called anew, from zero, for each try of a download. */
  take(answer: ReportAnswer, reportId?: string): Promise<T>;
  /** Whether the data is not yet where it is to be: `noteFetched` must be called once it is. */
  readonly isProvisional?: boolean;
}

/** Creates a report, or picks up an unfinished one of the same request, waits for it, and hands its data on. */
export async function fetchReport<T extends Delivered>(
  context: Context,
  options: RunOptions,
  plan: ProfilePlan,
  intake: Intake<T>,
): Promise<T> {
  const unfinished = options.fresh || options.direct ? undefined : await findUnfinished(context, plan);
  const created = unfinished ?? (await createReportFor(context, options, plan, intake.take));
  if (created.kind === 'data') return created.result;

  const { id } = created;
  const client = await context.client();
  const resume = resumeCommand(id, options);
  const delivered = await withResumeHint(id, resume, context.host.signal, async () => {
    await awaitReport(context, id, options, await noteStatus(context, id));
    return client.download(id, (answer) => intake.take(answer, id));
  });
  if (!intake.isProvisional) await noteFetched(context, id, delivered.file);
  return delivered;
}

/** Notes in the ledger that a report is where it was to go, so that it is not picked up again. */
export async function noteFetched(context: Context, id: string, file: string | undefined): Promise<void> {
  const [ledger, { baseUrl }] = await Promise.all([context.ledger(), context.settings()]);
  ledger?.update({ baseUrl: baseUrl.value?.href ?? '', id }, { status: fetchedStatus, file });
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
