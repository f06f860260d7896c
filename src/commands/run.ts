import { prepareOutput } from '../app/compare.ts';
import { announce } from '../app/deliver.ts';
import { fetchReport } from '../app/fetch.ts';
import { type RunFlags, runFlags } from '../app/flags/run-flags.ts';
import { jobWithIds } from '../app/names.ts';
import { runParts } from '../app/parts.ts';
import { fileOf, planJob, printDryRun } from '../app/plan.ts';
import { planSavedReports } from '../app/saved-reports.ts';
import type { Context } from '../context.ts';
import { declareCommand } from './command.ts';

export const runCommand = declareCommand({
  name: 'run',
  args: ['[name...]'],
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
    ['adreport run nightly', 'a report saved in adreport.yaml (see adreport init)'],
  ],
  flags: runFlags,
  hasHelpAll: true,
  async action({ context, options, args: [names], typedOptions }) {
    await run(context, options, names, typedOptions);
    return 0;
  },
});

/** Fetches reports: what the flags describe, or those of `adreport.yaml` that are named; each whole or in parts. */
async function run(
  context: Context,
  options: RunFlags,
  names: readonly string[],
  typedOptions: ReadonlySet<string>,
): Promise<void> {
  const isSaved = names.length > 0 || options.all || options.file !== undefined;
  const planned = isSaved
    ? await planSavedReports(context, options, names, typedOptions)
    : [await planJob(context, options)];
  for (const note of planned.flatMap(({ plan }) => plan.window.notes)) context.console.note(note);
  const jobs = planned.filter(({ parts }) => parts.length > 0);
  if (options.dryRun) {
    const named = await Promise.all(jobs.map(jobWithIds));
    const calls = named.flatMap((job) =>
      job.parts.map((part) => ({ ...job, ...part, output: fileOf(job, part) })),
    );
    return printDryRun(context, calls);
  }
  const [first, ...others] = jobs;
  if (!first) return context.console.note('Nothing is missing: every file is there.');
  if (others.length === 0 && first.options.split === undefined) {
    const job = await jobWithIds(first);
    const delivery = await prepareOutput(job, job.parts[0]);
    return announce(job.context, await fetchReport(job.context, job.options, job.plan, delivery));
  }
  await runParts(context, jobs);
}
