import type { ReportRequest, ReportStatus, StatusRecord } from '../../contract/messages.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { FaultRequest, LocalServerOptions } from '../local-server.ts';
import type { IdSource } from './ids.ts';
import { refuseUntil, ServiceError } from './service-error.ts';

/**
 * Beyond so many reports, or so many bytes of the bodies that asked for them, the oldest are
 * forgotten.
 */
const reportsAtMost = 10_000;
const bytesAtMost = 64 * 1024 * 1024;

/** Of the forgotten ones the ids are kept, so that their owners are told what became of them. */
const forgottenAtMost = 100_000;
const oneDayMs = 24 * 3_600_000;

/** What a call asks for when it creates a report. */
export interface ReportOrder {
  readonly account: Account;
  readonly request: ReportRequest;
  readonly createdMs: number;

  /** The size of the body that asked for it. */
  readonly sizeBytes: number;

  /** How it ends, where that is settled from the start. */
  readonly end?: ReportStatus | undefined;
}

/** A report that the server keeps. */
export interface HeldReport extends ReportOrder {
  readonly id: string;
  statusCalls: number;

  /** How it ends, once that is decided. */
  end?: ReportStatus | undefined;

  /** Set by hand through the admin call; counts before everything else. */
  fixedStatus?: ReportStatus;
  message?: string | undefined;
}

/** Where ids come from, and how a report ends that is done. */
interface ReportRules {
  readonly idOf: IdSource;

  /**
   * Decides once, when a report of an account is done, how it ends; `request` is the call that
   * asks.
   */
  endOf(account: Account, request: FaultRequest | undefined): ReportStatus;
}

const messages: Readonly<Record<ReportStatus, string>> = {
  progress: 'progress',
  ready: 'ready',
  failed: 'The report could not be generated.',
  expired: 'The report has expired.',
};

/**
 * The reports of every account and their states, by the server's clock (`decisions.md` 3 and 4). A
 * report is done after a time, at its n-th status call, or when it is told to. What is refused is
 * thrown as a `ServiceError`.
 */
export class Reports {
  readonly #delayMs: number;
  readonly #polls: number | undefined;
  readonly #isManual: boolean;
  readonly #reportTtlMs: number;
  readonly #rules: ReportRules;
  #count = 0;

  /** By id, the oldest first. */
  readonly #reports = new Map<string, HeldReport>();
  #heldBytes = 0;

  /** The e-mail of the owner of each forgotten report. */
  readonly #forgotten = new Map<string, string>();

  constructor(options: LocalServerOptions, rules: ReportRules) {
    this.#delayMs = options.delayMs ?? 2_000;
    this.#polls = options.polls;
    this.#isManual = options.manual ?? false;
    this.#reportTtlMs = options.reportTtlMs ?? oneDayMs;
    this.#rules = rules;
  }

  /** A new report, in progress. */
  create(order: ReportOrder): HeldReport {
    this.#count += 1;
    const { account, request } = order;
    const id = this.#rules.idOf('report', this.#count, account.email, request).slice(0, 32);
    const report: HeldReport = { id, ...order, statusCalls: 0 };
    this.#reports.set(id, report);
    this.#heldBytes += report.sizeBytes;

    this.#forgetOldest();
    return report;
  }

  /**
   * An account's report that is not past its life; an unknown id and another account's are refused
   * alike.
   */
  find(id: string, account: Account, nowMs: number): HeldReport {
    const report = this.#reports.get(id);
    if (report?.account.email === account.email) {
      if (nowMs - report.createdMs > this.#reportTtlMs) throw expiredReport(id);
      return report;
    }

    if (this.#forgotten.get(id) === account.email) {
      const why = `was forgotten, because this server keeps the latest ${reportsAtMost}`;
      throw expiredReport(id, why);
    }
    throw unknownReport(id);
  }

  /** The report of any account with that id. */
  get(id: string): HeldReport | undefined {
    return this.#reports.get(id);
  }

  /** Every account's reports, the oldest first. */
  list(): HeldReport[] {
    return [...this.#reports.values()];
  }

  /** The record that the status call answers with. */
  recordOf(report: HeldReport, nowMs: number, request?: FaultRequest): StatusRecord {
    const status = this.#statusOf(report, nowMs, request);
    return { status, message: report.message ?? messages[status], report_id: report.id };
  }

  /**
   * Refuses unless the data may be had: 409 before the report is ready or when it failed, 410 when
   * it expired.
   */
  assertDownloadable(report: HeldReport, nowMs: number, request?: FaultRequest): void {
    const { id, createdMs } = report;
    const status = this.#statusOf(report, nowMs, request);
    if (status === 'ready') return;
    if (status === 'expired') throw expiredReport(id);
    if (status === 'failed') {
      throw new ServiceError('REPORT_FAILED', `The report ${id} has failed.`);
    }

    const isTimed = this.#polls === undefined && !this.#isManual;
    const waitMs = isTimed ? createdMs + this.#delayMs - nowMs : 0;
    const sentence = `The report ${id} is “${status}”: download it once its status is “ready”.`;
    throw refuseUntil('REPORT_NOT_READY', sentence, waitMs);
  }

  reset(): void {
    this.#reports.clear();
    this.#forgotten.clear();
    this.#heldBytes = 0;
    this.#count = 0;
  }

  #statusOf(report: HeldReport, nowMs: number, request?: FaultRequest): ReportStatus {
    if (report.fixedStatus) return report.fixedStatus;
    if (this.#isManual || !this.#isDone(report, nowMs)) return 'progress';

    report.end ??= this.#rules.endOf(report.account, request);
    return report.end;
  }

  #isDone(report: HeldReport, nowMs: number): boolean {
    if (this.#polls !== undefined) return report.statusCalls >= this.#polls;
    return nowMs >= report.createdMs + this.#delayMs;
  }

  #forgetOldest(): void {
    for (const { id, account, sizeBytes } of this.#reports.values()) {
      if (this.#reports.size <= reportsAtMost && this.#heldBytes <= bytesAtMost) break;
      this.#reports.delete(id);
      this.#heldBytes -= sizeBytes;
      this.#forgotten.set(id, account.email);
    }

    for (const id of this.#forgotten.keys()) {
      if (this.#forgotten.size <= forgottenAtMost) break;
      this.#forgotten.delete(id);
    }
  }
}

/** The refusal of a report that is not there. */
export function unknownReport(id: string): ServiceError {
  return new ServiceError('UNKNOWN_REPORT', `There is no report “${id.slice(0, 80)}”.`);
}

function expiredReport(id: string, why = 'has expired'): ServiceError {
  return new ServiceError('REPORT_EXPIRED', `The report ${id} ${why}: create it anew.`);
}
