import { prepareCompared } from '../app/compare.ts';
import { announce } from '../app/deliver.ts';
import { type PlannedCall, printDryRun } from '../app/dry-run.ts';
import { fetchReport } from '../app/fetch.ts';
import { addRunFlags, type RunOptions } from '../app/flags.ts';
import { resolveNames } from '../app/names.ts';
import { RunOutcome } from '../app/outcome.ts';
import { runParts } from '../app/parts.ts';
import { factsOf, fileOf, type Job, planFromFlags, planJob, sayNotes } from '../app/plan.ts';
import { planSavedReports } from '../app/saved-reports.ts';
import type { Context } from '../context.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

export const runCommand: CommandBuilder = (perform) =>
  addRunFlags(
    declareCommand('run [name...]', 'create a report, wait for it, download it: the main job', [
      ['adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv', 'no account needed'],
      ['adreport run --local --period yesterday --by HOURLY --metrics displays,clicks | head', 'in a pipe'],
      ['adreport run --local --profile dsp --period 2026-10 --by DAILY,FORMAT --format json', 'DSP profile'],
      ['adreport run --period last-7d --by COUNTRY --filter countryId=3017382 --dry-run', 'show, do not send'],
      ["adreport run --local --period last-30d --split day --by CAMPAIGN --missing -o '{date}.csv'", 'a file a day'],
      ['adreport run nightly', 'a report saved in adreport.yaml (see adreport init)'],
    ]),
  )
    .hook('preAction', (_root, action) => {
      const given = action.options.map((option) => option.attributeName());
      action.setOptionValue(
        'given',
        given.filter((name) => action.getOptionValueSource(name) === 'cli'),
      );
    })
    .action(perform(run));

/** Fetches reports: what the flags describe, or those of `adreport.yaml` that are named; each whole or in parts. */
async function run(context: Context, options: RunOptions, names: readonly string[]): Promise<void> {
  const isSaved = names.length > 0 || options.all || options.file !== undefined;
  const planned = isSaved ? await planSavedReports(context, options, names) : [await planJob(context, options)];
  for (const { plan } of planned) sayNotes(context, plan);
  const jobs = planned.filter(({ parts }) => parts.length > 0);
  if (options.dryRun) return printDryRun(context, (await Promise.all(jobs.map(withNames))).flatMap(callsOf));
  const [first] = jobs;
  if (!first) return sayNothingIsMissing(context, planned);
  if (jobs.length === 1 && first.options.split === undefined) return runWhole(await withNames(first));
  return runMany(context, jobs);
}

/** A report that is not split: its only part is the whole of it. */
async function runWhole(job: Job): Promise<void> {
  const { context, options, plan } = job;
  for (const part of job.parts) {
    const delivery = await prepareCompared(context, options, plan, factsOf(job, part));
    await announce(context, await fetchReport(context, options, plan, delivery));
  }
}

/** Several reports, or one in parts: what fails keeps nothing else from being fetched. */
async function runMany(context: Context, jobs: readonly Job[]): Promise<void> {
  const outcome = new RunOutcome(context);
  const isOneReport = jobs.length === 1;
  const named = await Promise.all(
    jobs.map((job) => {
      if (isOneReport) return withNames(job);
      return outcome.attempt({ label: job.name ?? 'A report', context: job.context }, () => withNames(job));
    }),
  );
  const ready = named.filter((job) => job !== undefined);
  if (ready.length > 0) await runParts(context, ready, outcome);
  outcome.conclude(howToGoOn(jobs), { isOneReport });
}

function howToGoOn(jobs: readonly Job[]): string {
  const again = 'Run the same command again';
  if (jobs.every(({ options }) => options.missing)) return `${again}: it fetches only what is missing.`;
  // On stdout nothing can be missing.
  const writesFiles = jobs.some((job) => job.parts.some((part) => fileOf(job, part) !== undefined));
  return writesFiles ? `${again}; with --missing it fetches only what has no file yet.` : `${again}.`;
}

function callsOf(job: Job): PlannedCall[] {
  const { context, name } = job;
  return job.parts.map((part) => ({ context, name, ...part, output: fileOf(job, part) }));
}

/** The job with names of campaigns and the like turned into ids: only now, because that asks the service. */
async function withNames(job: Job): Promise<Job> {
  const options = await resolveNames(job.context, job.options);
  if (options === job.options) return job;
  const { filters } = (await planFromFlags(job.context, options)).request;
  const plan = { ...job.plan, request: { ...job.plan.request, filters } };
  const parts = job.parts.map((part) => ({ ...part, request: { ...part.request, filters } }));
  return { ...job, plan, parts };
}

function sayNothingIsMissing({ console }: Context, jobs: readonly Job[]): void {
  const count = jobs.reduce((sum, { partCount }) => sum + partCount, 0);
  console.note(
    count === 1 ? 'Nothing is missing: the file is there.' : `Nothing is missing: ${count} parts are there.`,
  );
}
