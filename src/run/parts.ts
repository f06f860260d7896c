import type { ServiceAccount } from '../account/account.ts';
import {
  AdreportError,
  ErrorInContext,
  IncompleteDataError,
  InterruptedError,
  isClosedPipe,
  isInterruption,
  isNotSignedIn,
  isStillInProgress,
} from '../errors.ts';
import { requireAppendable } from '../folder/history.ts';
import type { Part } from '../query/query.ts';
import { anySignal } from '../signals.ts';
import { type PartsProgress, silentProgress } from '../ui/progress.ts';
import { RunAnnouncer } from './announce.ts';
import type { Context } from './context.ts';
import type { FolderReport } from './folder-jobs.ts';
import { prepareReportOutput } from './job-output.ts';
import { mergeParts, type RunInTurn } from './merge.ts';
import { withIds } from './names-to-ids.ts';
import { labelOfPart, type PlannedQuery } from './plan-run.ts';
import { fetchToOutput, setUpFetch } from './report-fetch.ts';
import { type ReportTools, toolsFor } from './request.ts';
import { resumeCommand } from './resume-command.ts';
import type { PreparedOutput, WrittenReport } from './run-report.ts';
import { settleAll, Turns } from './turns.ts';

/** Identifies a report of a run, or a part of one, in messages. */
interface ReportPlace {
  /** `undefined` for the only report of a run. */
  readonly label: string | undefined;

  /** First second of its window. */
  readonly since: number;
}

interface Failure extends ReportPlace {
  readonly account: ServiceAccount;
  readonly error: AdreportError;
}

/** Error messages list at most this many failed reports, and this many causes. */
const maxListedFailures = 10;

export interface PartsOptions {
  /** Hint after a failure, if it is not to repeat the same command. */
  readonly again?: string;

  /** Output of a single job, if it is already prepared. */
  readonly output?: PreparedOutput;
}

/**
 * Downloads all parts of all jobs concurrently: each job within its `--concurrency`, and each
 * account within the largest `--concurrency` of its jobs. After a failure the other parts go on; at
 * the end the error of the earliest failed part is thrown, and names all of them.
 */
export async function runParts(
  context: Context,
  jobs: readonly FolderReport[],
  options: PartsOptions,
): Promise<void> {
  const withParts = jobs.filter(({ parts }) => parts.length > 0);
  const partCount = withParts.reduce((count, { parts }) => count + parts.length, 0);
  const progress = (await context.progress()).parts(partCount);
  const run = new PartsRun(context, { jobs, progress }, options);
  try {
    await run.runJobs();
  } finally {
    progress.stop();
  }
  run.finish();
}

interface PartWork<T> {
  readonly tools: ReportTools;

  /** Receives the tools of the part. */
  readonly work: (tools: ReportTools) => Promise<T>;
}

/** Jobs of one command, and the results of their parts. */
class PartsRun {
  readonly #context: Context;
  readonly #jobs: readonly FolderReport[];
  readonly #progress: PartsProgress;
  readonly #options: PartsOptions;
  readonly #turnsByAccount = new Map<string, Turns>();
  readonly #announcer: RunAnnouncer;
  readonly #failures: Failure[] = [];
  #hasDownloaded = false;

  constructor(
    context: Context,
    {
      jobs,
      progress,
    }: { readonly jobs: readonly FolderReport[]; readonly progress: PartsProgress },
    options: PartsOptions,
  ) {
    this.#context = context;
    this.#jobs = jobs;
    this.#progress = progress;
    this.#options = options;
    this.#announcer = new RunAnnouncer(context);
  }

  /** Runs all jobs. A bug or a closed pipe cancels all parts, and is thrown after they end. */
  async runJobs(): Promise<void> {
    const runs = this.#jobs.map((job) => this.#runJob(job));
    await settleAll(runs, () => this.#context.callOff.abort(new InterruptedError(143)));
  }

  async #runJob(planned: FolderReport): Promise<void> {
    const ofAccount = toolsFor(this.#context, planned.account);
    const signal = anySignal(ofAccount.signal, this.#context.callOff.signal);
    const tools = { ...ofAccount, signal };
    const place = placeOf(planned);
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
        const written = await this.#attempt(tools, placeOf(job, part), () =>
          this.#workOn(job, part, { tools, work: (ofPart) => this.#fetchFile(ofPart, job, part) }),
        );
        if (!written) return;
        await this.#announcer.add(written);
        const error = keptFileError(written);
        if (error) this.#recordFailure(tools, placeOf(job, part), error);
      }),
    );
    await settleAll(fetches, () => this.#context.callOff.abort(new InterruptedError(143)));
  }

  /** Expects the history of a job to be writable, and then looks up its names, which signs in. */
  async #beginJob(job: FolderReport): Promise<FolderReport> {
    if (job.parts.length === 0) return job;
    if (job.filled) await requireAppendable(job.filled);
    return withIds(this.#context, job);
  }

  /** Writes the parts of a job into one output. Throws the error of the first part that fails. */
  #merge(tools: ReportTools, job: PlannedQuery, turns: Turns): Promise<WrittenReport> {
    const inTurn: RunInTurn = (ofMerge, part, work) =>
      turns.take(() => this.#workOn(job, part, { tools: ofMerge, work }));
    return mergeParts(this.#context, { job, tools, output: this.#options.output, inTurn });
  }

  async #fetchFile(tools: ReportTools, job: FolderReport, part: Part): Promise<WrittenReport> {
    const output = await prepareReportOutput(this.#context, tools, job, part);
    const setup = setUpFetch(tools, job, { part, files: output.planned.files });
    // One command goes on with all parts.
    return fetchToOutput(tools, { ...setup, resumeHint: undefined }, output);
  }

  /** Prints the totals of the run. Throws the error of the failed parts, if any. */
  finish(): void {
    const isOneReport = this.#jobs.length === 1;
    this.#announcer.printTotalSize(isOneReport);

    const { aborted, reason } = this.#context.host.signal;
    if (aborted) {
      const hint = this.#hintToRepeat();
      throw isInterruption(reason) ? new ErrorInContext(reason, { hint }) : reason;
    }

    const [first, ...others] = this.#failures.sort((one, other) => one.since - other.since);
    if (first) throw this.#errorOfAll(first, others);
    this.#announcer.showTotalCard(isOneReport);
  }

  #hintToRepeat(): string {
    if (this.#options.again !== undefined) return this.#options.again;

    const { platform } = this.#context.host;
    const [job, ...otherJobs] = this.#jobs;
    const isTypable = job !== undefined && otherJobs.length === 0 && !job.account.isLocal;
    if (isTypable) return `To resume: ${resumeCommand(job, platform)}`;

    const again = 'Run the same command again';
    const fillsFolders = this.#jobs.every(({ filled, options }) => filled && !options.fresh);
    return fillsFolders ? `${again}: it downloads only what is due.` : `${again}.`;
  }

  /** Returns the error of the earliest failure, with the others, grouped by cause. */
  #errorOfAll(first: Failure, others: readonly Failure[]): AdreportError {
    const { error, label } = first;
    // A failure before any part: repeating the command would not help.
    if (label === undefined) return error;

    const failures = [first, ...others];
    const message = this.#messageOfAll(failures);
    const hints = error.hint === undefined ? [] : [error.hint];
    if (failures.some((failure) => isStillInProgress(failure.error))) {
      hints.push('If the service prepares few reports at a time, lower --concurrency.');
    }
    // What was refused would be refused again.
    const isRefused = failures.every((failure) => failure.error.exitCode === 4);
    if (!isRefused) hints.push(this.#hintToRepeat());
    return new ErrorInContext(error, { message, hint: hints.join('\n') || undefined });
  }

  #messageOfAll(failures: readonly Failure[]): string {
    const labelsByCause = new Map<string, string[]>();
    for (const { error, label = '' } of failures) {
      labelsByCause.set(error.message, [...(labelsByCause.get(error.message) ?? []), label]);
    }
    const causes = [...labelsByCause];
    const [[message, labels] = ['', []], ...otherCauses] = causes;
    const count = failures.length;
    const total = this.#reportCount();
    if (otherCauses.length === 0) {
      if (count === 1) return `${labels[0]} failed: ${message}`;
      if (!this.#hasDownloaded) {
        return `${message} None of the ${total} reports was downloaded.`;
      }
      return `${count} reports failed (${listLabels(labels)}): ${message}`;
    }

    const listed = causes.slice(0, maxListedFailures);
    const lines = listed.map(([cause, failed]) => `\n  - ${countLabels(failed)}: ${cause}`);
    const omitted = causes.length - listed.length;
    if (omitted > 0) lines.push(`\n  - and ${omitted} more`);
    return `${count} reports failed:${lines.join('')}`;
  }

  #reportCount(): number {
    return this.#jobs.reduce((count, { parts }) => count + parts.length, 0);
  }

  /** Returns the result of some work, or `undefined` if it failed. Throws bugs and closed pipes. */
  async #attempt<T>(
    tools: ReportTools,
    place: ReportPlace,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      // The error of a part is recorded already.
      const isRecorded = this.#failures.some((failure) => failure.error === error);
      if (!isRecorded) this.#recordFailure(tools, place, error);
      if (isFailure(error)) return undefined;
      throw error;
    }
  }

  /** Cancelled parts did not fail. A bug or a closed pipe ends the run. */
  #recordFailure(
    { account, signal }: ReportTools,
    { label, since }: ReportPlace,
    error: unknown,
  ): void {
    const isCancelled = isInterruption(error) || signal.aborted;
    if (!isFailure(error)) this.#context.callOff.abort(new InterruptedError(143));
    else if (!isCancelled) this.#failures.push({ label, since, account, error });
  }

  /** Works on a part once its account has a free turn. Its error is recorded and thrown. */
  #workOn<T>(job: PlannedQuery, part: Part, { tools, work }: PartWork<T>): Promise<T> {
    const workNow = async (): Promise<T> => {
      tools.signal.throwIfAborted();
      await this.#throwIfRefused(tools.account);

      const meter = this.#progress.begin();
      const ofPart = { ...tools, progress: async () => silentProgress };
      let isDone = false;
      try {
        const result = await work(ofPart);
        isDone = true;
        this.#hasDownloaded = true;
        return result;
      } finally {
        meter.end(isDone);
      }
    };
    return this.#turnsOf(job).take(() =>
      workNow().catch((error) => {
        // Inside the turn: the next part of the account has to see a refused sign-in.
        this.#recordFailure(tools, placeOf(job, part), error);
        throw error;
      }),
    );
  }

  /** Shares turns among all jobs of an account: the largest `--concurrency` among them. */
  #turnsOf({ accountName }: PlannedQuery): Turns {
    const existing = this.#turnsByAccount.get(accountName);
    if (existing) return existing;

    const jobs = this.#jobs.filter((job) => job.accountName === accountName);
    const turns = new Turns(Math.max(...jobs.map(({ options }) => options.concurrency)));
    this.#turnsByAccount.set(accountName, turns);
    return turns;
  }

  /**
   * Ends other work of the account after a refused sign-in, and after three equal refusals if
   * nothing was accepted, because every request would be refused too.
   */
  async #throwIfRefused(account: ServiceAccount): Promise<void> {
    const failures = this.#failures.filter((failure) => failure.account === account);
    const signIn = failures.find(({ error }) => isNotSignedIn(error));
    const refusals = failures.filter(({ error }) => isRefusedRequest(error));
    const [refusal] = refusals.filter(({ error }) => countEqual(refusals, error) >= maxRefusals);
    const hasAccepted = refusal && (await account.client()).hasCreatedReport;
    const cause = signIn ?? (hasAccepted ? undefined : refusal);
    if (cause) throw cause.error;
  }
}

/** After so many equal refusals, nothing more is requested. */
const maxRefusals = 3;

function isRefusedRequest(error: AdreportError): boolean {
  return error.exitCode === 4 && error.reportId === undefined;
}

function countEqual(failures: readonly Failure[], { message }: AdreportError): number {
  return failures.filter(({ error }) => error.message === message).length;
}

function placeOf(job: PlannedQuery, part?: Part): ReportPlace {
  const { since } = part ?? job.whole;
  return { label: part ? labelOfPart(job, part) : job.label, since };
}

/** Returns an error for a file that was kept although it answers another request. */
function keptFileError({ files, recorded }: WrittenReport): AdreportError | undefined {
  const { kept } = recorded ?? {};
  if (!kept || kept.isOfReport) return undefined;
  const [file] = files;
  return new IncompleteDataError(`${file?.name} was kept, but it is not of this report.`, {
    hint: 'Delete the file to accept that the new report has no numbers, and run again.',
  });
}

/** Formats `2 reports (a, b)`, or the label of one. */
function countLabels(labels: readonly string[]): string {
  const list = listLabels(labels);
  return labels.length === 1 ? list : `${labels.length} reports (${list})`;
}

/** Lists the first labels, and counts the others. */
function listLabels(labels: readonly string[]): string {
  const listed = labels.slice(0, maxListedFailures).join(', ');
  const others = labels.length - maxListedFailures;
  return others > 0 ? `${listed} and ${others} more` : listed;
}

/** Excludes bugs and closed pipes, which end the whole run. */
function isFailure(error: unknown): error is AdreportError {
  return error instanceof AdreportError && !isClosedPipe(error);
}
