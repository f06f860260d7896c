import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { AdreportError, InterruptedError } from '../../errors.ts';
import { mergeReports } from '../../report/parts/merge.ts';
import { daysOf, type Part } from '../../report/parts/parts.ts';
import { readRows } from '../../rows/read-rows.ts';
import type { RowBatches } from '../../rows/row-batch.ts';
import type { PartsProgress } from '../../ui/progress.ts';
import { type Delivered, incompleteReport, prepareDelivery } from '../output/delivery.ts';
import { factsOf, fileOf, type Job, mergedFactsOf } from '../plan/job.ts';
import { fetchReport, type Intake } from './fetch-report.ts';
import { noteFetched } from './ledger-notes.ts';
import { createPool, type Pool } from './pool.ts';
import type { RunOutcome } from './run-outcome.ts';
import { type Spooled, spoolIntake } from './spool-report.ts';

/** What the parts of a run share. */
interface Run {
  readonly pool: Pool;
  readonly progress: PartsProgress;
  readonly outcome: RunOutcome;
}

/**
 * Fetches every part of every job, so many at a time (the largest `--concurrency`, and of each job its own). A part that
 * fails keeps no other from being fetched; the outcome has what was written and what failed.
 */
export async function runParts(context: Context, jobs: readonly Job[], outcome: RunOutcome): Promise<void> {
  const partCount = jobs.reduce((sum, { parts }) => sum + parts.length, 0);
  const concurrency = Math.max(...jobs.map(({ options }) => options.concurrency));
  const progress = (await context.progress()).parts(partCount);
  // Every call under way listens: by itself Node warns of more than ten.
  setMaxListeners(0, context.host.signal);
  const run: Run = { pool: createPool(concurrency), progress, outcome };
  try {
    await Promise.all(jobs.map((job) => (job.isMerged ? runMerged(run, job) : runToFiles(run, job))));
  } finally {
    progress.stop();
  }
}

async function runToFiles(run: Run, job: Job): Promise<void> {
  const own = createPool(job.options.concurrency);
  const { signal } = ownController(job.context.host.signal);
  await Promise.all(
    job.parts.map((part) =>
      own.run(async () => {
        const delivered = await fetchPart(run, { job, part, signal }, (context) =>
          prepareDelivery(context, job.options, factsOf(job, part)),
        );
        if (delivered) await run.outcome.add(delivered);
      }),
    ),
  );
}

async function runMerged(run: Run, job: Job): Promise<void> {
  const { context, options, name } = job;
  const delivered = await run.outcome.attempt({ label: name ?? 'The merged output', context }, async () => {
    const reportIds: string[] = [];
    const note = (file?: string) => Promise.all(reportIds.map((id) => noteFetched(context, id, file)));
    const delivery = await prepareDelivery(context, options, mergedFactsOf(job));
    try {
      const written = await delivery.write(mergeReports(inOrder(run, job, reportIds)));
      // Not before: until the output is whole, the same command can have every report from the service again.
      await note(written.file);
      return written;
    } catch (error) {
      if (error instanceof AdreportError && error.code === incompleteReport) await note();
      throw error;
    }
  });
  if (delivered) await run.outcome.add(delivered);
}

/** So many reports may wait on the disk for the one whose turn it is. */
const aheadAtMost = 200;

/**
 * The rows of the parts in time order; the reports are fetched side by side and wait on the disk for their turn. Throws
 * what the first of them that failed has thrown.
 *
 * @param reportIds takes the id of each report whose rows have begun
 */
async function* inOrder(run: Run, job: Job, reportIds: string[]): AsyncGenerator<RowBatches> {
  const { parts, options } = job;
  const own = createPool(options.concurrency);
  const controller = ownController(job.context.host.signal);
  const { signal } = controller;
  const folder = spoolFolder(job);
  const pending: Promise<Spooled | undefined>[] = [];
  try {
    for (let turn = 0; turn < parts.length; turn++) {
      for (const part of parts.slice(pending.length, turn + aheadAtMost)) {
        const prepare = async (context: Context) => spoolIntake(context, folder);
        pending.push(own.run(() => fetchPart(run, { job, part, signal }, prepare)));
      }
      const spooled = await pending[turn];
      if (!spooled) {
        // The others still come to their end, so that the service has them ready for the next run.
        await Promise.all(pending);
        throw run.outcome.reason;
      }
      if (spooled.reportId !== undefined) reportIds.push(spooled.reportId);
      yield readRows(spooled.spool.read(), { contentType: spooled.contentType });
      await spooled.spool.close();
    }
  } finally {
    // Where the output itself has failed, or nobody reads it any more (`| head`), there is nothing to wait for.
    controller.abort(new InterruptedError('SIGTERM'));
    for (const spooled of await Promise.all(pending)) await spooled?.spool.close();
  }
}

interface PartOfJob {
  readonly job: Job;
  readonly part: Part;
  /** Ends the work on it. */
  readonly signal: AbortSignal;
}

/** Fetches one part when there is room for it; `undefined` where that failed, which the outcome knows. */
function fetchPart<T extends Delivered>(
  run: Run,
  { job, part, signal }: PartOfJob,
  prepare: (context: Context) => Promise<Intake<T>>,
): Promise<T | undefined> {
  const label = labelOf(job, part);
  return run.outcome.attempt({ label, context: job.context }, () =>
    run.pool.run(async () => {
      run.outcome.throwIfOver(job.context);
      signal.throwIfAborted();
      const { progress, end } = run.progress.begin(label);
      let isDone = false;
      try {
        const host = { ...job.context.host, signal };
        const context = { ...job.context, host, progress: async () => progress };
        const plan = { ...job.plan, window: part.window, request: part.request };
        const result = await fetchReport(context, job.options, plan, await prepare(context));
        isDone = true;
        return result;
      } finally {
        end(isDone);
      }
    }),
  );
}

/** What a part is called: a saved report by its name, with the part's days where it has several; others by their days. */
function labelOf({ name, options }: Job, part: Part): string {
  if (name === undefined) return daysOf(part);
  return options.split === undefined ? name : `${name} ${daysOf(part)}`;
}

/** The folder of the merged output, which has room for it; the system's where the output is no file. */
function spoolFolder(job: Job): string {
  const [first] = job.parts;
  const file = first && fileOf(job, first);
  if (file === undefined) return tmpdir();
  const path = resolve(job.context.host.cwd, file);
  return path.startsWith('/dev/') ? tmpdir() : dirname(path);
}

/** A controller that a signal aborts too, with a copy of its reason: the parts write into it what became of their reports. */
function ownController(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const abort = (): void => {
    const { reason } = signal;
    controller.abort(reason instanceof InterruptedError ? reason.copy() : reason);
  };
  // One that is aborted already needs no telling: `throwIfOver` lets no part begin.
  signal.addEventListener('abort', abort, { once: true });
  return controller;
}
