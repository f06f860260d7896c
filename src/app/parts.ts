import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { ReportAnswer } from '../api/client.ts';
import type { Context, ServiceAccount } from '../context.ts';
import { AdreportError, InterruptedError, SignInError } from '../errors.ts';
import { createSpool, type Spool } from '../output/file/spool.ts';
import { noRows } from '../report/completeness.ts';
import { daysOf, mergeReports, type Part } from '../report/parts.ts';
import { readRows } from '../rows/read-rows.ts';
import type { ReportTail, RowBatches } from '../rows/row-batch.ts';
import { ClosedPipeError } from '../ui/console.ts';
import type { PartsProgress } from '../ui/progress.ts';
import { RunAnnouncer } from './announce.ts';
import { jobWithIds } from './names.ts';
import { noteFetched, type ReportTools, toolsFor } from './order.ts';
import { factsOfPart, fileOf, type Job } from './plan.ts';
import {
  fetchReport,
  type Intake,
  type PreparedOutput,
  ReportVerdict,
  readAnswer,
  type Verdict,
  type WrittenReport,
  writeReport,
  writingIntake,
} from './receive.ts';
import { incompleteReport } from './wait.ts';

/** Settles the output of a part that has one of its own, or without a part that of all parts of the job. */
export type PrepareJobOutput = (
  tools: ReportTools,
  job: Job,
  part?: Part,
) => Promise<PreparedOutput>;

/** What went wrong with a report or a part of one. */
interface Failure {
  /** What the report is called among the others; `undefined` where it is the only one. */
  readonly label: string | undefined;
  readonly account: ServiceAccount;
  readonly error: AdreportError;
}

/** How many failures are named one by one. */
const namedAtMost = 10;

/** How many reports may wait on the disk, each in an open file, until it is their turn. */
const aheadAtMost = 32;

/**
 * Fetches every part of every job, of each account so many at a time (the largest `--concurrency`, and of each job its own).
 * What fails keeps nothing else from being fetched: at the end the error of the first one is thrown, after the names of all.
 */
export async function runParts(
  context: Context,
  jobs: readonly Job[],
  prepare: PrepareJobOutput,
): Promise<void> {
  // Every call under way listens to this signal, and Node warns of more than ten listeners by default.
  setMaxListeners(0, context.host.signal);

  const progress = await beginProgress(context, jobs);
  const run = new PartsRun(context, jobs, { prepare, progress });
  try {
    await run.runJobs();
  } finally {
    progress.stop();
  }
  run.conclude();
}

async function beginProgress(context: Context, jobs: readonly Job[]): Promise<PartsProgress> {
  let partCount = 0;
  const countsByReport = new Map<string, number>();
  for (const { label, parts } of jobs) {
    partCount += parts.length;
    if (label !== undefined) countsByReport.set(label, parts.length);
  }
  return (await context.progress()).parts(partCount, countsByReport);
}

/** What fetches one part into an intake that is made with the tools of that part. */
interface PartFetch<T> {
  readonly tools: ReportTools;
  readonly prepareIntake: (tools: ReportTools) => Promise<Intake<T>>;
}

/** A report that waits on the disk until it is its turn. */
interface SpooledReport {
  readonly spool: Spool;
  readonly answer: Omit<ReportAnswer, 'body' | 'sizeBytes'>;
  readonly reportId: string | undefined;
  readonly createdMs: number;
}

/** The jobs of one command, and what has become of their parts. */
class PartsRun {
  readonly #context: Context;
  readonly #jobs: readonly Job[];
  readonly #prepare: PrepareJobOutput;
  readonly #progress: PartsProgress;
  readonly #turnsByAccount = new Map<string, Turns>();
  readonly #announcer: RunAnnouncer;
  readonly #failures: Failure[] = [];

  constructor(
    context: Context,
    jobs: readonly Job[],
    { prepare, progress }: { readonly prepare: PrepareJobOutput; readonly progress: PartsProgress },
  ) {
    this.#context = context;
    this.#jobs = jobs;
    this.#prepare = prepare;
    this.#progress = progress;
    this.#announcer = new RunAnnouncer(context);
  }

  /** Runs all jobs. After a bug, or once nobody reads the rows any more, the work on all parts ends before that is thrown on. */
  async runJobs(): Promise<void> {
    const runs = this.#jobs.map((job) => this.#runJob(job));
    await settleAll(runs, () => this.#context.callOff.abort(new InterruptedError(143)));
  }

  async #runJob(planned: Job): Promise<void> {
    const ofAccount = toolsFor(this.#context, planned.account);
    const signal = AbortSignal.any([ofAccount.signal, this.#context.callOff.signal]);
    setMaxListeners(0, signal);
    const tools = { ...ofAccount, signal };
    const job = await this.#attempt(tools, planned.label, () => jobWithIds(this.#context, planned));
    if (!job) return;

    if (job.isMerged) {
      const written = await this.#attempt(tools, job.label, () => this.#writeMerged(tools, job));
      if (written) await this.#announcer.add(written);
      return;
    }

    const turns = new Turns(job.options.concurrency);
    const fetches = job.parts.map((part) =>
      turns.take(async () => {
        const written = await this.#fetchPart(job, part, {
          tools,
          prepareIntake: async (ofPart) =>
            writingIntake(this.#context, ofPart, await this.#prepare(ofPart, job, part)),
        });
        if (written) await this.#announcer.add(written);
      }),
    );
    await settleAll(fetches, () => this.#context.callOff.abort(new InterruptedError(143)));
  }

  /** Says what was written in all, and throws what went wrong; where nothing did, shows the figures of one report's files. */
  conclude(): void {
    const isOneReport = this.#jobs.length === 1;
    this.#announcer.sayTogether(isOneReport);

    const { aborted, reason } = this.#context.host.signal;
    const hint = this.#hintToRepeat();
    if (aborted) throw reason instanceof InterruptedError ? reason.amend('', { hint }) : reason;

    const [first] = this.#failures;
    if (first) throw this.#errorOfAll(first, hint);
    this.#announcer.showTogether(isOneReport);
  }

  #hintToRepeat(): string {
    const again = 'Run the same command again';
    const writesFiles = this.#jobs.some(({ options }) => (options.output ?? '-') !== '-');
    // On stdout nothing can be missing.
    if (!writesFiles) return `${again}.`;

    const fetchesMissing = this.#jobs.every(({ options }) => options.missing);
    if (fetchesMissing) return `${again}: it fetches only what is missing.`;
    return `${again}; with --missing it fetches only what has no file yet.`;
  }

  /** The error of the first failure, which names them all. */
  #errorOfAll({ error, label }: Failure, hint: string): AdreportError {
    // A report that could not even be prepared needs another command.
    if (label === undefined) return error;

    const count = this.#failures.length;
    if (count === 1) {
      error.message = `${label} failed: ${error.message}`;
    } else {
      const named = this.#failures.slice(0, namedAtMost);
      const lines = named.map((failure) => `\n  - ${failure.label}: ${failure.error.message}`);
      if (count > namedAtMost) lines.push(`\n  - and ${count - namedAtMost} more`);
      error.message = `${count} reports failed:${lines.join('')}`;
    }
    return error.amend('', { hint: error.hint ? `${error.hint}\n${hint}` : hint });
  }

  /** The result of some work for a job, or `undefined` with its error noted. A bug, and a closed pipe, are thrown on. */
  async #attempt<T>(
    { account, signal }: ReportTools,
    label: string | undefined,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AdreportError) || error instanceof ClosedPipeError) {
        // The calls of the other parts end, too: nobody waits for their data any more.
        this.#context.callOff.abort(new InterruptedError(143));
        throw error;
      }
      // What was called off has not failed; and what ended several is one failure.
      const isCalledOff = error instanceof InterruptedError || signal.aborted;
      const isNoted = this.#failures.some((failure) => failure.error === error);
      if (!isCalledOff && !isNoted) this.#failures.push({ label, account, error });
      return undefined;
    }
  }

  /** Fetches one part when there is room for it; `undefined` where that failed, which the run notes. */
  #fetchPart<T>(
    job: Job,
    part: Part,
    { tools, prepareIntake }: PartFetch<T>,
  ): Promise<T | undefined> {
    const label = labelOf(job, part);

    const fetchNow = async (): Promise<T> => {
      tools.signal.throwIfAborted();
      this.#throwRefusedSignIn(tools.account);

      const line = this.#progress.begin(label, job.label);
      const ofPart = { ...tools, progress: async () => line.progress };
      const plan = { ...job.plan, window: part.window, request: part.request };
      let isDone = false;
      try {
        const intake = await prepareIntake(ofPart);
        const result = await fetchReport(ofPart, { plan, options: job.options, intake });
        isDone = true;
        return result;
      } finally {
        line.end(isDone);
      }
    };
    // A refused sign-in is noted before the turn passes on: the next report of the account need not meet it.
    return this.#turnsOf(job).take(() => this.#attempt(tools, label, fetchNow));
  }

  /** The turns of all jobs of an account together: as many as the largest `--concurrency` of them. */
  #turnsOf({ accountName }: Job): Turns {
    const existing = this.#turnsByAccount.get(accountName);
    if (existing) return existing;

    const jobs = this.#jobs.filter((job) => job.accountName === accountName);
    const turns = new Turns(Math.max(...jobs.map(({ options }) => options.concurrency)));
    this.#turnsByAccount.set(accountName, turns);
    return turns;
  }

  /** A refused sign-in would meet every other call of its account too. */
  #throwRefusedSignIn(account: ServiceAccount): void {
    for (const failure of this.#failures) {
      if (failure.account === account && failure.error instanceof SignInError) throw failure.error;
    }
  }

  /** Writes the parts of a job into its one output. */
  async #writeMerged(tools: ReportTools, job: Job): Promise<WrittenReport> {
    const reportIds: string[] = [];
    const noteAll = (file?: string) =>
      Promise.all(reportIds.map((id) => noteFetched(tools, id, file)));
    const output = await this.#prepare(tools, job);

    try {
      const verdict = new MergedVerdict();
      const reports = this.#rowsInOrder(tools, job, { reportIds, verdict });
      const written = await writeReport(this.#context, output, {
        batches: mergeReports(reports),
        verdict,
        createdMs: this.#context.host.wallClock(),
      });
      // The reports are marked as fetched only now: until the output is whole, the same command can fetch each of them again.
      await noteAll(written.file);
      return written;
    } catch (error) {
      if (error instanceof AdreportError && error.code === incompleteReport) await noteAll();
      throw error;
    }
  }

  /**
   * The rows of the parts in time order; the reports are fetched side by side, and wait on the disk for their turn.
   * @param merged takes the ids of the reports whose rows have come, and what is wrong with each of them
   */
  async *#rowsInOrder(
    tools: ReportTools,
    job: Job,
    { reportIds, verdict }: MergedReports,
  ): AsyncGenerator<RowBatches> {
    const { parts, options } = job;
    const callOff = new AbortController();
    const signal = AbortSignal.any([tools.signal, callOff.signal]);
    setMaxListeners(0, signal);

    const folder = this.#spoolFolder(job);
    const turns = new Turns(options.concurrency);
    const fetchOne = (part: Part) =>
      this.#fetchPart(job, part, {
        tools: { ...tools, signal },
        prepareIntake: async (ofPart) => spoolingIntake(ofPart, folder),
      });
    const ahead = Math.max(aheadAtMost, options.concurrency);
    const pending: Promise<SpooledReport | undefined>[] = [];

    try {
      for (let next = 0; next < parts.length; next += 1) {
        for (const part of parts.slice(pending.length, next + ahead)) {
          const spooled = turns.take(() => fetchOne(part));
          // It may fail before it is its turn to be waited for.
          spooled.catch(() => {});
          pending.push(spooled);
        }

        const spooled = await pending[next];
        if (!spooled) {
          // The others still come to their end, so that the service has them ready for the next run.
          await Promise.all(pending);
          throw this.#failures[0]?.error ?? tools.signal.reason;
        }
        if (spooled.reportId !== undefined) reportIds.push(spooled.reportId);
        yield this.#judgedRows(job, parts[next], spooled, verdict);
        await spooled.spool.close();
      }
    } finally {
      // Where the output itself has failed, or nobody reads it any more (`| head`), there is nothing to wait for.
      callOff.abort(new InterruptedError(143));
      for (const spooled of await Promise.all(pending)) await spooled?.spool.close();
    }
  }

  /** The rows of a part, which is judged as the report that it is. */
  async *#judgedRows(
    job: Job,
    part: Part | undefined,
    { spool, answer, reportId }: SpooledReport,
    merged: MergedVerdict,
  ): RowBatches {
    const facts = part && factsOfPart(job, part);
    const nowMs = this.#context.host.wallClock();
    const expectation = facts?.expectation && { ...facts.expectation, nowMs };
    const verdict = new ReportVerdict(this.#context, { answer, expectation, reportId });

    const batches = readRows(spool.read(), { contentType: answer.contentType });
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) {
      verdict.observe(next.value);
      yield next.value;
    }
    merged.add(part ? labelOf(job, part) : '', verdict, next.value);
    return next.value;
  }

  /** The folder of the output, which has room for it; that for temporary files, where the output is no file. */
  #spoolFolder(job: Job): string {
    const [first] = job.parts;
    const file = (first && fileOf(job, first)) ?? '/dev/stdout';
    const path = resolve(this.#context.host.cwd, file);
    return path.startsWith('/dev/') ? tmpdir() : dirname(path);
  }
}

/** What is gathered while reports are merged. */
interface MergedReports {
  readonly reportIds: string[];
  readonly verdict: MergedVerdict;
}

/** What is wrong with the parts of a merged output, each of which was judged by itself. */
class MergedVerdict implements Verdict {
  readonly #findings: string[] = [];
  readonly #doubts: string[] = [];

  /** Takes what a part is found to be; throws as its `findings`, with the name of the part. */
  add(label: string, verdict: Verdict, tail: ReportTail): void {
    for (const finding of findingsOf(label, verdict, tail)) {
      this.#findings.push(`${label}: ${finding}`);
    }
    for (const doubt of verdict.doubts(tail)) this.#doubts.push(`${label}: ${doubt}`);
  }

  observe(): void {}

  findings({ rowCount }: ReportTail): string[] {
    const isSaid = this.#findings.some((finding) => finding.endsWith(noRows));
    return rowCount === 0 && !isSaid ? [...this.#findings, noRows] : this.#findings;
  }

  doubts(): string[] {
    return this.#doubts;
  }
}

function findingsOf(label: string, verdict: Verdict, tail: ReportTail): string[] {
  try {
    return verdict.findings(tail);
  } catch (error) {
    if (error instanceof AdreportError) error.message = `${label}: ${error.message}`;
    throw error;
  }
}

/** A part is called as its job, with its own days where the job has several parts; where that has no label, by its days. */
function labelOf({ label, options }: Job, part: Part): string {
  const days = daysOf(part);
  if (!label) return days;
  return options.split ? `${label} ${days}` : label;
}

/** Takes a report's body to the disk as it came, and reads it once on the way, so that a damaged one comes again. */
function spoolingIntake(tools: ReportTools, folder: string): Intake<SpooledReport> {
  return {
    async take(answer, { id: reportId, createdMs }) {
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
        return { spool, answer, reportId, createdMs };
      } catch (error) {
        await spool.close();
        throw error;
      }
    },
  };
}

/** Waits until all work has ended. The first error calls the rest off, and is thrown. */
async function settleAll(works: readonly Promise<void>[], callOff: () => void): Promise<void> {
  const errors: unknown[] = [];
  const ends = works.map((work) =>
    work.catch((error) => {
      errors.push(error);
      callOff();
    }),
  );
  await Promise.all(ends);
  if (errors.length > 0) throw errors[0];
}

/** Does so much work at a time; the rest waits in the order in which it came. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));

    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
