import type { ReportAnswer } from '../api/client.ts';
import { StillInProgressError } from '../errors.ts';
import { ReportVerdict } from '../judge/report-judge.ts';
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
  isGone,
  isOfAnother,
  noteAcceptedJson,
  noteFetched,
  noteReport,
  pickUpReport,
  type ReportTools,
  type TakeReport,
} from './order.ts';
import { downloadWhenReady, withResumeHint } from './wait.ts';
import { type PreparedOutput, type WrittenReport, writeReport } from './write-report.ts';

/** What takes the data of a report. */
export interface Intake<T> {
  readonly take: TakeReport<T>;

  /**
   * The file that the data goes to. Absent where that is not where it stays: then `noteFetched` is
   * the caller's.
   */
  file?(reportId?: string): string | undefined;
}

/** A report that is to be fetched. */
export interface ReportFetch<T> {
  readonly spec: ReportSpec;
  readonly plan: ReportPlan;
  readonly options: WaitFlags &
    Partial<Pick<JobOptions, 'fresh' | 'direct' | 'baseUrl' | 'retries'>>;

  /** The command that continues on this machine; absent if there is none to type. */
  readonly continuation?: string;
  readonly intake: Intake<T>;
}

/** How a report of a job is fetched, whatever part or window of it. */
export function fetchOf(job: Job, platform: NodeJS.Platform): Omit<ReportFetch<never>, 'intake'> {
  const { spec, plan, options } = job;
  return { spec, plan, options, continuation: continuedCommand(job, platform) };
}

/**
 * Creates a report, or picks up an unfinished one of the same request, waits for it, and hands its
 * data on. What it throws names the report and, where that can still be had, the command that goes
 * on with it.
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
      if (!isGone(error) && !isOfAnother(error)) throw error;
      const shownId = printable(unfinished.id);
      tools.console.note(
        `The service does not have report ${shownId} any more: creating a new one.`,
      );
    }
  }

  const created = await createReport(tools, fetch, intake.take);
  if (created.kind === 'data') return created.result;
  return receiveReport(tools, created.origin, fetch);
}

/** Waits for a report and hands its data on; what becomes of it is noted in the ledger. */
async function receiveReport<T>(
  tools: ReportTools,
  origin: CreatedOrigin,
  fetch: ReportFetch<T>,
): Promise<T> {
  const { options, intake } = fetch;
  const { id: reportId, records: earlier = [] } = origin;
  const resume = await wayToGoOn(tools, reportId, fetch);

  const result = await withResumeHint(tools, { reportId, resume }, () =>
    downloadWhenReady(tools, { reportId, options }, (answer, records) =>
      intake.take(answer, { ...origin, records: [...earlier, ...records] }),
    ),
  ).catch((error: unknown) => noteTimeout(tools, reportId, error));
  if (intake.file) await noteFetched(tools, reportId, intake.file(reportId));
  return result;
}

/** Notes in the ledger that this run gave up waiting for a report; throws its error on. */
async function noteTimeout(tools: ReportTools, reportId: string, error: unknown): Promise<never> {
  if (error instanceof StillInProgressError) {
    await noteReport(tools, reportId, { isTimeout: true });
  }
  throw error;
}

/**
 * How to continue with a report; `undefined` if nothing can, because its service ends with this
 * process.
 */
async function wayToGoOn(
  { account, host: { platform } }: ReportTools,
  reportId: string,
  { spec, options, continuation, intake }: ReportFetch<unknown>,
): Promise<string | undefined> {
  if (account.isLocal || continuation === undefined) return undefined;

  const output = intake.file?.(reportId);
  const { baseUrl } = options;
  const elsewhere = downloadCommandLine(reportId, { ...spec, output }, { baseUrl, platform });
  return `Continue with: ${continuation}\nOr on another machine: ${elsewhere}`;
}

/** The rows of a download, which is shown as it goes on. */
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

/** An intake that judges a report by its request, and writes it to its output. */
export function writingIntake(tools: ReportTools, output: PreparedOutput): Intake<WrittenReport> {
  const { expectation } = output;
  return {
    take: (answer, origin) => {
      const nowMs = tools.host.wallClock();
      const verdict = new ReportVerdict({ expectation, answer, origin, nowMs });
      const batches = readAnswer(tools, answer);
      const { id: reportId, createdMs } = origin;
      return writeReport(tools, output, { batches, verdict, reportId, createdMs });
    },
    file: (reportId) => output.delivery.target.name(reportId),
  };
}
