import { type OpenReport, openReport, type Transfer } from '../client/open.ts';
import type { RequestedReport } from '../client/request.ts';
import { Retries, type RetryStep } from '../client/retries.ts';
import type { ReadyReport } from '../client/wait.ts';
import {
  AdreportError,
  InterruptedError,
  isAboutReport,
  isInterruption,
  isReportFailure,
  isStillInProgress,
  isUsedUp,
} from '../errors.ts';
import { continuedCommand, downloadCommandLine } from '../plan/command-line.ts';
import type { JobOptions } from '../plan/flags/run-flags.ts';
import type { WaitFlags } from '../plan/flags/wait-flags.ts';
import { type Job, outputOf } from '../plan/plan.ts';
import type { Expectation } from '../report/expectation.ts';
import type { ReportPlan } from '../report/request.ts';
import type { ReportSpec } from '../report/spec.ts';
import type { Part } from '../report/window-parts.ts';
import { printable } from '../text/printable.ts';
import type { Progress } from '../ui/progress.ts';
import {
  markFetched,
  markUsedUp,
  type ReportTools,
  rememberAcceptedJson,
  requestAgainHint,
  requestAndRecord,
  resumeReport,
  updateLedger,
} from './request.ts';
import { waitWithProgress } from './wait.ts';

export interface FetchSetup {
  readonly options: WaitFlags &
    Partial<Pick<JobOptions, 'fresh' | 'direct' | 'retries' | 'baseUrl'>>;

  /** What the rows are checked against; absent if the request is not known. */
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

interface JobReport {
  /** Absent for the one report of the job. */
  readonly part?: Part | undefined;

  /** Names the file for the rows; absent if they do not go to a file of their own. */
  readonly nameFile?: NameFile;
}

type NameFile = (reportId: string) => string | undefined;

export function reportOfJob(
  tools: ReportTools,
  job: Job,
  { part, nameFile }: JobReport = {},
): FetchSetup {
  const { spec, options } = job;
  const plan = part ? { ...job.plan, window: part.window, request: part.request } : job.plan;
  const { expectation } = outputOf(job, part);
  const resumeHint = resumeHintFor(tools, job, nameFile);
  const ownSpec = nameFile ? spec : { ...spec, ...ofOneOutput };
  return { options, expectation, request: { spec: ownSpec, plan }, resumeHint };
}

/** Members that do not apply to a report whose rows go into an output with those of others. */
const ofOneOutput = { output: undefined, split: undefined, compare: undefined };

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
 * Downloads one report in steps: `request`, `wait` and `open`. If one of them or the reading of the
 * rows fails, `recover` says whether the steps are to be repeated; those that need not be return
 * what they returned before. The ledger is updated along the way.
 */
export class ReportFetch {
  readonly #tools: ReportTools;
  readonly #report: FetchSetup;
  #retries: Retries | undefined;
  #requested: RequestedReport | undefined;
  #ready: ReadyReport | undefined;
  #open: OpenReport | undefined;
  #mayPickUp: boolean;
  #isPickedUp = false;

  constructor(tools: ReportTools, report: FetchSetup) {
    const { fresh, direct } = report.options;
    this.#tools = tools;
    this.#report = report;
    this.#requested = report.named;
    this.#mayPickUp = !fresh && !direct;
  }

  /** Requests the report, or picks up an unfinished one of the same request. */
  async request(): Promise<RequestedReport> {
    const retries = await this.#start();
    if (this.#requested) return this.#requested;

    const { request } = this.#report;
    if (!request) throw new TypeError('A report without an id has a request.');
    const unfinished = this.#mayPickUp ? await resumeReport(this.#tools, request.plan) : undefined;
    this.#isPickedUp = unfinished !== undefined;
    this.#mayPickUp = false;
    if (unfinished?.id !== undefined) await rememberAcceptedJson(this.#tools, unfinished.id);
    this.#requested = unfinished ?? (await requestAndRecord(this.#tools, request));
    // The time to wait begins once the report is requested.
    retries.leftMs();
    return this.#requested;
  }

  async wait(requested: RequestedReport): Promise<ReadyReport> {
    const retries = await this.#start();
    const isWaited = this.#report.waits !== false && requested.answer === undefined;
    const { pollInterval } = this.#report.options;
    const waitTimeout = Math.max(0, retries.leftMs());
    this.#ready ??= isWaited
      ? await waitWithProgress(this.#tools, requested, { waitTimeout, pollInterval })
      : { ...requested, message: '' };
    retries.markReady(requested.id ?? '');
    return this.#ready;
  }

  /** Begins to download the report. Its rows have progress on stderr. */
  async open(ready: ReadyReport): Promise<OpenReport> {
    const { account, signal } = this.#tools;
    const { expectation } = this.#report;
    const client = await account.client();
    const { downloads: tries } = await this.#start();
    const progress = await this.#tools.progress();
    let meter: ReturnType<Progress['transfer']> | undefined;

    const onTransfer = ({ bytes, rows, sizeBytes, isOver }: Transfer): void => {
      meter ??= progress.transfer('Downloading', sizeBytes);
      meter.update({ bytes, rows });
      if (isOver) meter.stop();
    };
    this.#open = await openReport(client, ready, { expectation, tries, signal, onTransfer });
    return this.#open;
  }

  /** Records that the report was written, to a file or to stdout, and is not picked up again. */
  async finish(file: string | undefined): Promise<void> {
    const id = this.#requested?.id;
    if (id !== undefined) await markFetched(this.#tools, id, file);
  }

  /**
   * Returns once the steps may be repeated after an error. Otherwise throws the error, which then
   * names the report and, if it can be resumed, the command to do so.
   */
  async recover(error: unknown): Promise<void> {
    this.#open?.close();
    const reportId = this.#requested?.id;
    if (reportId === undefined || this.#tools.signal.aborted) throw await this.finalError(error);

    const step = await this.#nextStep(error, reportId);
    this.#open = undefined;
    if (step === 'open') return;
    this.#ready = undefined;
    if (step === 'request') this.#requested = undefined;
  }

  async #nextStep(error: unknown, reportId: string): Promise<RetryStep> {
    const isGone = isReportFailure(error) && isAboutReport(error);
    if (this.#isPickedUp && isGone) return this.#requestInstead(error, reportId);

    const retries = await this.#start();
    try {
      const step = await retries.next(error);
      if (isUsedUp(error)) await this.#markUsedUp(reportId);
      return step;
    } catch (final) {
      if (!this.#isPickedUp || !isAboutReport(final)) throw await this.finalError(final);
      return this.#requestInstead(final, reportId);
    }
  }

  /** Gives up a report that was picked up. */
  async #requestInstead(error: AdreportError, reportId: string): Promise<RetryStep> {
    const { console } = this.#tools;
    const shownId = printable(reportId);
    if (error.isUsedUp) {
      await this.#markUsedUp(reportId);
      console.note(`The service no longer has report ${shownId}; requesting a new one.`);
    } else {
      console.note(`Requesting a new report instead of report ${shownId}. ${error.message}`);
    }
    this.#isPickedUp = false;
    this.#retries?.restart();
    return 'request';
  }

  #markUsedUp(reportId: string): Promise<void> {
    return markUsedUp(this.#tools, reportId, { wasRead: this.#open !== undefined });
  }

  /** Creates the retries with the first call, when their time begins. */
  async #start(): Promise<Retries> {
    if (this.#retries) return this.#retries;
    const { account, console, signal } = this.#tools;
    const { options, waits = true, named } = this.#report;
    const { waitTimeout: waitTimeoutMs, pollInterval, retries } = options;
    const maxRequests = named || retries === 0 ? 1 : 2;
    const client = await account.client();
    const { note } = console;
    this.#retries ??= new Retries(client, {
      waitTimeoutMs,
      pollInterval,
      maxRequests,
      waits,
      signal,
      note,
    });
    return this.#retries;
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
