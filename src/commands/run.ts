import { planForAccounts } from '../app/accounts.ts';
import { announce } from '../app/announce.ts';
import { chooseParts } from '../app/archive.ts';
import { checkComparable, compareReport, planEarlier } from '../app/compare.ts';
import { checkFormat } from '../app/deliver.ts';
import { runFlags } from '../app/flags/run-flags.ts';
import { jobWithIds } from '../app/names.ts';
import { type ReportTools, toolsFor } from '../app/order.ts';
import { runParts } from '../app/parts.ts';
import {
  expectOwnPlaces,
  factsOf,
  fileOf,
  type Job,
  type PlannedCall,
  printDryRun,
} from '../app/plan.ts';
import { fetchReport, type PreparedOutput, prepareOutput, writingIntake } from '../app/receive.ts';
import { planSavedReports, type RunCommandLine } from '../app/saved-reports.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Part } from '../report/parts.ts';
import { partsAtMost, type Window } from '../report/window.ts';
import { formatCount } from '../text/quantity.ts';
import { declareCommand } from './command.ts';

export const runCommand = declareCommand({
  name: 'run',
  args: [{ name: '[name...]', meaning: 'reports saved in adreport.yaml' }],
  summary: 'create a report, wait for it, download it: the main job',
  examples: [
    [
      'adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv',
      'no account needed',
    ],
    [
      'adreport run --local --period yesterday --by HOURLY --metrics displays,clicks | head',
      'in a pipe',
    ],
    [
      'adreport run --local --profile dsp --period 2026-10 --by DAILY,FORMAT --format json',
      'DSP profile',
    ],
    [
      'adreport run --period last-7d --by COUNTRY --filter countryId=3017382 --dry-run',
      'show, do not send',
    ],
    [
      "adreport run --local --period last-30d --split day --by CAMPAIGN --missing -o '{date}.csv'",
      'a file a day',
    ],
    [
      "adreport run --local --account buyer,admin --period yesterday --by CAMPAIGN -o '{account}-{date}.csv'",
      'a file for each account',
    ],
    ['adreport run nightly', 'a report saved in adreport.yaml (see adreport init)'],
  ],
  flags: runFlags,
  hasHelpAll: true,
  async action({ context, options, args: [names], typedOptions }) {
    await run(context, { options, names, typedOptions });
    return 0;
  },
});

/** Fetches reports: what the flags describe, or those of `adreport.yaml` that are named; each whole or in parts. */
async function run(context: Context, command: RunCommandLine): Promise<void> {
  const { options } = command;
  const planned = await planJobs(context, command);
  expectFewParts(planned);
  const notes = new Set(planned.flatMap(({ plan }) => plan.window.notes));
  for (const note of notes) context.console.note(note);

  const chosen = await chooseParts(context, planned);
  const jobs = chosen.filter(({ parts }) => parts.length > 0);
  expectOwnPlaces(jobs, context.host.cwd);
  if (options.dryRun) return showPlan(context, jobs);

  const [first, ...others] = jobs;
  if (!first) return context.console.note('Nothing is missing: every file is there.');
  if (others.length === 0 && first.options.split === undefined) return fetchWhole(context, first);

  await runParts(context, jobs, (tools, job, part) => prepareJob(context, tools, job, part));
}

/** Throws `UsageError` where accounts, or saved reports, make more parts together than one may. */
function expectFewParts(jobs: readonly Job[]): void {
  let count = 0;
  for (const { parts } of jobs) count += parts.length;
  if (count <= partsAtMost) return;

  const parts = `${formatCount(count)} parts`;
  throw new UsageError(`This run would have ${parts}: ${formatCount(partsAtMost)} is the most.`, {
    hint: 'Run fewer accounts or reports at a time, a shorter window, or longer parts.',
  });
}

async function planJobs(context: Context, command: RunCommandLine): Promise<Job[]> {
  const { options, names } = command;
  const areSaved = names.length > 0 || options.all || options.file !== undefined;
  if (areSaved) return planSavedReports(context, command);

  checkFormat(context, options);
  return planForAccounts(context, { options });
}

/** Prints what would be asked for: with `--compare`, below each report the one that it is held against. */
async function showPlan(context: Context, jobs: readonly Job[]): Promise<void> {
  const calls: PlannedCall[] = [];
  for (const planned of jobs) {
    const job = await jobWithIds(context, planned);
    for (const part of job.parts) calls.push(...callsOf(context, job, part));
    if (job.isMerged) calls.push(...earlierCalls(context, job, job.plan.window));
  }
  await printDryRun(context, calls);
}

/** The calls that a part of a job leads to. Throws as `earlierCalls`. */
function callsOf(context: Context, job: Job, part: Part): PlannedCall[] {
  const { account, label, isMerged } = job;
  const { window, request, reason } = part;
  const call = { account, label, window, request, output: fileOf(job, part), reason };
  // What is merged is compared as a whole.
  return isMerged ? [call] : [call, ...earlierCalls(context, job, window)];
}

/**
 * With `--compare` the call for the report that the one of a window is held against. Throws `UsageError` for a format that has
 * no place for a change.
 */
function earlierCalls(context: Context, job: Job, now: Window): PlannedCall[] {
  const { account, label, options } = job;
  if (!options.compare) return [];

  checkComparable(context, options);
  const { window, request } = planEarlier(context, job, { now, which: options.compare });
  const reason = 'the report above is held against this one';
  return [{ account, label, window, request, output: null, reason }];
}

/** Fetches one report that is not split. */
async function fetchWhole(context: Context, planned: Job): Promise<void> {
  const job = await jobWithIds(context, planned);
  const tools = toolsFor(context, job.account);
  const output = await prepareJob(context, tools, job, job.parts[0]);
  const intake = writingIntake(context, tools, output);
  const written = await fetchReport(tools, { plan: job.plan, options: job.options, intake });
  await announce(context, written);
}

/**
 * Settles the output of a part, or without a part that of all parts of a job; with `--compare` the earlier report is fetched
 * first. Throws as `prepareOutput`, and `UsageError` for a format that has no place for a change.
 */
async function prepareJob(
  context: Context,
  tools: ReportTools,
  job: Job,
  part?: Part,
): Promise<PreparedOutput> {
  const { options } = job;
  if (options.compare) checkComparable(context, options);

  const { accountName, books, label, name, question } = job;
  const prepared = await prepareOutput(context, options, factsOf(job, part));
  books?.start();
  const output: PreparedOutput = {
    ...prepared,
    label: { report: name ?? null, account: accountName, job: label },
    question,
    record: part && books ? (file) => books.record(part, file) : undefined,
  };
  if (!options.compare) return output;

  const { window } = part ?? job.plan;
  const comparison = await compareReport(tools, job, { now: window, which: options.compare });
  return { ...output, comparison };
}
