import type { ReportAnswer } from '../api/client.ts';
import { ReportCheck } from '../checks/report-check.ts';
import { isAboutReport, isStillInProgress } from '../errors.ts';
import { continuedCommand, downloadCommandLine } from '../plan/command-line.ts';
import type { JobOptions } from '../plan/flags/run-flags.ts';
import type { WaitFlags } from '../plan/flags/wait-flags.ts';
import type { Job } from '../plan/plan.ts';
import type { ReportPlan } from '../report/request.ts';
import type { ReportSpec } from '../report/spec.ts';
import { readRows } from '../rows/read-rows.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import {
  type CreatedOrigin,
  createReport,
  noteAcceptedJson,
  noteFetched,
  noteReport,
  pickUpReport,
  type ReportTools,
  type TakeReport,
} from './order.ts';
import { downloadWhenReady, withResumeHint } from './wait.ts';
import { type PreparedOutput, type WrittenReport, writeReport } from './write-report.ts';

/** Processes the data of a report. */
export interface Intake<T> {
  readonly take: TakeReport<T>;

  /**
   * The file that the data is written to. Absent if `take` does not write the final output; then
   * the caller calls `noteFetched`.
   */
  file?(reportId?: string): string | undefined;
}

/** A report that is to be fetched. */
export interface ReportFetch<T> {
  readonly spec: ReportSpec;
  readonly plan: ReportPlan;
  readonly options: WaitFlags &
    Partial<Pick<JobOptions, 'fresh' | 'direct' | 'baseUrl' | 'retries'>>;

  /** The command that continues on this machine; absent if no command can. */
  readonly continuation?: string;
  readonly intake: Intake<T>;
}

/** The members that are the same for every part of a job. */
export function fetchOf(job: Job, platform: NodeJS.Platform): Omit<ReportFetch<never>, 'intake'> {
  const { spec, plan, options } = job;
  return { spec, plan, options, continuation: continuedCommand(job, platform) };
}

/**
 * Creates a report or picks up an unfinished one of the same request, waits for it, and passes its
 * data to the intake. Errors name the report and, if it can be resumed, the command to do so.
 */
export async function fetchReport<T>(tools: ReportTools, fetch: ReportFetch<T>): Promise<T> {
  const { plan, options, intake } = fetch;
  const mayPickUp = !options.fresh && !options.direct;
  const unfinished = mayPickUp ? await pickUpReport(tools, plan) : undefined;

  if (unfinished) {
    await noteAcceptedJson(tools, unfinished.id);
    try {
      return await receiveReport(tools, unfinished, fetch);
    } catch (error) {
      if (!isAboutReport(error)) throw error;
      const shownId = printable(unfinished.id);
      const fact = error.isUsedUp
        ? `The service no longer has report ${shownId}; requesting a new one.`
        : `Requesting a new report instead of report ${shownId}. ${error.message}`;
      tools.console.note(fact);
    }
  }

  const created = await createReport(tools, fetch, intake.take);
  if (created.kind === 'data') return created.result;
  return receiveReport(tools, created.origin, fetch);
}

/** Waits for a report, passes its data to the intake, and updates the ledger. */
async function receiveReport<T>(
  tools: ReportTools,
  origin: CreatedOrigin,
  fetch: ReportFetch<T>,
): Promise<T> {
  const { options, intake } = fetch;
  const { id: reportId, records: earlier = [] } = origin;
  const resume = await resumeHint(tools, reportId, fetch);

  const result = await withResumeHint(tools, { reportId, resume }, () =>
    downloadWhenReady(tools, { reportId, options }, (answer, records) =>
      intake.take(answer, { ...origin, records: [...earlier, ...records] }),
    ),
  ).catch((error: unknown) => noteTimeout(tools, reportId, error));
  if (intake.file) await noteFetched(tools, reportId, intake.file(reportId));
  return result;
}

/** Records a timeout of this run in the ledger, and rethrows the error. */
async function noteTimeout(tools: ReportTools, reportId: string, error: unknown): Promise<never> {
  if (isStillInProgress(error)) {
    await noteReport(tools, reportId, { isTimeout: true });
  }
  throw error;
}

/** The commands that continue with a report; `undefined` for a local server, which ends too. */
async function resumeHint(
  { account, host: { platform } }: ReportTools,
  reportId: string,
  { spec, options, continuation, intake }: ReportFetch<unknown>,
): Promise<string | undefined> {
  if (account.isLocal || continuation === undefined) return undefined;

  const output = intake.file?.(reportId);
  const { baseUrl } = options;
  const elsewhere = downloadCommandLine(reportId, { ...spec, output }, { baseUrl, platform });
  return `To resume: ${continuation}\nOr on another machine: ${elsewhere}`;
}

/** Rows of a download, with progress. */
export async function* readAnswer(
  tools: ReportTools,
  { body, contentType, sizeBytes }: Pick<ReportAnswer, 'body' | 'contentType' | 'sizeBytes'>,
): RowBatches {
  const meter = (await tools.progress()).transfer('Downloading', sizeBytes);
  let bytes = 0;
  let rows = 0;
  async function* metered(): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      tools.signal.throwIfAborted();
      bytes += piece.length;
      meter.update({ bytes, rows });
      yield piece;
    }
  }

  const batches = readRows(metered(), { contentType });
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) return next.value;
      rows = next.value.firstRow + next.value.rowCount;
      yield next.value;
    }
  } finally {
    meter.stop();
    await batches.return?.();
  }
}

/** An intake that checks a report against its request and writes it to its output. */
export function writingIntake(tools: ReportTools, output: PreparedOutput): Intake<WrittenReport> {
  const { expectation } = output;
  return {
    take: (answer, origin) => {
      const nowMs = tools.host.wallClock();
      const check = new ReportCheck({ expectation, answer, origin, nowMs });
      const batches = readAnswer(tools, answer);
      const { id: reportId, createdMs } = origin;
      return writeReport(tools, output, { batches, check, reportId, createdMs });
    },
    file: (reportId) => output.delivery.target.name(reportId),
  };
}
