import { describeAccount } from '../account/owner.ts';
import { RejectedError, UsageError } from '../errors.ts';
import { drawList, type TextColumn } from '../present/terminal/text-table.ts';
import { buildQuery } from '../query/build-query.ts';
import { commandFor } from '../query/command-for.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { parsePositive } from '../query/flags/read-value.ts';
import { reportCreateFlags } from '../query/flags/report-flags.ts';
import { remoteServiceFlags } from '../query/flags/service-flags.ts';
import { toWholePart } from '../query/parts.ts';
import type { Query } from '../query/query.ts';
import type { Context } from '../run/context.ts';
import type { LedgerEntry } from '../run/ledger.ts';
import { resolveNames } from '../run/plan-run.ts';
import { requestAndRecord } from '../run/request.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { declareCommand } from './command.ts';
import { downloadCommand } from './download.ts';
import { printDryRun } from './dry-run.ts';
import { statusCommand } from './status.ts';

const createFlags = [...reportCreateFlags, remoteServiceFlags] as const;

const createCommand = declareCommand({
  name: 'create',
  summary: 'request a report and print its ID',
  examples: [
    [
      'id=$(adreport report create --period yesterday --by DAILY,CAMPAIGN)',
      'keep the ID for status and download',
    ],
    ['adreport report create --period last-7d --by COUNTRY --dry-run', 'preview the request'],
  ],
  flags: createFlags,
  action: ({ context, options }) => create(context, options),
});

const listFlags = flagGroup('Flags:', {
  limit: {
    flags: '--limit <n>',
    meaning: 'only the newest n (default: 20 on a terminal, otherwise all)',
    read: parsePositive,
  },
});

const listCommand = declareCommand({
  name: 'list',
  summary: 'list the reports requested on this machine',
  examples: [
    ['adreport report list', 'a table, newest first'],
    ['adreport report list --limit 3 --json', 'an array, for programs'],
  ],
  flags: [listFlags],
  action: ({ context, options }) => listReports(context, options.limit),
});

export const reportCommand = declareCommand({
  name: 'report',
  summary: 'request reports one step at a time, and list them',
  examples: [
    ['adreport report create --period yesterday --by DAILY', 'request a report and print its ID'],
    ['adreport report list', 'the reports requested on this machine'],
  ],
  subcommands: [createCommand, statusCommand, downloadCommand, listCommand],
});

/** Requests a report and prints only its ID. */
async function create(context: Context, options: OptionsOf<typeof createFlags>): Promise<void> {
  const { account, console, host } = context;
  const nowMs = host.wallClock();
  const query = buildQuery(options, { ...(await describeAccount(account)), nowMs });
  const command = commandFor(query, query, { platform: host.platform });
  if (query.breakdowns.includes('WEEKLY')) throw weeklyNeedsRunError(host.platform, query);

  const whole = toWholePart(query, nowMs);
  const part = { ...whole, query: await resolveNames(context, account, query) };
  if (options.dryRun) return printDryRun(context, [{ account, part, outputs: ['-'] }]);

  const requested = await requestAndRecord(context, part);
  const { id, status } = requested;
  if (id === undefined) {
    requested.response?.close();
    throw new RejectedError('The service sent the report itself, without an ID.', {
      code: 'NO_REPORT_ID',
      hint: `Use: ${command}`,
    });
  }
  const asJson = visibleJson({ report_id: id, status });
  return console.result(context.flags.json ? asJson : printable(id));
}

/** Builds the error for `--by WEEKLY`, which needs one report per week. */
function weeklyNeedsRunError(platform: NodeJS.Platform, query: Query): UsageError {
  const whole = query.since === undefined ? query : { period: 'last-week' };
  return new UsageError('report create cannot use --by WEEKLY, which takes one report per week.', {
    hint: `Use: ${commandFor(query, whole, { platform })}`,
  });
}

const listColumns: readonly TextColumn<LedgerEntry>[] = [
  { name: 'id', value: (entry) => entry.id, neverShortened: true },
  { name: 'period', value: formatDays, neverShortened: true },
  { name: 'by', value: ({ request }) => String(request.by ?? '') },
  { name: 'status', value: (entry) => entry.status },
  { name: 'requested', value: requestTime, neverShortened: true },
  { name: 'profile', value: ({ request }) => String(request.profile ?? '') },
  { name: 'what happened', value: (entry) => entry.message },
];

/** Formats the days of a report for `--period`. */
function formatDays({ window }: LedgerEntry): string {
  const first = window.since.slice(0, 10);
  const last = window.until.slice(0, 10);
  return first === last ? first : `${first}..${last}`;
}

function requestTime({ at }: LedgerEntry): string {
  return `${at.slice(0, 16).replace('T', ' ')}Z`;
}

/** Default for `--limit` on a terminal. */
const defaultCount = 20;

/** Prints the reports requested on this machine, newest first. */
async function listReports(context: Context, limit: number | undefined): Promise<void> {
  const { console, flags } = context;
  const isForPerson = console.out.isTerminal && !flags.json;
  const usual = isForPerson ? defaultCount : undefined;
  const entries = [...(context.ledger()?.entries() ?? [])].slice(0, limit ?? usual);

  if (flags.json) {
    const listed = entries.map(({ id = null, status, ...entry }) => ({ id, status, ...entry }));
    return console.result(visibleJson(listed));
  }
  if (entries.length === 0) {
    console.note(
      'No reports have been requested on this machine yet. To request one: adreport run --period yesterday',
    );
    return;
  }
  await console.write(drawList(entries, listColumns, console.out.look));
}
