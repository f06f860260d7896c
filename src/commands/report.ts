import { announce } from '../app/announce.ts';
import { checkFormat, tableLook } from '../app/deliver.ts';
import { flagGroup, type OptionsOf } from '../app/flags/flag.ts';
import { outputFlags } from '../app/flags/output-flags.ts';
import { readPositive } from '../app/flags/read-value.ts';
import { reportFlags } from '../app/flags/report-flags.ts';
import { serviceFlags } from '../app/flags/service-flags.ts';
import { planWithIds } from '../app/names.ts';
import { createReport, toolsFor } from '../app/order.ts';
import { factsOfPlan, type ProfilePlan, planFromFlags, printDryRun } from '../app/plan.ts';
import { prepareOutput, writingIntake } from '../app/receive.ts';
import { questionOfReport } from '../app/report-question.ts';
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
    await create(context, options);
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
  summary: 'list the reports that this machine created',
  examples: [
    ['adreport report list', 'a table, newest first'],
    ['adreport report list --limit 3 --json', 'an array, for programs'],
  ],
  flags: [listFlags],
  async action({ context, options }) {
    await listReports(context, options.limit);
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

type CreateOptions = OptionsOf<typeof createFlags>;

/** Creates a report and prints its id alone; where the service answers with data, that goes to the output instead. */
async function create(context: Context, options: CreateOptions): Promise<void> {
  const { account, console } = context;
  if (options.output !== undefined && !options.direct) {
    const message = '-o needs --direct: report create prints an id, and has no data to write.';
    throw new UsageError(message, { hint: 'Use: adreport run … -o FILE' });
  }

  if (options.direct) checkFormat(context, options);
  const plan = await planToSend(context, options);
  for (const note of plan.window.notes) console.note(note);
  if (options.dryRun) {
    const { window, request } = plan;
    return printDryRun(context, [{ account, window, request, output: options.output }]);
  }

  const tools = toolsFor(context);
  const output = await prepareOutput(context, options, factsOfPlan(plan, await account.name()));
  const question = await questionOfReport(context, { account, options, plan });
  const { take } = writingIntake(context, tools, { ...output, question });
  const created = await createReport(tools, { plan, isStrict: false }, take);
  if (created.kind === 'report') {
    for (const notice of created.notices) console.alarm(notice);
    const { id, status } = created;
    const asJson = visibleJson({ report_id: id, status });
    return console.result(context.flags.json ? asJson : printable(id));
  }

  if (!options.direct) {
    console.note('The service answered with the data at once: there is no report id.');
  }
  await announce(context, created.result);
}

async function planToSend(context: Context, flags: CreateOptions): Promise<ProfilePlan> {
  const { account, host } = context;
  const plan = await planFromFlags(account, flags, host.wallClock());
  return planWithIds(context, { account, flags }, plan);
}

const listColumns: readonly TextColumn<LedgerEntry>[] = [
  { name: 'id', value: (entry) => entry.id, keep: true, whole: true },
  { name: 'window', value: daysOf, whole: true },
  { name: 'by', value: (entry) => entry.request.breakdowns.join(',') },
  { name: 'status', value: (entry) => entry.lastStatus, keep: true },
  { name: 'created', value: createdText, whole: true },
  { name: 'file', value: (entry) => entry.file },
  { name: 'profile', value: (entry) => entry.profile },
];

/** The days of a report's window, as `--period` takes them. */
function daysOf({ window }: LedgerEntry): string {
  const first = window.since.slice(0, 10);
  const last = window.until.slice(0, 10);
  return first === last ? first : `${first}..${last}`;
}

function createdText({ createdAt }: LedgerEntry): string {
  return `${createdAt.slice(0, 16).replace('T', ' ')}Z`;
}

/** How many reports a terminal is shown, where no flag says it. */
const usualCount = 20;

/** Prints the ledger, newest first. */
async function listReports(context: Context, limit: number | undefined): Promise<void> {
  const { console, flags } = context;
  const isForPerson = console.out.isTerminal && !flags.json;
  const usual = isForPerson ? usualCount : undefined;
  const entries = context.ledger()?.list(limit ?? usual) ?? [];

  if (flags.json) {
    // People paste this list: even a hash of their credential is nobody's business.
    const listed = entries.map((entry) => ({ ...entry, credential: undefined }));
    return console.result(visibleJson(listed));
  }
  if (entries.length === 0) {
    console.note('No report was created on this machine yet. Create one with: adreport run');
    return;
  }
  await console.write(textTable(entries, listColumns, tableLook(context)));
}
