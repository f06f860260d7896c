import { randomBytes } from 'node:crypto';
import type { ReportRequest, ReportStatus, StatusRecord } from '../../contract/messages.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { refuseUntil, ServiceError } from './service-error.ts';

/** Beyond so many reports, or so many bytes of their requests, the oldest are forgotten. */
const reportsAtMost = 10_000;
const bytesAtMost = 64 * 1024 * 1024;
/** Of the forgotten ones the ids are kept, so that their owners are told what became of them. */
const forgottenAtMost = 100_000;

/** How a report comes to be ready: after a time, at its n-th status call, or when it is told to. */
export type Readiness = { readonly delayMs: number } | { readonly polls: number } | { readonly manual: true };

/** How a fault lets a report end instead of `ready`: one in progress stays so for ever. */
export type ReportEnd = Exclude<ReportStatus, 'ready'>;

export interface HeldReport {
  readonly id: string;
  readonly account: Account;
  readonly request: ReportRequest;
  readonly createdMs: number;
  /** The length of the body that asked for it. */
  readonly sizeBytes: number;
  statusCalls: number;
  end?: ReportEnd | undefined;
  /** Set by hand through the admin call; counts before everything else. */
  fixedStatus?: ReportStatus;
  message?: string | undefined;
}

/** The reports of every account and their states, by the server's clock (`decisions.md` 3 and 4). */
export class Reports {
  readonly #readiness: Readiness;
  readonly #ttlMs: number;
  /** By id, the oldest first. */
  readonly #reports = new Map<string, HeldReport>();
  #bytes = 0;
  /** The e-mail of the owner of each forgotten report. */
  readonly #forgotten = new Map<string, string>();

  constructor(readiness: Readiness, ttlMs: number) {
    this.#readiness = readiness;
    this.#ttlMs = ttlMs;
  }

  /** A new report, in progress. */
  create(start: Pick<HeldReport, 'account' | 'request' | 'createdMs' | 'sizeBytes'>): HeldReport {
    const report = { id: randomBytes(16).toString('hex'), ...start, statusCalls: 0 };
    this.#reports.set(report.id, report);
    this.#bytes += report.sizeBytes;
    for (const { id, account, sizeBytes } of this.#reports.values()) {
      if (this.#reports.size <= reportsAtMost && this.#bytes <= bytesAtMost) break;
      this.#reports.delete(id);
      this.#bytes -= sizeBytes;
      this.#forgotten.set(id, account.email);
    }
    for (const id of this.#forgotten.keys()) if (this.#forgotten.size > forgottenAtMost) this.#forgotten.delete(id);
    return report;
  }

  /** An account's report that is not past its life; an unknown id and another account's are refused alike. */
  find(id: string, account: Account, nowMs: number): HeldReport {
    const report = this.#reports.get(id);
    if (report?.account.email === account.email) {
      if (nowMs - report.createdMs > this.#ttlMs) throw expired(id);
      return report;
    }
    if (this.#forgotten.get(id) === account.email) {
      const error = `The report ${id} was forgotten: this server keeps the latest ${reportsAtMost}. Create it anew.`;
      throw new ServiceError('REPORT_EXPIRED', error);
    }
    throw new ServiceError('UNKNOWN_REPORT', `There is no report “${id.slice(0, 80)}”.`);
  }

  /** Every account's reports, the oldest first, for the admin calls. */
  list(): HeldReport[] {
    return [...this.#reports.values()];
  }

  clear(): void {
    this.#reports.clear();
    this.#forgotten.clear();
    this.#bytes = 0;
  }

  /** The record that the create and the status call answer with. */
  record(report: HeldReport, nowMs: number): StatusRecord {
    const status = this.#statusOf(report, nowMs);
    return { status, message: report.message ?? messages[status], report_id: report.id };
  }

  /** Throws unless the data may be had: 409 before the report is ready or when it failed, 410 when it expired. */
  assertDownloadable(report: HeldReport, nowMs: number): void {
    const status = this.#statusOf(report, nowMs);
    if (status === 'ready') return;
    if (status === 'expired') throw expired(report.id);
    if (status === 'failed') throw new ServiceError('REPORT_FAILED', `The report ${report.id} has failed.`);
    const error = `The report ${report.id} is “${status}”: download it once its status is “ready”.`;
    throw refuseUntil('REPORT_NOT_READY', error, this.#remainingMs(report, nowMs));
  }

  #statusOf(report: HeldReport, nowMs: number): ReportStatus {
    if (report.fixedStatus) return report.fixedStatus;
    return this.#isDone(report, nowMs) ? (report.end ?? 'ready') : 'progress';
  }

  #isDone(report: HeldReport, nowMs: number): boolean {
    if ('manual' in this.#readiness) return false;
    if ('polls' in this.#readiness) return report.statusCalls >= this.#readiness.polls;
    return this.#remainingMs(report, nowMs) <= 0;
  }

  #remainingMs(report: HeldReport, nowMs: number): number {
    return 'delayMs' in this.#readiness ? report.createdMs + this.#readiness.delayMs - nowMs : 0;
  }
}

const messages: Readonly<Record<ReportStatus, string>> = {
  progress: 'progress',
  ready: 'ready',
  failed: 'The report could not be generated.',
  expired: 'The report has expired.',
};

function expired(id: string): ServiceError {
  return new ServiceError('REPORT_EXPIRED', `The report ${id} has expired: create it anew.`);
}
