import { fetchReport } from '../../app/fetch/fetch-report.ts';
import { announce } from '../../app/output/announce.ts';
import { prepareDelivery } from '../../app/output/delivery.ts';
import { type PlannedCall, printDryRun } from '../../app/plan/dry-run.ts';
import { factsOf, fileOf, type Job } from '../../app/plan/job.ts';
import { resolveNames } from '../../app/plan/name-filters.ts';
import { planJob } from '../../app/plan/plan-job.ts';
import { planFromFlags, sayNotes } from '../../app/plan/plan-report.ts';
import type { Context } from '../../context.ts';
import type { RunOptions } from '../run.ts';

/** Fetches reports: what the flags describe, or those of `adreport.yaml` that are named; each whole or in parts. */
export async function run(context: Context, options: RunOptions, names: unknown): Promise<void> {
  const planned = await planJobs(context, options, names as readonly string[]);
  for (const { plan } of planned) sayNotes(context, plan);
  const jobs = planned.filter(({ parts }) => parts.length > 0);
  if (options.dryRun) return printDryRun(context, (await Promise.all(jobs.map(withNames))).flatMap(callsOf));
  const [first] = jobs;
  if (!first) return sayNothingIsMissing(context, planned);
  if (jobs.length === 1 && first.options.split === undefined) return runWhole(await withNames(first));
  return runMany(context, jobs);
}

/** Several reports, or one in parts: what fails keeps nothing else from being fetched. */
async function runMany(context: Context, jobs: readonly Job[]): Promise<void> {
  const [{ runParts }, { RunOutcome }] = await Promise.all([
    import('../../app/fetch/run-parts.ts'),
    import('../../app/fetch/run-outcome.ts'),
  ]);
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
  await outcome.conclude(howToGoOn(jobs), { isOneReport });
}

function howToGoOn(jobs: readonly Job[]): string {
  const again = 'Run the same command again';
  if (jobs.every(({ options }) => options.missing)) return `${again}: it fetches only what is missing.`;
  // On stdout nothing can be missing.
  const writesFiles = jobs.some((job) => job.parts.some((part) => fileOf(job, part) !== undefined));
  return writesFiles ? `${again}; with --missing it fetches only what has no file yet.` : `${again}.`;
}

async function planJobs(context: Context, options: RunOptions, names: readonly string[]): Promise<Job[]> {
  if (names.length === 0 && !options.all && options.file === undefined) return [await planJob(context, options)];
  const { planSavedReports } = await import('../../app/plan/saved-reports.ts');
  return planSavedReports(context, options, names);
}

function callsOf(job: Job): PlannedCall[] {
  const { context, name, options } = job;
  const calls = { context, name, encoding: options.encoding };
  return job.parts.map((part) => ({ ...calls, ...part, output: fileOf(job, part) }));
}

/** A report that is not split: its only part is the whole of it. */
async function runWhole(job: Job): Promise<void> {
  const { context, options, plan } = job;
  for (const part of job.parts) {
    const delivery = await prepareDelivery(context, options, factsOf(job, part));
    await announce(context, await fetchReport(context, options, plan, delivery));
  }
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
