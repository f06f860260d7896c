import type { Context } from '../context.ts';
import { checkFormat, tableLook } from '../deliver/deliver.ts';
import { UsageError } from '../errors.ts';
import { announce, sayJudgement } from '../fetch/announce.ts';
import { printDryRun } from '../fetch/dry-run.ts';
import { createReport, toolsFor } from '../fetch/order.ts';
import { writingIntake } from '../fetch/receive.ts';
import { prepareOutput } from '../fetch/write-report.ts';
import { judgeOrder } from '../judge/said-members.ts';
import { flagGroup, type OptionsOf, rarely } from '../plan/flags/flag.ts';
import { outputFlags } from '../plan/flags/output-flags.ts';
import { readPositive } from '../plan/flags/read-value.ts';
import { reportFlags } from '../plan/flags/report-flags.ts';
import { serviceFlags } from '../plan/flags/service-flags.ts';
import { planWithIds } from '../plan/names.ts';
import { outputOf, type ProfilePlan, planFromFlags } from '../plan/plan.ts';
import { questionOfReport } from '../plan/question.ts';
import { type TextColumn, textTable } from '../present/terminal/table-layout.ts';
import { isStuck, type LedgerEntry } from '../report/ledger.ts';
import { notesOf } from '../report/window.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { declareCommand } from './command.ts';

// With `--direct` alone there is something to write.
const createFlags = [...reportFlags, rarely(outputFlags), serviceFlags] as const;

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

/**
 * Creates a report and prints its id alone; where the service answers with data, that goes to the
 * output instead.
 */
async function create(context: Context, options: CreateOptions): Promise<void> {
  const { account, console } = context;
  if (options.output !== undefined && !options.direct) {
    const message = '-o needs --direct: report create prints an id, and has no data to write.';
    throw new UsageError(message, { hint: 'Use: adreport run … -o FILE' });
  }

  if (options.direct) checkFormat(context, options);
  const plan = await planToSend(context, options);
  const now = Math.floor(context.host.wallClock() / 1_000);
  for (const note of notesOf(plan.window, now)) console.note(note);
  if (options.dryRun) {
    const { window, request } = plan;
    return printDryRun(context, [{ account, window, request, output: options.output }]);
  }

  const tools = toolsFor(context);
  const accountName = await account.name();
  const output = await prepareOutput(context, options, outputOf({ plan, accountName, options }));
  const question = await questionOfReport(context, { account, options, plan });
  const { take } = writingIntake(tools, { ...output, question });
  const created = await createReport(tools, { plan, isStrict: false }, take);
  if (created.kind === 'report') {
    const { id, records = [], takenId } = created.origin;
    sayJudgement(console, judgeOrder(records, takenId));
    const { status } = created;
    const asJson = visibleJson({ report_id: id, status });
    return console.result(context.flags.json ? asJson : printable(id));
  }

  if (!options.direct) {
    console.note('The service answered with the data at once: there is no report id.');
  }
  await announce(context, created.result);
}

async function planToSend(context: Context, options: CreateOptions): Promise<ProfilePlan> {
  const { account, host } = context;
  const plan = await planFromFlags(account, options, host.wallClock());
  if (plan.isWeekly) throw severalReports(options);
  return planWithIds(context, { account, options }, plan);
}

/** The error for weeks, each of which is a report of its own. */
function severalReports({ by, breakdowns, period, since, until }: CreateOptions): UsageError {
  const named = (flag: string, value?: string) => (value ? [flag, shellWord(value)] : []);
  const words = ['adreport run', ...named('--by', by ?? breakdowns), ...named('--period', period)];
  words.push(...named('--since', since), ...named('--until', until));
  return new UsageError('--by WEEKLY makes a report of each week, and this command makes one.', {
    hint: `Use: ${words.join(' ')}\nOr ask for one week: --by RANGE --period last-week`,
  });
}

const listColumns: readonly TextColumn<LedgerEntry>[] = [
  { name: 'id', value: (entry) => entry.id, keep: true, whole: true },
  { name: 'window', value: daysOf, whole: true },
  { name: 'by', value: (entry) => entry.request.breakdowns.join(',') },
  { name: 'status', value: statusText, keep: true },
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

/** The last status; one that runs wait for no more is told. */
function statusText(entry: LedgerEntry): string {
  return isStuck(entry) ? `${entry.lastStatus}, given up` : entry.lastStatus;
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
