import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { AdreportError, InterruptedError } from '../errors.ts';
import { createSpool, type Spool } from '../output/file/spool.ts';
import { daysOf, mergeReports, type Part } from '../report/parts.ts';
import { readRows } from '../rows/read-rows.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import type { PartsProgress } from '../ui/progress.ts';
import { prepareCompared } from './compare.ts';
import { counted, type Delivered, incompleteReport } from './deliver.ts';
import { fetchReport, type Intake, noteFetched } from './fetch.ts';
import type { RunOutcome } from './outcome.ts';
import { factsOf, fileOf, type Job, mergedFactsOf } from './plan.ts';

/** What the parts of a run share. */
interface Run {
  readonly takeTurn: Turns;
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
  const named = jobs.flatMap(({ name, parts }) => (name === undefined ? [] : [[name, parts.length] as const]));
  const progress = (await context.progress()).parts(partCount, new Map(named));
  // Every call under way listens to this signal, and Node warns of more than ten listeners by default.
  setMaxListeners(0, context.host.signal);
  const run: Run = { takeTurn: turns(concurrency), progress, outcome };
  try {
    await Promise.all(jobs.map((job) => (job.isMerged ? runMerged(run, job) : runToFiles(run, job))));
  } finally {
    progress.stop();
  }
}

async function runToFiles(run: Run, job: Job): Promise<void> {
  const { signal } = ownController(job.context.host.signal);
  const takeTurn = turns(job.options.concurrency);
  const runOne = async (part: Part): Promise<void> => {
    const delivered = await fetchPart(run, { job, part, signal }, (context) =>
      prepareCompared(
        context,
        job.options,
        { ...job.plan, window: part.window, request: part.request },
        factsOf(job, part),
      ),
    );
    if (delivered) await run.outcome.add(delivered);
  };
  await Promise.all(job.parts.map((part) => takeTurn(() => runOne(part))));
}

async function runMerged(run: Run, job: Job): Promise<void> {
  const { context, options, name } = job;
  const delivered = await run.outcome.attempt({ label: name ?? 'The merged output', context }, async () => {
    const reportIds: string[] = [];
    const note = (file?: string) => Promise.all(reportIds.map((id) => noteFetched(context, id, file)));
    const delivery = await prepareCompared(context, options, job.plan, mergedFactsOf(job));
    try {
      const written = await delivery.write(mergeReports(inOrder(run, job, reportIds)));
      // The reports are marked as fetched only now: until the output is whole, the same command can fetch each of them again.
      await note(written.file);
      return written;
    } catch (error) {
      if (error instanceof AdreportError && error.code === incompleteReport) await note();
      throw error;
    }
  });
  if (delivered) await run.outcome.add(delivered);
}

/** How many reports may wait on the disk, each in an open file, until it is their turn. */
const aheadAtMost = 32;

/**
 * The rows of the parts in time order; the reports are fetched side by side and wait on the disk for their turn. Throws
 * what the first of them that failed has thrown.
 *
 * @param reportIds takes the id of each report whose rows have begun
 */
async function* inOrder(run: Run, job: Job, reportIds: string[]): AsyncGenerator<RowBatches> {
  const { parts, options } = job;
  const controller = ownController(job.context.host.signal);
  const { signal } = controller;
  const takeTurn = turns(options.concurrency);
  const folder = spoolFolder(job);
  const pending: Promise<Spooled | undefined>[] = [];
  try {
    for (let next = 0; next < parts.length; next++) {
      for (const part of parts.slice(pending.length, next + Math.max(aheadAtMost, options.concurrency))) {
        const prepare = async (context: Context) => spoolIntake(context, folder);
        pending.push(takeTurn(() => fetchPart(run, { job, part, signal }, prepare)));
      }
      const spooled = await pending[next];
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
    run.takeTurn(async () => {
      run.outcome.throwIfOver(job.context);
      signal.throwIfAborted();
      const { progress, end } = run.progress.begin(label, job.name);
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
  // A signal that is already aborted needs no listener: `throwIfOver` lets no part begin.
  signal.addEventListener('abort', abort, { once: true });
  return controller;
}

/** Does work once there is room for it, and throws what it throws. */
type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** @param size how much work is under way at a time, 1 or more; the rest waits in the order in which it came */
function turns(size: number): Turns {
  const waiting: (() => void)[] = [];
  let free = size;
  return async (work) => {
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

/** A report that is whole and waits on the disk. */
interface Spooled extends Delivered {
  readonly spool: Spool;
  readonly contentType: string | undefined;
  readonly reportId: string | undefined;
}

/** Takes a report's body to the disk as it came, and reads it once on the way, so that a damaged one comes again. */
function spoolIntake(context: Context, folder: string): Intake<Spooled> {
  return {
    async take({ body, contentType, sizeBytes: expected }, reportId) {
      const spool = await createSpool(folder);
      const meter = (await context.progress()).transfer('Downloading', expected);
      try {
        let [sizeBytes, rowCount] = [0, 0];
        const metered = counted(body, (bytes) => {
          sizeBytes = bytes;
          meter.update({ bytes, rows: rowCount });
        });
        for await (const batch of readRows(kept(metered, spool, context.host.signal), { contentType })) {
          rowCount = batch.firstRow + batch.rowCount;
        }
        return { spool, contentType, reportId, rowCount, sizeBytes, file: undefined };
      } catch (error) {
        await spool.close();
        throw error;
      } finally {
        meter.stop();
      }
    },
  };
}

/** The same bytes, which go to the spool as well. Throws the signal's reason when it is aborted. */
async function* kept(body: AsyncIterable<Buffer>, spool: Spool, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    signal.throwIfAborted();
    await spool.write(piece);
    yield piece;
  }
}
