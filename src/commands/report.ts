import { announce, prepareDelivery, tableLook } from '../app/deliver.ts';
import { createReportFor } from '../app/fetch.ts';
import { flagGroup, type OptionsOf } from '../app/flags/flag.ts';
import { outputFlags } from '../app/flags/output-flags.ts';
import { readPositive } from '../app/flags/read-value.ts';
import { reportFlags } from '../app/flags/report-flags.ts';
import { serviceFlags } from '../app/flags/service-flags.ts';
import { planWithIds } from '../app/names.ts';
import { factsOf, planFromFlags, printDryRun } from '../app/plan.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { type TextColumn, textTable } from '../output/table/table-layout.ts';
import type { LedgerEntry } from '../report/ledger.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { declareCommand } from './command.ts';

const createFlags = [...reportFlags, outputFlags, serviceFlags] as const;

const createCommand = declareCommand({
  name: 'create',
  summary: 'create a report and print its id',
  examples: [
    [
      'id=$(adreport report create --period yesterday --by DAILY,CAMPAIGN)',
      'for status and download',
    ],
    ['adreport report create --period last-7d --by COUNTRY --dry-run', 'show, do not send'],
  ],
  flags: createFlags,
  async action({ context, options }) {
    await createReport(context, options);
    return 0;
  },
});

const listFlags = flagGroup('Options:', {
  limit: {
    flags: '--limit <n>',
    meaning: 'only the newest n (default: 20 on a terminal, else all)',
    read: readPositive,
  },
});

const listCommand = declareCommand({
  name: 'list',
  summary: 'the reports that this machine created',
  examples: [
    ['adreport report list', 'a table, newest first'],
    ['adreport report list --limit 3 --json', 'an array, for programs'],
  ],
  flags: [listFlags],
  async action({ context, options }) {
    await listReports(context, options);
    return 0;
  },
});

export const reportCommand = declareCommand({
  name: 'report',
  summary: 'create reports one step at a time, and list them',
  examples: [
    ['adreport report create --period yesterday --by DAILY', 'prints the report id'],
    ['adreport report list', 'the reports created on this machine'],
  ],
  subcommands: [createCommand, listCommand],
});

/** Creates a report and prints its id alone; where the service answers with data, that goes to the output instead. */
async function createReport(context: Context, flags: OptionsOf<typeof createFlags>): Promise<void> {
  if (flags.output !== undefined && !flags.direct) {
    const hint = 'Use: adreport run … -o FILE';
    throw new UsageError(
      '-o needs --direct: report create prints an id, and has no data to write.',
      { hint },
    );
  }
  const plan = await planWithIds(context, flags, await planFromFlags(context, flags));
  for (const note of plan.window.notes) context.console.note(note);
  if (flags.dryRun) {
    return printDryRun(context, [{ ...plan, context, output: flags.output }]);
  }
  const delivery = await prepareDelivery(context, flags, factsOf({ plan, options: {} }));
  const created = await createReportFor(context, plan, delivery.take);
  if (created.kind === 'report') {
    const { id, status } = created;
    return context.console.result(
      context.flags.json ? visibleJson({ report_id: id, status }) : printable(id),
    );
  }
  if (!flags.direct)
    context.console.note('The service answered with the data at once: there is no report id.');
  await announce(context, created.result);
}

const listColumns: readonly TextColumn<LedgerEntry>[] = [
  { name: 'id', value: (entry) => entry.id, keep: true, whole: true },
  { name: 'created', value: (entry) => `${entry.createdAt.slice(0, 16).replace('T', ' ')}Z` },
  { name: 'profile', value: (entry) => entry.profile },
  { name: 'since', value: (entry) => entry.window.since.slice(0, 16).replace('T', ' ') },
  { name: 'until', value: (entry) => entry.window.until.slice(0, 16).replace('T', ' ') },
  { name: 'by', value: (entry) => entry.request.breakdowns.join(',') },
  { name: 'status', value: (entry) => entry.lastStatus, keep: true },
  { name: 'file', value: (entry) => entry.file },
];

/** Prints the ledger, newest first. */
async function listReports(
  context: Context,
  { limit }: OptionsOf<typeof listFlags>,
): Promise<void> {
  const usual = context.console.out.isTerminal && !context.flags.json ? 20 : undefined;
  const entries = (await context.ledger())?.list(limit ?? usual) ?? [];
  if (context.flags.json) return context.console.result(visibleJson(entries));
  if (entries.length === 0) {
    context.console.note(
      'No report was created on this machine yet. Create one with: adreport run',
    );
    return;
  }
  await context.console.write(textTable(entries, listColumns, tableLook(context)));
}
