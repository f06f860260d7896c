import type { ReportRequest, ReportStatus, StatusRecord } from '../../contract/messages.ts';
import type { Faults } from '../faults/faults.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { ServerOptions } from '../options.ts';
import type { FaultRequest } from '../public-types.ts';
import type { IdSource } from './ids.ts';
import { retryLaterError, ServiceError } from './service-error.ts';

/** Maximum number of reports. Beyond it, the oldest are forgotten (`decisions.md` 4). */
const maxReports = 10_000;
const oneDayMs = 24 * 3_600_000;

export interface NewReport {
  readonly account: Account;
  readonly request: ReportRequest;
  readonly createdMs: number;

  /** Final status, if known from the start. */
  readonly finalStatus?: ReportStatus | undefined;
}

export interface StoredReport extends NewReport {
  readonly id: string;
  statusCalls: number;

  /** Final status, once decided. */
  finalStatus?: ReportStatus | undefined;

  /** Status set by an admin call, which overrides everything else. */
  fixedStatus?: ReportStatus;
}

const messages: Readonly<Record<ReportStatus, string>> = {
  progress: 'progress',
  ready: 'ready',
  failed: 'The report could not be generated.',
  expired: 'The report has expired.',
};

/**
 * Reports of every account, with their statuses by the server's clock (`decisions.md` 3 and 4). A
 * report is done after a delay, after a number of status calls, or when a test sets its status.
 * Throws `ServiceError`.
 */
export class Reports {
  readonly #options: ServerOptions;
  readonly #delayMs: number;
  readonly #createId: IdSource;
  readonly #faults: Faults;
  #count = 0;

  /** Reports by ID, oldest first. */
  readonly #reports = new Map<string, StoredReport>();

  /** @param faults may set the final status of a report when it is done */
  constructor(options: ServerOptions, createId: IdSource, faults: Faults) {
    this.#options = options;
    this.#delayMs = options.delayMs ?? 2_000;
    this.#createId = createId;
    this.#faults = faults;
  }

  /** Stores a new report, which is in progress. */
  create(newReport: NewReport): StoredReport {
    this.#count += 1;
    const { account, request } = newReport;
    const id = this.#createId('report', this.#count, account.email, request).slice(0, 32);
    const report: StoredReport = { id, ...newReport, statusCalls: 0 };
    this.#reports.set(id, report);

    const [oldest] = this.#reports.keys();
    if (oldest !== undefined && this.#reports.size > maxReports) this.#reports.delete(oldest);
    return report;
  }

  /**
   * Finds an account's report, unless it has expired. Another account's report counts as unknown.
   */
  find(id: string, account: Account, nowMs: number): StoredReport {
    const report = this.get(id, account);
    const { reportTtlMs = oneDayMs } = this.#options;
    if (nowMs - report.createdMs > reportTtlMs) throw expiredReportError(id);
    return report;
  }

  /** Finds a report, even if expired. Without an account, searches all accounts. */
  get(id: string, account?: Account): StoredReport {
    const report = this.#reports.get(id);
    if (report && (!account || report.account.email === account.email)) return report;
    throw new ServiceError('UNKNOWN_REPORT', `Unknown report “${id.slice(0, 80)}”.`);
  }

  /** Lists the reports of every account, oldest first. */
  list(): StoredReport[] {
    return [...this.#reports.values()];
  }

  /** Builds the response to a status call. */
  toRecord(report: StoredReport, nowMs: number, request?: FaultRequest): StatusRecord {
    const status = this.#computeStatus(report, nowMs, request);
    return { status, message: messages[status], report_id: report.id };
  }

  /**
   * Throws `ServiceError` 409 if the report is not ready or has failed, and 410 if it has expired.
   */
  requireReady(report: StoredReport, nowMs: number, request?: FaultRequest): void {
    const { id, createdMs } = report;
    const status = this.#computeStatus(report, nowMs, request);
    if (status === 'ready') return;
    if (status === 'expired') throw expiredReportError(id);
    if (status === 'failed') {
      throw new ServiceError('REPORT_FAILED', `The report ${id} has failed.`);
    }

    // Only a hint. With `polls` or `manual`, a report may take longer.
    const waitMs = createdMs + this.#delayMs - nowMs;
    const message = `The report ${id} is “${status}”: download it once its status is “ready”.`;
    throw retryLaterError('REPORT_NOT_READY', message, waitMs);
  }

  reset(): void {
    this.#reports.clear();
    this.#count = 0;
  }

  #computeStatus(report: StoredReport, nowMs: number, request?: FaultRequest): ReportStatus {
    if (report.fixedStatus) return report.fixedStatus;
    if (!this.#isDone(report, nowMs)) return 'progress';

    report.finalStatus ??= this.#faults.applyToReport('status', request) ?? 'ready';
    return report.finalStatus;
  }

  #isDone({ statusCalls, createdMs }: StoredReport, nowMs: number): boolean {
    const { polls, manual } = this.#options;
    if (manual) return false;
    return polls === undefined ? nowMs >= createdMs + this.#delayMs : statusCalls >= polls;
  }
}

function expiredReportError(id: string): ServiceError {
  return new ServiceError('REPORT_EXPIRED', `The report ${id} has expired: create it again.`);
}
