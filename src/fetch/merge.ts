import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { ReportAnswer } from '../api/client.ts';
import { MergedCheck, type OutputCheck } from '../checks/merged-check.ts';
import { ReportCheck, type ReportOrigin } from '../checks/report-check.ts';
import type { Context } from '../context.ts';
import { InterruptedError, isInterruption, isUsedUp } from '../errors.ts';
import { createSpool, type Spool } from '../output/file/spool.ts';
import { type Job, labelOfPart, outputOf } from '../plan/plan.ts';
import { mergeReports, type Part } from '../report/window-parts.ts';
import { readRows } from '../rows/read-rows.ts';
import type { ReportTail, RowBatches } from '../rows/row-batch.ts';
import { anyOf } from '../signals.ts';
import { prepareJobOutput } from './job-output.ts';
import { noteFetched, type ReportTools } from './order.ts';
import { type Intake, readAnswer } from './receive.ts';
import { type PreparedOutput, type WrittenReport, writeReport } from './write-report.ts';

/** Reports fetched ahead of the one being written; each keeps a temporary file open. */
const maxAhead = 32;

/** The tools of a part, and the intake to make with them. */
export interface PartFetch<T> {
  readonly tools: ReportTools;
  readonly prepareIntake: (tools: ReportTools) => Promise<Intake<T>>;
}

/** A job whose parts go into one output. */
export interface MergedJob {
  readonly job: Job;
  readonly tools: ReportTools;

  /** The output, if it is already prepared. */
  readonly output: PreparedOutput | undefined;

  /** Fetches a part once `--concurrency` allows it. Throws the error of the part. */
  readonly fetchPart: <T>(part: Part, fetch: PartFetch<T>) => Promise<T>;
}

/** A report in a temporary file, waiting to be written in time order. */
interface SpooledReport {
  readonly spool: Spool;
  readonly answer: Omit<ReportAnswer, 'body' | 'sizeBytes'>;
  readonly origin: ReportOrigin;
}

/** A part that is being fetched, or is waiting to be written. */
interface StartedPart {
  readonly part: Part;
  readonly spooled: Promise<SpooledReport>;
}

/** Collected while reports are merged. */
interface MergedReports {
  /** The ids of the reports that were read. */
  readonly ids: string[];
  readonly check: MergedCheck;
}

/** Writes all parts of a job into one output. Throws as `fetchPart` and `writeReport`. */
export async function mergeParts(context: Context, merged: MergedJob): Promise<WrittenReport> {
  const { job, tools } = merged;
  const reports: MergedReports = { ids: [], check: new MergedCheck() };
  const markAllFetched = (file?: string) =>
    Promise.all(reports.ids.map((id) => noteFetched(tools, id, file)));
  const output = merged.output ?? (await prepareJobOutput(context, tools, job));

  try {
    const rows = rowsInOrder(merged, reports);
    const written = await writeReport(tools, output, {
      batches: mergeReports(rows, job.plan),
      check: reports.check,
      reportIds: reports.ids,
      createdMs: tools.host.wallClock(),
    });
    // Not earlier: until the output is complete, the same command can download them again.
    await markAllFetched(written.file);
    return written;
  } catch (error) {
    if (isUsedUp(error)) await markAllFetched();
    throw error;
  }
}

/** Rows of the parts in time order; the reports are fetched concurrently into temporary files. */
async function* rowsInOrder(
  { job, tools, fetchPart }: MergedJob,
  { ids, check }: MergedReports,
): AsyncGenerator<RowBatches> {
  const cancel = new AbortController();
  const ofMerge = { ...tools, signal: anyOf(tools.signal, cancel.signal) };
  const folder = spoolFolder(tools, job);
  const ahead = Math.max(maxAhead, job.options.concurrency);
  const started: StartedPart[] = [];

  const startUntil = (end: number): void => {
    for (const part of job.parts.slice(started.length, end)) {
      const spooled = fetchPart(part, {
        tools: ofMerge,
        prepareIntake: async (ofPart) => spoolingIntake(ofPart, folder),
      });
      // It may fail before it is awaited.
      spooled.catch(() => {});
      started.push({ part, spooled });
    }
  };

  try {
    startUntil(ahead);
    // `started` grows during the loop.
    for (const [index, { part, spooled }] of started.entries()) {
      const { spool, answer, origin } = await spooledReport(spooled, started);
      if (origin.id !== undefined) ids.push(origin.id);

      const { expectation } = outputOf(job, part);
      const nowMs = tools.host.wallClock();
      const partCheck = new ReportCheck({ expectation, answer, origin, nowMs });
      const batches = readRows(spool.read(), { contentType: answer.contentType });
      yield checkedRows(batches, partCheck, (tail) =>
        check.add(labelOfPart(job, part), partCheck, tail),
      );
      await spool.close();
      startUntil(index + 1 + ahead);
    }
  } finally {
    // Downloads still run if the output failed or its reader is gone (`| head`).
    cancel.abort(new InterruptedError(143));
    for (const outcome of await outcomesOf(started)) {
      if (outcome.status === 'fulfilled') await outcome.value.spool.close();
    }
  }
}

/**
 * Waits for a report. If it fails, the others are still fetched, so that the service has them ready
 * for the next run.
 */
async function spooledReport(
  spooled: Promise<SpooledReport>,
  started: readonly StartedPart[],
): Promise<SpooledReport> {
  try {
    return await spooled;
  } catch (error) {
    if (!isInterruption(error)) {
      await outcomesOf(started);
      throw error;
    }
    // If another report's error cancelled this one, that error is thrown.
    for (const outcome of await outcomesOf(started)) {
      const isCause = outcome.status === 'rejected' && !isInterruption(outcome.reason);
      if (isCause) throw outcome.reason;
    }
    throw error;
  }
}

function outcomesOf(
  started: readonly StartedPart[],
): Promise<PromiseSettledResult<SpooledReport>[]> {
  return Promise.allSettled(started.map(({ spooled }) => spooled));
}

/** Passes rows on to a check; `close` receives the tail of the report. */
async function* checkedRows(
  batches: RowBatches,
  check: OutputCheck,
  close: (tail: ReportTail) => void,
): RowBatches {
  let next = await batches.next();
  for (; !next.done; next = await batches.next()) {
    check.observe(next.value);
    yield next.value;
  }
  close(next.value);
  return next.value;
}

/**
 * An intake that saves the body to a temporary file. It parses the rows on the way, so that a
 * damaged body is downloaded again.
 */
function spoolingIntake(tools: ReportTools, folder: string): Intake<SpooledReport> {
  return {
    async take(answer, origin) {
      const spool = await createSpool(folder);
      async function* spooling(): AsyncGenerator<Buffer> {
        for await (const piece of answer.body) {
          tools.signal.throwIfAborted();
          await spool.write(piece);
          yield piece;
        }
      }

      try {
        for await (const _batch of readAnswer(tools, { ...answer, body: spooling() }));
        return { spool, answer, origin };
      } catch (error) {
        await spool.close();
        throw error;
      }
    },
  };
}

/** The folder of the output, whose disk has room for it; the system's for stdout and devices. */
function spoolFolder({ host }: ReportTools, job: Job): string {
  const [first] = job.parts;
  const file = first && outputOf(job, first).file;
  if (file === undefined) return tmpdir();
  const path = resolve(host.cwd, file);
  return path.startsWith('/dev/') ? tmpdir() : dirname(path);
}
