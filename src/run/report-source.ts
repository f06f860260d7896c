import type { OpenReport } from '../client/open.ts';
import { isReportFailure, isTooLarge, RefusedReportError } from '../errors.ts';
import { splitToRetry } from '../query/parts.ts';
import type { PartsProgress } from '../ui/progress.ts';
import type { Context } from './context.ts';
import { MergedReport, type PartsToMerge } from './merge-parts.ts';
import { ReportAttempts, type ReportToOpen } from './report-attempts.ts';
import { recordFailure, updateLedger } from './request.ts';
import { RequestQueue } from './request-queue.ts';

/** A report whose rows are pulled. */
export type ReportRows = OpenReport | MergedReport;

export interface ReportToRead extends ReportToOpen {
  /** Reports to merge; absent to request one. */
  readonly merged?: PartsToMerge | undefined;

  /** Set if the report may be requested in parts if it fails. */
  readonly mayBeSplit?: boolean;

  /** Of the report, if the run has several. */
  readonly label?: string | undefined;
  readonly options: PartsToMerge['options'];
}

/** The rows of a report: of one request, once more if it fails, and then of its parts, merged. */
export class ReportSource {
  readonly #context: Context;
  readonly #request: ReportToRead;
  readonly #attempts: ReportAttempts;
  #merged: PartsToMerge | undefined;

  #meter: PartsProgress | undefined;

  /** Of the reports that were opened. */
  #ids: readonly string[] = [];

  constructor(context: Context, request: ReportToRead) {
    this.#context = context;
    this.#request = request;
    this.#attempts = new ReportAttempts(context, request);
    this.#merged = request.merged;
  }

  /** Throws as the client, and `PartsFailed`. */
  async open(): Promise<ReportRows> {
    if (!this.#merged) {
      const report = await this.#attempts.open();
      this.#ids = report.id === undefined ? [] : [report.id];
      return report;
    }
    const merged = new MergedReport(this.#context, this.#merged);
    this.#ids = merged.reportIds;
    return merged;
  }

  /** Prepares another attempt after an error. Throws the error if another one would not help. */
  async recover(error: unknown): Promise<void> {
    if (this.#merged) {
      this.#meter?.stop();
      // The error of one report names it, and the others can still be resumed.
      const isWholeRefused = error instanceof RefusedReportError && error.reportId === undefined;
      for (const id of isWholeRefused ? this.#ids : []) {
        await recordFailure(this.#context, id, error);
      }
      throw error;
    }

    try {
      await this.#attempts.recover(error);
    } catch (final) {
      this.#merged = await this.#splitAfter(final);
    }
  }

  /** Records that the report is in its files: the same command requests it anew. */
  async recordDownload(): Promise<void> {
    this.#meter?.stop();
    for (const id of this.#ids) await updateLedger(this.#context, id, { status: 'downloaded' });
  }

  /** Returns the parts to request instead. Throws the error if they cannot help. */
  async #splitAfter(error: unknown): Promise<PartsToMerge> {
    const { part, mayBeSplit, options, label } = this.#request;
    const mayHelp = isReportFailure(error) || isTooLarge(error);
    const isAllowed = mayBeSplit && options.retries !== 0;
    const parts = part && isAllowed ? splitToRetry(part) : [];
    if (!mayHelp || parts.length < 2) throw error;

    const { console, account, progress } = this.#context;
    console.note(`${error.message} Requesting it as ${parts.length} shorter reports instead.`);
    this.#meter = (await progress()).parts(parts.length);
    const { concurrency: size = 1 } = options;
    const queue = new RequestQueue({ size, client: account.client, meter: this.#meter });
    return { parts, label, options, queue };
  }
}
