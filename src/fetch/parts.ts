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
import type { FolderJob } from './folder-jobs.ts';
import { prepareJobOutput } from './job-output.ts';
import { mergeParts, type PartFetch } from './merge.ts';
import { fetchOnceMore } from './once-more.ts';
import { type ReportTools, toolsFor } from './order.ts';
import { fetchOf, type Intake, writingIntake } from './receive.ts';
import { settleAll, Turns } from './turns.ts';
import type { PreparedOutput, WrittenReport } from './write-report.ts';

/** A report of a run, or a part of one. */
interface ReportPlace {
  /** What the report is called among the others; `undefined` where it is the only one. */
  readonly label: string | undefined;

  /** The first second of its window. */
  readonly since: number;
}

/** What went wrong with a report or a part of one. */
interface Failure extends ReportPlace {
  readonly account: ServiceAccount;
  readonly error: AdreportError;
}

/** How many failures, and how many of their causes, are named one by one. */
const namedAtMost = 10;

/** How the parts of a run are fetched. */
export interface PartsOptions {
  /** The hint on how to go on after a failure, if the same command line is not the way. */
  readonly again?: string;

  /** The output of the one job, if it is settled already. */
  readonly output?: PreparedOutput;
}

/**
 * Fetches every part of every job, of each account so many at a time (the largest `--concurrency`,
 * and of each job its own). What fails keeps nothing else from being fetched: at the end the error
 * of the earliest one is thrown, with the names of all.
 */
export async function runParts(
  context: Context,
  jobs: readonly FolderJob[],
  options: PartsOptions,
): Promise<void> {
  const withParts = jobs.filter(({ parts }) => parts.length > 0);
  const progress = await beginProgress(context, withParts);
  const run = new PartsRun(context, { jobs, progress, ...options });
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

/** What a run of parts is made with. */
interface PartsSetup extends PartsOptions {
  readonly jobs: readonly FolderJob[];
  readonly progress: PartsProgress;
}

/** The jobs of one command, and what has become of their parts. */
class PartsRun {
  readonly #context: Context;
  readonly #jobs: readonly FolderJob[];
  readonly #progress: PartsProgress;
  readonly #again: string | undefined;
  readonly #output: PreparedOutput | undefined;
  readonly #turnsByAccount = new Map<string, Turns>();
  readonly #announcer: RunAnnouncer;
  readonly #failures: Failure[] = [];

  constructor(context: Context, { jobs, progress, again, output }: PartsSetup) {
    this.#output = output;
    this.#context = context;
    this.#jobs = jobs;
    this.#progress = progress;
    this.#again = again;
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

  async #runJob(planned: FolderJob): Promise<void> {
    const ofAccount = toolsFor(this.#context, planned.account);
    const signal = anyOf(ofAccount.signal, this.#context.callOff.signal);
    const tools = { ...ofAccount, signal };
    const place = pathKey(planned);
    const job = await this.#attempt(tools, place, () => this.#beginJob(planned));
    if (!job || job.parts.length === 0) return;

    const turns = new Turns(job.options.concurrency);
    if (job.isMerged) {
      const written = await this.#attempt(tools, place, () => this.#merge(tools, job, turns));
      if (written) await this.#announcer.add(written);
      return;
    }

    const fetches = job.parts.map((part) =>
      turns.take(async () => {
        const fetch = {
          tools,
          prepareIntake: (ofPart: ReportTools) => this.#intake(ofPart, job, part),
        };
        const ofPart = pathKey(job, part);
        const written = await this.#attempt(tools, ofPart, () => this.#fetchPart(job, part, fetch));
        if (written) await this.#announcer.add(written);
      }),
    );
    await settleAll(fetches, () => this.#context.callOff.abort(new InterruptedError(143)));
  }

  /** Begins the history of a job, then looks its names up, which signs in. */
  async #beginJob(job: FolderJob): Promise<FolderJob> {
    await job.writer?.begin();
    return job.parts.length === 0 ? job : { ...job, ...(await jobWithIds(this.#context, job)) };
  }

  /** Writes the parts of a job into its one output. Throws what keeps one of them from coming. */
  #merge(tools: ReportTools, job: Job, turns: Turns): Promise<WrittenReport> {
    return mergeParts(this.#context, {
      job,
      tools,
      output: this.#output,
      fetchPart: (part, fetch) => turns.take(() => this.#fetchPart(job, part, fetch)),
    });
  }

  /** What writes a part to an output of its own. */
  async #intake(tools: ReportTools, job: FolderJob, part: Part): Promise<Intake<WrittenReport>> {
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

    const [first, ...others] = this.#failures.sort((one, other) => one.since - other.since);
    if (first) throw this.#errorOfAll(first, others, hint);
    this.#announcer.showTogether(isOneReport);
  }

  #hintToRepeat(): string {
    if (this.#again !== undefined) return this.#again;

    const { platform } = this.#context.host;
    const [job, ...otherJobs] = this.#jobs;
    const isTypable = job !== undefined && otherJobs.length === 0 && !job.account.isLocal;
    if (isTypable) return `Continue with: ${continuedCommand(job, platform)}`;

    const again = 'Run the same command again';
    const writesFiles = this.#jobs.some(({ options }) => (options.output ?? '-') !== '-');
    // On stdout nothing can be missing.
    if (!writesFiles) return `${again}.`;

    const fetchesMissing = this.#jobs.every(({ options }) => options.missing);
    if (fetchesMissing) return `${again}: it fetches only what is missing.`;
    return `${again}; with --missing it fetches only what has no file yet.`;
  }

  /** The error of the earliest failure, which names them all, those of one cause together. */
  #errorOfAll(first: Failure, others: readonly Failure[], hint: string): AdreportError {
    const { error, label } = first;
    // A report that could not even be prepared needs another command.
    if (label === undefined) return error;

    const causes = new Map<string, string[]>();
    for (const failure of [first, ...others]) {
      const { message } = failure.error;
      causes.set(message, [...(causes.get(message) ?? []), failure.label ?? '']);
    }
    const count = others.length + 1;
    const isShared = causes.size === 1 && count === this.#reportCount();
    if (count === 1) {
      error.message = `${label} failed: ${error.message}`;
    } else if (isShared) {
      error.message += ` None of ${count} reports was downloaded.`;
    } else if (causes.size === 1) {
      const labels = textOfLabels(causes.get(error.message) ?? []);
      error.message = `${count} reports failed (${labels}): ${error.message}`;
    } else {
      const named = [...causes].slice(0, namedAtMost);
      const lines = named.map(([message, labels]) => `\n  - ${countedLabels(labels)}: ${message}`);
      if (causes.size > namedAtMost) lines.push(`\n  - and ${causes.size - namedAtMost} more`);
      error.message = `${count} reports failed:${lines.join('')}`;
    }
    return error.amend('', { hint: error.hint ? `${error.hint}\n${hint}` : hint });
  }

  /** How many reports the jobs have. */
  #reportCount(): number {
    return this.#jobs.reduce((count, { parts }) => count + parts.length, 0);
  }

  /**
   * The result of some work for a job, or `undefined` with its error noted. A bug, and a closed
   * pipe, are thrown on.
   */
  async #attempt<T>(
    tools: ReportTools,
    place: ReportPlace,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.#noting(tools, place, work);
    } catch (error) {
      if (isFailure(error)) return undefined;
      throw error;
    }
  }

  /** The result of some work for a job. What ends it is noted before it is thrown on. */
  async #noting<T>(tools: ReportTools, place: ReportPlace, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isFailure(error)) this.#noteFailure(tools, place, error);
      // The calls of the other parts end, too: nobody waits for their data any more.
      else this.#context.callOff.abort(new InterruptedError(143));
      throw error;
    }
  }

  /** Notes what failed, each part once; what was called off has not failed. */
  #noteFailure(
    { account, signal }: ReportTools,
    { label, since }: ReportPlace,
    error: AdreportError,
  ): void {
    const isCalledOff = error instanceof InterruptedError || signal.aborted;
    const isNoted = this.#failures.some((failure) => {
      const isOfJob = this.#jobs.some((job) => job.label === label && job.isMerged);
      return failure.error === error && (failure.label === label || isOfJob);
    });
    if (!isCalledOff && !isNoted) this.#failures.push({ label, since, account, error });
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
        const result = await fetchOnceMore(ofPart, {
          ...fetchOf(job, tools.host.platform),
          plan,
          intake,
        });
        isDone = true;
        return result;
      } finally {
        line.end(isDone);
      }
    };
    // A refused sign-in is noted before the turn passes on: the next report of the account need not
    // meet it.
    return this.#turnsOf(job).take(() => this.#noting(tools, pathKey(job, part), fetchNow));
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

/** A job among the others, or a part of it. */
function pathKey(job: Job, part?: Part): ReportPlace {
  const { since } = part?.window ?? job.plan.window;
  return { label: part ? labelOfPart(job, part) : job.label, since };
}

/** Reports by their number and their names. */
function countedLabels(labels: readonly string[]): string {
  const text = textOfLabels(labels);
  return labels.length === 1 ? text : `${labels.length} reports (${text})`;
}

/** Reports by their names, of many the first. */
function textOfLabels(labels: readonly string[]): string {
  const named = labels.slice(0, namedAtMost).join(', ');
  const others = labels.length - namedAtMost;
  return others > 0 ? `${named} and ${others} more` : named;
}

/** Whether an error is of one report: a bug, and a closed pipe, end all. */
function isFailure(error: unknown): error is AdreportError {
  return error instanceof AdreportError && !(error instanceof ClosedPipeError);
}
