import type { ServiceAccount } from '../account/account.ts';
import type { Context } from '../context.ts';
import { AdreportError, InterruptedError, SignInError } from '../errors.ts';
import { continuedCommand } from '../plan/command-line.ts';
import { jobWithIds } from '../plan/names.ts';
import { type Job, labelOfPart } from '../plan/plan.ts';
import type { Part } from '../report/parts.ts';
import { anyOf } from '../signals.ts';
import { ClosedPipeError } from '../ui/console.ts';
import type { PartsProgress } from '../ui/progress.ts';
import { RunAnnouncer } from './announce.ts';
import { prepareJobOutput } from './job-output.ts';
import { mergeParts, type PartFetch } from './merge.ts';
import { type ReportTools, toolsFor } from './order.ts';
import { fetchOf, fetchReport, type Intake, writingIntake } from './receive.ts';
import { settleAll, Turns } from './turns.ts';
import type { WrittenReport } from './write-report.ts';

/** What went wrong with a report or a part of one. */
interface Failure {
  /** What the report is called among the others; `undefined` where it is the only one. */
  readonly label: string | undefined;
  readonly account: ServiceAccount;
  readonly error: AdreportError;
}

/** How many failures are named one by one. */
const namedAtMost = 10;

/**
 * Fetches every part of every job, of each account so many at a time (the largest `--concurrency`,
 * and of each job its own). What fails keeps nothing else from being fetched: at the end the error
 * of the first one is thrown, after the names of all.
 */
export async function runParts(context: Context, jobs: readonly Job[]): Promise<void> {
  const progress = await beginProgress(context, jobs);
  const run = new PartsRun(context, jobs, progress);
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

/** The jobs of one command, and what has become of their parts. */
class PartsRun {
  readonly #context: Context;
  readonly #jobs: readonly Job[];
  readonly #progress: PartsProgress;
  readonly #turnsByAccount = new Map<string, Turns>();
  readonly #announcer: RunAnnouncer;
  readonly #failures: Failure[] = [];

  constructor(context: Context, jobs: readonly Job[], progress: PartsProgress) {
    this.#context = context;
    this.#jobs = jobs;
    this.#progress = progress;
    this.#announcer = new RunAnnouncer(context);
  }

  /**
   * Runs all jobs. After a bug, or once nobody reads the rows any more, the work on all parts ends
   * before that is thrown on.
   */
  async runJobs(): Promise<void> {
    const runs = this.#jobs.map((job) => this.#runJob(job));
    await settleAll(runs, () => this.#context.callOff.abort(new InterruptedError(143)));
  }

  async #runJob(planned: Job): Promise<void> {
    const ofAccount = toolsFor(this.#context, planned.account);
    const signal = anyOf(ofAccount.signal, this.#context.callOff.signal);
    const tools = { ...ofAccount, signal };
    const job = await this.#attempt(tools, planned.label, () => jobWithIds(this.#context, planned));
    if (!job) return;

    const turns = new Turns(job.options.concurrency);
    if (job.isMerged) {
      const written = await this.#attempt(tools, job.label, () => this.#merge(tools, job, turns));
      if (written) await this.#announcer.add(written);
      return;
    }

    const fetches = job.parts.map((part) =>
      turns.take(async () => {
        const fetch = {
          tools,
          prepareIntake: (ofPart: ReportTools) => this.#intake(ofPart, job, part),
        };
        const label = labelOfPart(job, part);
        const written = await this.#attempt(tools, label, () => this.#fetchPart(job, part, fetch));
        if (written) await this.#announcer.add(written);
      }),
    );
    await settleAll(fetches, () => this.#context.callOff.abort(new InterruptedError(143)));
  }

  /** Writes the parts of a job into its one output. Throws what keeps one of them from coming. */
  #merge(tools: ReportTools, job: Job, turns: Turns): Promise<WrittenReport> {
    return mergeParts(this.#context, {
      job,
      tools,
      fetchPart: (part, fetch) => turns.take(() => this.#fetchPart(job, part, fetch)),
    });
  }

  /** What writes a part to an output of its own. */
  async #intake(tools: ReportTools, job: Job, part: Part): Promise<Intake<WrittenReport>> {
    const output = await prepareJobOutput(this.#context, tools, job, part);
    return writingIntake(tools, output);
  }

  /**
   * Says what was written in all, and throws what went wrong; where nothing did, shows the figures
   * of one report's files.
   */
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
    const [job, ...otherJobs] = this.#jobs;
    const isTypable = job !== undefined && otherJobs.length === 0 && !job.account.isLocal;
    if (isTypable) return `Continue with: ${continuedCommand(job)}`;

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

  /**
   * The result of some work for a job, or `undefined` with its error noted. A bug, and a closed
   * pipe, are thrown on.
   */
  async #attempt<T>(
    tools: ReportTools,
    label: string | undefined,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.#noting(tools, label, work);
    } catch (error) {
      if (isFailure(error)) return undefined;
      throw error;
    }
  }

  /** The result of some work for a job. What ends it is noted before it is thrown on. */
  async #noting<T>(
    tools: ReportTools,
    label: string | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isFailure(error)) this.#noteFailure(tools, label, error);
      // The calls of the other parts end, too: nobody waits for their data any more.
      else this.#context.callOff.abort(new InterruptedError(143));
      throw error;
    }
  }

  /** Notes what failed; what was called off has not, and what ended several is one failure. */
  #noteFailure(
    { account, signal }: ReportTools,
    label: string | undefined,
    error: AdreportError,
  ): void {
    const isCalledOff = error instanceof InterruptedError || signal.aborted;
    const isNoted = this.#failures.some((failure) => failure.error === error);
    if (!isCalledOff && !isNoted) this.#failures.push({ label, account, error });
  }

  /** Fetches one part when there is room for it. Throws what ends it, which is noted. */
  #fetchPart<T>(job: Job, part: Part, { tools, prepareIntake }: PartFetch<T>): Promise<T> {
    const label = labelOfPart(job, part);

    const fetchNow = async (): Promise<T> => {
      tools.signal.throwIfAborted();
      this.#throwRefusedSignIn(tools.account);

      const line = this.#progress.begin(label, job.label);
      const ofPart = { ...tools, progress: async () => line.progress };
      const plan = { ...job.plan, window: part.window, request: part.request };
      let isDone = false;
      try {
        const intake = await prepareIntake(ofPart);
        const result = await fetchReport(ofPart, { ...fetchOf(job), plan, intake });
        isDone = true;
        return result;
      } finally {
        line.end(isDone);
      }
    };
    // A refused sign-in is noted before the turn passes on: the next report of the account need not
    // meet it.
    return this.#turnsOf(job).take(() => this.#noting(tools, label, fetchNow));
  }

  /**
   * The turns of all jobs of an account together: as many as the largest `--concurrency` of them.
   */
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
}

/** Whether an error is of one report: a bug, and a closed pipe, end all. */
function isFailure(error: unknown): error is AdreportError {
  return error instanceof AdreportError && !(error instanceof ClosedPipeError);
}
