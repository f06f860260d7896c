import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { ReportAnswer } from '../api/client.ts';
import type { Context } from '../context.ts';
import { FindingsError, InterruptedError } from '../errors.ts';
import { type ReportOrigin, ReportVerdict } from '../judge/report-judge.ts';
import { MergedVerdict, type Verdict } from '../judge/verdict.ts';
import { createSpool, type Spool } from '../output/file/spool.ts';
import { type Job, labelOfPart, outputOf } from '../plan/plan.ts';
import { mergeReports, type Part } from '../report/parts.ts';
import { readRows } from '../rows/read-rows.ts';
import type { ReportTail, RowBatches } from '../rows/row-batch.ts';
import { anyOf } from '../signals.ts';
import { prepareJobOutput } from './job-output.ts';
import { noteFetched, type ReportTools } from './order.ts';
import { type Intake, readAnswer } from './receive.ts';
import { type PreparedOutput, type WrittenReport, writeReport } from './write-report.ts';

/** How many reports may wait on the disk, each in an open file, until it is their turn. */
const aheadAtMost = 32;

/** What fetches one part into an intake that is made with the tools of that part. */
export interface PartFetch<T> {
  readonly tools: ReportTools;
  readonly prepareIntake: (tools: ReportTools) => Promise<Intake<T>>;
}

/** A job whose parts go into one output. */
export interface MergedJob {
  readonly job: Job;
  readonly tools: ReportTools;

  /** The output, if it is settled already. */
  readonly output: PreparedOutput | undefined;

  /** Fetches a part when there is room for it. Throws what ended it. */
  readonly fetchPart: <T>(part: Part, fetch: PartFetch<T>) => Promise<T>;
}

/** A report that waits on the disk until it is its turn. */
interface SpooledReport {
  readonly spool: Spool;
  readonly answer: Omit<ReportAnswer, 'body' | 'sizeBytes'>;
  readonly origin: ReportOrigin;
}

/** A part that is being fetched, or waits for its turn. */
interface BegunPart {
  readonly part: Part;
  readonly spooled: Promise<SpooledReport>;
}

/** What is gathered while reports are merged. */
interface MergedReports {
  /** The ids of the reports whose rows have come. */
  readonly ids: string[];

  /** What is wrong with each of them. */
  readonly verdict: MergedVerdict;
}

/** Writes the parts of a job into its one output. Throws as `fetchPart` and `writeReport`. */
export async function mergeParts(context: Context, merged: MergedJob): Promise<WrittenReport> {
  const { job, tools } = merged;
  const reports: MergedReports = { ids: [], verdict: new MergedVerdict() };
  const noteAll = (file?: string) =>
    Promise.all(reports.ids.map((id) => noteFetched(tools, id, file)));
  const output = merged.output ?? (await prepareJobOutput(context, tools, job));

  try {
    const rows = rowsInOrder(merged, reports);
    const written = await writeReport(tools, output, {
      batches: mergeReports(rows, job.plan),
      verdict: reports.verdict,
      reportIds: reports.ids,
      createdMs: tools.host.wallClock(),
    });
    // The reports are marked as fetched only now: until the output is whole, the same command can
    // fetch each of them again.
    await noteAll(written.file);
    return written;
  } catch (error) {
    if (error instanceof FindingsError) await noteAll();
    throw error;
  }
}

/**
 * The rows of the parts in time order; the reports are fetched side by side, and wait on the disk
 * for their turn.
 */
async function* rowsInOrder(
  { job, tools, fetchPart }: MergedJob,
  { ids, verdict }: MergedReports,
): AsyncGenerator<RowBatches> {
  const callOff = new AbortController();
  const ofMerge = { ...tools, signal: anyOf(tools.signal, callOff.signal) };
  const folder = spoolFolder(tools, job);
  const ahead = Math.max(aheadAtMost, job.options.concurrency);
  const begun: BegunPart[] = [];

  const beginUntil = (end: number): void => {
    for (const part of job.parts.slice(begun.length, end)) {
      const spooled = fetchPart(part, {
        tools: ofMerge,
        prepareIntake: async (ofPart) => spoolingIntake(ofPart, folder),
      });
      // It may fail before it is its turn to be waited for.
      spooled.catch(() => {});
      begun.push({ part, spooled });
    }
  };

  try {
    beginUntil(ahead);
    // Those that begin meanwhile come at the end.
    for (const [index, { part, spooled }] of begun.entries()) {
      const { spool, answer, origin } = await inTurn(spooled, begun);
      if (origin.id !== undefined) ids.push(origin.id);

      const { expectation } = outputOf(job, part);
      const nowMs = tools.host.wallClock();
      const judge = new ReportVerdict({ expectation, answer, origin, nowMs });
      const batches = readRows(spool.read(), { contentType: answer.contentType });
      yield judgedRows(batches, judge, (tail) => verdict.add(labelOfPart(job, part), judge, tail));
      await spool.close();
      beginUntil(index + 1 + ahead);
    }
  } finally {
    // Where the output itself has failed, or nobody reads it any more (`| head`), there is nothing
    // to wait for.
    callOff.abort(new InterruptedError(143));
    for (const end of await ends(begun)) {
      if (end.status === 'fulfilled') await end.value.spool.close();
    }
  }
}

/**
 * The report whose turn it is. Where it failed, the others still come to their end, so that the
 * service has them ready for the next run.
 */
async function inTurn(
  spooled: Promise<SpooledReport>,
  begun: readonly BegunPart[],
): Promise<SpooledReport> {
  try {
    return await spooled;
  } catch (error) {
    if (!(error instanceof InterruptedError)) {
      await ends(begun);
      throw error;
    }
    // It was called off, maybe because of another one: what ended that one is the reason.
    for (const end of await ends(begun)) {
      const isReason = end.status === 'rejected' && !(end.reason instanceof InterruptedError);
      if (isReason) throw end.reason;
    }
    throw error;
  }
}

/** How all that have begun have ended. */
function ends(begun: readonly BegunPart[]): Promise<PromiseSettledResult<SpooledReport>[]> {
  return Promise.allSettled(begun.map(({ spooled }) => spooled));
}

/** Rows that are judged as the report that they are; `close` takes what came at their end. */
async function* judgedRows(
  batches: RowBatches,
  verdict: Verdict,
  close: (tail: ReportTail) => void,
): RowBatches {
  let next = await batches.next();
  for (; !next.done; next = await batches.next()) {
    verdict.observe(next.value);
    yield next.value;
  }
  close(next.value);
  return next.value;
}

/**
 * Takes a report's body to the disk as it came, and reads it once on the way, so that a damaged one
 * comes again.
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

/**
 * The folder of the output, which has room for it; that for temporary files, where the output is no
 * file.
 */
function spoolFolder({ host }: ReportTools, job: Job): string {
  const [first] = job.parts;
  const file = first && outputOf(job, first).file;
  if (file === undefined) return tmpdir();
  const path = resolve(host.cwd, file);
  return path.startsWith('/dev/') ? tmpdir() : dirname(path);
}
