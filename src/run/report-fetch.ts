import type { Poll } from '../api/poll.ts';
import type { OpenReport } from '../client/open.ts';
import { ReportSteps } from '../client/report-steps.ts';
import type { RequestedReport } from '../client/request.ts';
import type { ReadyReport } from '../client/wait.ts';
import { outcomeOf } from '../contract/messages.ts';
import {
  AdreportError,
  InterruptedError,
  isAboutReport,
  isInterruption,
  isReportFailure,
  isStillInProgress,
  isUsedUp,
} from '../errors.ts';
import { continuedCommand, downloadCommandLine } from '../query/command-line.ts';
import type { Expectation } from '../query/expectation.ts';
import type { JobOptions } from '../query/flags/run-flags.ts';
import type { WaitFlags } from '../query/flags/wait-flags.ts';
import { type Job, outputOf } from '../query/plan.ts';
import type { ReportPlan } from '../query/request.ts';
import type { ReportSpec } from '../query/spec.ts';
import type { Part } from '../query/window-parts.ts';
import { printable } from '../text/printable.ts';
import type { Progress } from '../ui/progress.ts';
import {
  lastTookMs,
  markFetched,
  markUsedUp,
  type ReportTools,
  rememberAcceptedJson,
  requestAgainHint,
  requestAndRecord,
  resumeReport,
  updateLedger,
} from './request.ts';
import { type PreparedOutput, type WrittenReport, writeReport } from './write-report.ts';

export interface FetchSetup {
  readonly options: WaitFlags &
    Partial<Pick<JobOptions, 'fresh' | 'direct' | 'retries' | 'baseUrl'>>;

  /** Request that the rows are checked against; absent if the request is not known. */
  readonly expectation?: Expectation | undefined;

  /** Absent for a report that is named by its id. */
  readonly request?: { readonly spec: ReportSpec; readonly plan: ReportPlan };

  /** Set if the report is named by its id. */
  readonly named?: RequestedReport;

  /** False to download at once, without waiting. */
  readonly waits?: boolean;

  /** Formats the commands that resume a report, as sentences; absent if none can. */
  readonly resumeHint?: ((reportId: string) => string) | undefined;
}

type NameFile = (reportId: string) => string | undefined;

/**
 * Sets up the fetch of a part, or without `part` of the one report of the job. `nameFile` names the
 * file for the rows; it is absent if they do not go to a file of their own.
 */
export function setUpFetch(
  tools: ReportTools,
  job: Job,
  { part, nameFile }: { readonly part?: Part | undefined; readonly nameFile?: NameFile } = {},
): FetchSetup {
  const { spec, options } = job;
  const plan = part ? { ...job.plan, window: part.window, request: part.request } : job.plan;
  const { expectation } = outputOf(job, part);
  const resumeHint = resumeHintFor(tools, job, nameFile);
  const ownSpec = nameFile ? spec : { ...spec, ...omittedForSharedOutput };
  return { options, expectation, request: { spec: ownSpec, plan }, resumeHint };
}

/** Members that do not apply to a report whose rows go into an output with those of others. */
const omittedForSharedOutput = { output: undefined, split: undefined, compare: undefined };

/** Formats the commands that resume a report; none for a local server, which ends too. */
function resumeHintFor(
  { account, host: { platform } }: ReportTools,
  job: Job,
  nameFile: NameFile | undefined,
): FetchSetup['resumeHint'] {
  if (account.isLocal) return undefined;

  const { spec, options } = job;
  const { baseUrl } = options;
  const here = continuedCommand(job, platform);
  return (reportId) => {
    const output = nameFile?.(reportId);
    const elsewhere = downloadCommandLine(reportId, { ...spec, output }, { baseUrl, platform });
    return `To resume: ${here}\nOr on another machine: ${elsewhere}`;
  };
}

/**
 * Requests a report, waits for it, opens it, and passes it to `write`. After an error the steps
 * that have to be are taken again.
 */
export async function fetchReport<Written>(
  tools: ReportTools,
  setup: FetchSetup,
  write: (report: OpenReport) => Promise<Written>,
): Promise<Written> {
  const fetch = new ReportFetch(tools, setup);
  for (;;) {
    try {
      const requested = await fetch.request();
      const ready = await fetch.wait(requested);
      const report = await fetch.open(ready);
      return await write(report);
    } catch (error) {
      await fetch.recover(error);
    }
  }
}

/** Fetches a report into its output, and records that it is fetched. */
export function fetchToOutput(
  tools: ReportTools,
  setup: FetchSetup,
  output: PreparedOutput,
): Promise<WrittenReport> {
  return fetchReport(tools, setup, async (report) => {
    const written = await writeReport(tools, output, report);
    await markFetched(tools, report.id, written.file);
    return written;
  });
}

/** Milliseconds between status calls to the server in this process, whose reports take 0.2 s. */
const localIntervalMs = 100;

/**
 * The steps of one report on a command line, with its progress on stderr. The ledger is updated
 * along the way.
 */
export class ReportFetch {
  readonly #tools: ReportTools;
  readonly #report: FetchSetup;
  #steps: ReportSteps | undefined;
  #mayPickUp: boolean;
  #isPickedUp = false;

  constructor(tools: ReportTools, report: FetchSetup) {
    const { fresh, direct } = report.options;
    this.#tools = tools;
    this.#report = report;
    this.#mayPickUp = !fresh && !direct;
  }

  /** Requests the report, or picks up an unfinished one of the same request. */
  async request(): Promise<RequestedReport> {
    const steps = await this.#begin();
    if (steps.requested) return steps.requested;

    const { request } = this.#report;
    if (!request) throw new TypeError('A report without an id has a request.');
    const unfinished = this.#mayPickUp ? await resumeReport(this.#tools, request.plan) : undefined;
    this.#isPickedUp = unfinished !== undefined;
    this.#mayPickUp = false;
    if (unfinished?.id !== undefined) await rememberAcceptedJson(this.#tools, unfinished.id);
    return steps.continueWith(unfinished ?? (await requestAndRecord(this.#tools, request)));
  }

  /** Shows progress, and records status changes. */
  async wait(requested: RequestedReport): Promise<ReadyReport> {
    const { id: reportId = '' } = requested;
    const steps = await this.#begin();
    const isWaiting = this.#report.waits !== false && !requested.answer && !steps.ready;
    if (!isWaiting) return steps.wait(requested);

    const progress = await this.#tools.progress();
    const label = `Report ${printable(reportId).slice(0, 40)}`;
    const meter = progress.wait(label, await lastTookMs(this.#tools));
    let lastStatus = 'progress';
    const onPoll = ({ seen, polls }: Poll): void => {
      const { status } = seen;
      const tookMs = outcomeOf(status) === 'ready' ? this.#tookMs(requested, polls) : undefined;
      if (status !== lastStatus) void updateLedger(this.#tools, reportId, { status, tookMs });
      lastStatus = status;
      meter.update(status);
    };
    try {
      return await steps.wait(requested, onPoll);
    } finally {
      meter.stop();
    }
  }

  /** Returns `undefined` if a report was ready before this run asked for it. */
  #tookMs({ createdMs }: RequestedReport, polls: number): number | undefined {
    const wasReady = polls === 1 && (this.#isPickedUp || this.#report.named !== undefined);
    return wasReady ? undefined : Math.max(0, this.#tools.host.wallClock() - createdMs);
  }

  async open(ready: ReadyReport): Promise<OpenReport> {
    const steps = await this.#begin();
    const progress = await this.#tools.progress();
    let meter: ReturnType<Progress['transfer']> | undefined;

    return steps.open(ready, ({ bytes, sizeBytes, isOver }) => {
      meter ??= progress.transfer('Downloading', sizeBytes);
      meter.update({ bytes });
      if (isOver) meter.stop();
    });
  }

  /**
   * Returns once the steps may be repeated after an error. Otherwise throws the error, which then
   * names the report and, if it can be resumed, the command to do so.
   */
  async recover(error: unknown): Promise<void> {
    const steps = this.#steps;
    steps?.close();
    const reportId = this.#requested?.id;
    const isOver = !steps || reportId === undefined || this.#tools.signal.aborted;
    if (isOver) throw await this.finalError(error);

    const isGone = isReportFailure(error) && isAboutReport(error);
    if (this.#isPickedUp && isGone) return this.#requestInstead(error, reportId);

    const wasRead = steps.isOpen;
    try {
      await steps.recover(error);
    } catch (final) {
      if (!this.#isPickedUp || !isAboutReport(final)) throw await this.finalError(final);
      return this.#requestInstead(final, reportId);
    }
    if (isUsedUp(error)) await markUsedUp(this.#tools, reportId, { wasRead });
  }

  /** Gives up a report that was picked up. */
  async #requestInstead(error: AdreportError, reportId: string): Promise<void> {
    const { console } = this.#tools;
    const shownId = printable(reportId);
    if (error.isUsedUp) {
      await this.#markUsedUp(reportId);
      console.note(`The service no longer has report ${shownId}; requesting a new one.`);
    } else {
      console.note(`Requesting a new report to replace ${shownId}. ${error.message}`);
    }
    this.#isPickedUp = false;
    this.#steps?.restart();
  }

  #markUsedUp(reportId: string): Promise<void> {
    return markUsedUp(this.#tools, reportId, { wasRead: this.#steps?.isOpen === true });
  }

  get #requested(): RequestedReport | undefined {
    return this.#steps ? this.#steps.requested : this.#report.named;
  }

  /** Creates the steps with the first call, when their time begins. */
  async #begin(): Promise<ReportSteps> {
    if (this.#steps) return this.#steps;
    const { account, console, signal } = this.#tools;
    const { options, expectation, waits, named: requested } = this.#report;
    const { waitTimeout: waitTimeoutMs, retries } = options;
    const isAuto = options.pollInterval === 'auto';
    const pollInterval = account.isLocal && isAuto ? localIntervalMs : options.pollInterval;
    const client = await account.client();
    const { note } = console;
    const limits = { waitTimeoutMs, pollInterval, retries, waits, signal, note };
    this.#steps ??= new ReportSteps(client, { requested, expectation, ...limits });
    return this.#steps;
  }

  /** Adds the report and the command to resume it to the error that ends the download. */
  async finalError(thrown: unknown): Promise<unknown> {
    const { signal } = this.#tools;
    const reportId = this.#requested?.id;
    if (reportId === undefined) return thrown;
    // A cancelled operation may throw any error. The reason is in the signal.
    const error = signal.aborted ? signal.reason : thrown;
    if (!(error instanceof AdreportError)) return error;
    if (error.isUsedUp) await this.#markUsedUp(reportId);
    if (isStillInProgress(error) && !this.#report.named) {
      await updateLedger(this.#tools, reportId, { isTimeout: true });
    }

    // One signal may end several reports, and each adds its own hint.
    const own = isInterruption(error) ? new InterruptedError(error.exitCode) : error;
    const { resumeHint, named, options } = this.#report;
    const isFailed = isReportFailure(own) && named;
    const again = isFailed && (await requestAgainHint(this.#tools, reportId, options.baseUrl));
    const hint = again || own.hint;
    const hints = hint === undefined ? [] : [hint];
    if (resumeHint && !own.isUsedUp) {
      const shownId = printable(reportId);
      const isNamed = own.message.includes(shownId);
      const available = isNamed ? '' : `The report ${shownId} is still available. `;
      hints.push(`${available}${resumeHint(reportId)}`);
    }
    return own.amend('', { reportId, hint: hints.join('\n') || undefined });
  }
}
