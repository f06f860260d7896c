import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { ReportAnswer } from '../api/client.ts';
import type { Context } from '../context.ts';
import { AdreportError, InterruptedError, SignInError } from '../errors.ts';
import { createSpool } from '../output/file/spool.ts';
import { daysOf, mergeReports, type Part } from '../report/parts.ts';
import { readRows } from '../rows/read-rows.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import { ClosedPipeError } from '../ui/console.ts';
import type { PartsProgress } from '../ui/progress.ts';
import { Grouping } from '../view/grouping.ts';
import { prepareOutput } from './compare.ts';
import { announce, type Delivered, download, incompleteReport, showCard } from './deliver.ts';
import { fetchReport, type Intake, noteFetched } from './fetch.ts';
import { jobWithIds } from './names.ts';
import { fileOf, type Job } from './plan.ts';

/** What the parts of a run share, and what became of them. */
interface Run {
  readonly context: Context;
  readonly takeTurn: ReturnType<typeof turns>;
  readonly progress: PartsProgress;
  readonly delivered: Delivered[];
  /** What failed, with the context of its account; without a label where it is the one report. */
  readonly failures: {
    readonly label: string | undefined;
    readonly context: Context;
    readonly error: AdreportError;
  }[];
}

/** How many files and failures are named one by one. */
const namedAtMost = 10;

/**
 * Fetches every part of every job, so many at a time (the largest `--concurrency`, and of each job its own). What fails keeps
 * nothing else from being fetched: at the end the error of the first one is thrown, after the names of all.
 */
export async function runParts(context: Context, jobs: readonly Job[]): Promise<void> {
  const partCount = jobs.reduce((sum, { parts }) => sum + parts.length, 0);
  const named = jobs.flatMap(({ name, parts }) =>
    name === undefined ? [] : [[name, parts.length] as const],
  );
  const progress = (await context.progress()).parts(partCount, new Map(named));
  const takeTurn = turns(Math.max(...jobs.map(({ options }) => options.concurrency)));
  const run: Run = { context, takeTurn, progress, delivered: [], failures: [] };
  // Every call under way listens to this signal, and Node warns of more than ten listeners by default.
  setMaxListeners(0, context.host.signal);
  const runJob = async (planned: Job): Promise<void> => {
    const job = await attempt(run, planned, planned.name, () => jobWithIds(planned));
    if (!job) return;
    if (job.isMerged)
      return add(run, await attempt(run, job, job.name, () => writeMerged(run, job)));
    const takeTurn = turns(job.options.concurrency);
    const runOne = async (part: Part) =>
      add(
        run,
        await fetchPart(run, job, part, (context) => prepareOutput({ ...job, context }, part)),
      );
    await Promise.all(job.parts.map((part) => takeTurn(() => runOne(part))));
  };
  try {
    await Promise.all(jobs.map(runJob));
  } finally {
    progress.stop();
  }
  conclude(run, jobs);
}

/** The result of some work for a job, or `undefined` with its error noted. A bug, and a closed pipe, are thrown on. */
async function attempt<T>(
  { failures }: Run,
  { context }: Job,
  label: string | undefined,
  work: () => Promise<T>,
) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AdreportError) || error instanceof ClosedPipeError) throw error;
    // What was called off has not failed; and what ended several is one failure.
    const isCalledOff = error instanceof InterruptedError || context.host.signal.aborted;
    if (!isCalledOff && !failures.some((failure) => failure.error === error))
      failures.push({ label, context, error });
    return undefined;
  }
}

/** Notes an output that was written, and says so while they are few; its figures come together with the others'. */
async function add({ context, delivered }: Run, output: Delivered | undefined): Promise<void> {
  if (!output) return;
  delivered.push(output);
  await announce(context, { ...output, figures: undefined }, delivered.length > namedAtMost);
}

/** Says what was written in all, and throws what went wrong; where nothing did, shows the figures of one report's files. */
function conclude({ context, delivered, failures }: Run, jobs: readonly Job[]): void {
  const { console, elapsedMs, host } = context;
  const files = delivered.filter(({ told }) => told.file !== undefined);
  // Different reports may count the same displays.
  const figures = jobs.length === 1 ? files.flatMap((one) => one.figures ?? []) : [];
  if (files.length > namedAtMost || figures.length > 1) {
    const sum = (of: 'rows' | 'bytes'): number =>
      files.reduce((total, { told }) => total + told[of], 0);
    const size = `${formatPlural(sum('rows'), 'row')}, ${formatBytes(sum('bytes'))}`;
    console.note(
      `Together ${formatPlural(files.length, 'file')}: ${size}, in ${formatDuration(elapsedMs())}.`,
    );
  }
  const isComplete = jobs.every(({ options }) => options.missing);
  const less = isComplete
    ? ': it fetches only what is missing.'
    : '; with --missing it fetches only what has no file yet.';
  // On stdout nothing can be missing.
  const writesFiles = jobs.some(({ options: { output = '-' } }) => output !== '-');
  const hint = `Run the same command again${writesFiles ? less : '.'}`;
  const { aborted, reason } = host.signal;
  if (aborted) throw reason instanceof InterruptedError ? reason.amend('', { hint }) : reason;
  const [first] = failures;
  if (first) {
    const { error, label } = first;
    // A report that could not even be prepared needs another command.
    if (label === undefined) throw error;
    const lines = failures.map((failure) => `\n  - ${failure.label}: ${failure.error.message}`);
    const more = lines.splice(namedAtMost).length;
    const all = `${failures.length} reports failed:${lines.join('')}${more > 0 ? `\n  - and ${more} more` : ''}`;
    error.message = failures.length === 1 ? `${label} failed: ${error.message}` : all;
    throw error.amend('', { hint: [error.hint, hint].filter(Boolean).join('\n') });
  }
  const together = new Grouping('time');
  for (const each of figures) together.absorb(each);
  if (figures.length > 0) showCard(context, together);
}

/** Writes the parts of a job into its one output. */
async function writeMerged(run: Run, job: Job): Promise<Delivered> {
  const { context } = job;
  const reportIds: string[] = [];
  const noteAll = (file?: string) =>
    Promise.all(reportIds.map((id) => noteFetched(context, id, file)));
  const delivery = await prepareOutput(job);
  try {
    const written = await delivery.write(mergeReports(inOrder(run, job, reportIds)));
    // The reports are marked as fetched only now: until the output is whole, the same command can fetch each of them again.
    await noteAll(written.told.file);
    return written;
  } catch (error) {
    if (error instanceof AdreportError && error.code === incompleteReport) await noteAll();
    throw error;
  }
}

/** How many reports may wait on the disk, each in an open file, until it is their turn. */
const aheadAtMost = 32;

/** The rows of the parts in time order; the reports are fetched side by side, and wait on the disk for their turn. */
async function* inOrder(run: Run, job: Job, reportIds: string[]): AsyncGenerator<RowBatches> {
  const { parts, options } = job;
  const host = job.context.host;
  const controller = new AbortController();
  const signal = AbortSignal.any([host.signal, controller.signal]);
  setMaxListeners(0, signal);
  const own = { ...job, context: { ...job.context, host: { ...host, signal } } };
  const takeTurn = turns(options.concurrency);
  const path = resolve(host.cwd, (parts[0] && fileOf(job, parts[0])) ?? '/dev/stdout');
  // The folder of the output has room for it.
  const folder = path.startsWith('/dev/') ? tmpdir() : dirname(path);
  const fetchOne = (part: Part) =>
    fetchPart(run, own, part, async (context) => spoolIntake(context, folder));
  const pending: ReturnType<typeof fetchOne>[] = [];
  try {
    for (let next = 0; next < parts.length; next++) {
      for (const part of parts.slice(
        pending.length,
        next + Math.max(aheadAtMost, options.concurrency),
      )) {
        pending.push(takeTurn(() => fetchOne(part)));
      }
      const spooled = await pending[next];
      if (!spooled) {
        // The others still come to their end, so that the service has them ready for the next run.
        await Promise.all(pending);
        throw run.failures[0]?.error ?? host.signal.reason;
      }
      if (spooled.reportId !== undefined) reportIds.push(spooled.reportId);
      yield readRows(spooled.spool.read(), { contentType: spooled.contentType });
      await spooled.spool.close();
    }
  } finally {
    // Where the output itself has failed, or nobody reads it any more (`| head`), there is nothing to wait for.
    controller.abort(new InterruptedError(143));
    for (const spooled of await Promise.all(pending)) await spooled?.spool.close();
  }
}

/** Fetches one part when there is room for it; `undefined` where that failed, which the run notes. */
function fetchPart<T>(
  run: Run,
  job: Job,
  part: Part,
  prepare: (context: Context) => Promise<Intake<T>>,
) {
  const { name, options, context } = job;
  // A saved report is called by its name, with the part's days where it has several; others by their days.
  const label = name && options.split ? `${name} ${daysOf(part)}` : (name ?? daysOf(part));
  return attempt(run, job, label, () =>
    run.takeTurn(async () => {
      context.host.signal.throwIfAborted();
      // A refused sign-in would meet every other call of its account too.
      const ofAccount = run.failures.filter((failure) => failure.context.client === context.client);
      for (const { error } of ofAccount) if (error instanceof SignInError) throw error;
      const { progress, end } = run.progress.begin(label, name);
      let isDone = false;
      try {
        const own = { ...context, progress: async () => progress };
        const plan = { ...job.plan, window: part.window, request: part.request };
        const result = await fetchReport(own, options, plan, await prepare(own));
        isDone = true;
        return result;
      } finally {
        end(isDone);
      }
    }),
  );
}

/** A function that does work once there is room for it, so much of it at a time; the rest waits in the order it came. */
function turns(size: number) {
  const waiting: (() => void)[] = [];
  let free = size;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** Takes a report's body to the disk as it came, and reads it once on the way, so that a damaged one comes again. */
function spoolIntake(context: Context, folder: string) {
  return {
    async take(answer: ReportAnswer, reportId?: string) {
      const spool = await createSpool(folder);
      async function* kept(): AsyncGenerator<Buffer> {
        for await (const piece of answer.body) {
          context.host.signal.throwIfAborted();
          await spool.write(piece);
          yield piece;
        }
      }
      try {
        for await (const _batch of download(context, { ...answer, body: kept() }));
        return { spool, contentType: answer.contentType, reportId };
      } catch (error) {
        await spool.close();
        throw error;
      }
    },
  };
}
