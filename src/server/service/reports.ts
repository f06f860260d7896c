import type { ReportRequest, ReportStatus, StatusRecord } from '../../contract/messages.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { randomId } from './random-id.ts';
import { ServiceError } from './service-error.ts';

/** A generation of reports ends with so many, or with requests of so many bytes; one and the one before it are kept. */
const reportsOfGeneration = 10_000;
const bytesOfGeneration = 32 * 1024 * 1024;

/** How a report comes to be ready: after a time, at its n-th status call, or when it is told to. */
export type Readiness = { readonly delayMs: number } | { readonly polls: number } | { readonly manual: true };

/** What a fault makes of a report that would be ready: one in progress stays so for ever. */
export type Fate = Exclude<ReportStatus, 'ready'>;

export interface Report {
  readonly id: string;
  readonly account: Account;
  readonly request: ReportRequest;
  readonly createdMs: number;
  statusCalls: number;
  fate: Fate | undefined;
  /** Set by hand through the admin call; counts before everything else. */
  fixedStatus: ReportStatus | undefined;
  message: string | undefined;
}

/** The reports of every account and their states, by the server's clock (`decisions.md` 3 and 4). */
export class Reports {
  readonly #readiness: Readiness;
  readonly #ttlMs: number;
  /** The latest reports. The oldest go a generation at a time, which costs nothing: single ones would leave gaps to mend. */
  #latest = new Map<string, Report>();
  #former = new Map<string, Report>();
  /** Of the latest: their requests, as large as their bodies were. */
  #latestBytes = 0;

  constructor(options: { readonly readiness: Readiness; readonly ttlMs: number }) {
    this.#readiness = options.readiness;
    this.#ttlMs = options.ttlMs;
  }

  /** A new report, in progress. The oldest are forgotten where there are too many. */
  create(
    account: Account,
    request: ReportRequest,
    { nowMs, sizeBytes }: { readonly nowMs: number; readonly sizeBytes: number },
  ): Report {
    const id = randomId();
    const report: Report = {
      id,
      account,
      request,
      createdMs: nowMs,
      statusCalls: 0,
      fate: undefined,
      fixedStatus: undefined,
      message: undefined,
    };
    if (this.#latest.size >= reportsOfGeneration || this.#latestBytes > bytesOfGeneration) {
      this.#former = this.#latest;
      this.#latest = new Map();
      this.#latestBytes = 0;
    }
    this.#latest.set(id, report);
    this.#latestBytes += sizeBytes;
    return report;
  }

  /** An account's report; an unknown id and another account's are refused alike. */
  find(id: string, account: Account): Report {
    const report = this.findAny(id);
    if (report && report.account.email === account.email) return report;
    throw new ServiceError('UNKNOWN_REPORT', `There is no report “${id.slice(0, 80)}”.`);
  }

  /** Any account's report, for the admin calls. */
  findAny(id: string): Report | undefined {
    return this.#latest.get(id) ?? this.#former.get(id);
  }

  list(): Report[] {
    return [...this.#former.values(), ...this.#latest.values()];
  }

  clear(): void {
    this.#former.clear();
    this.#latest.clear();
    this.#latestBytes = 0;
  }

  /** The record that the create and the status call answer with. */
  record(report: Report, nowMs: number): StatusRecord {
    const status = this.statusOf(report, nowMs);
    return { status, message: report.message ?? messages[status], report_id: report.id };
  }

  statusOf(report: Report, nowMs: number): ReportStatus {
    if (report.fixedStatus) return report.fixedStatus;
    return this.#isDone(report, nowMs) ? (report.fate ?? 'ready') : 'progress';
  }

  /** Throws unless the data of a live report may be had: 409 before it is ready or when it failed, 410 when it expired. */
  assertDownloadable(report: Report, nowMs: number): void {
    const status = this.statusOf(report, nowMs);
    if (status === 'ready') return;
    if (status === 'expired') throw expired(report);
    throw this.notReady(report, nowMs, status);
  }

  /** Throws 410 once the report is past its life. */
  assertAlive(report: Report, nowMs: number): void {
    if (nowMs - report.createdMs > this.#ttlMs) throw expired(report);
  }

  notReady(report: Report, nowMs: number, status: ReportStatus = 'progress'): ServiceError {
    const seconds = Math.max(1, Math.ceil(this.#remainingMs(report, nowMs) / 1_000));
    return new ServiceError(
      'REPORT_NOT_READY',
      `The report ${report.id} is “${status}”: download it once its status is “ready”.`,
      { headers: status === 'progress' ? { 'retry-after': String(seconds) } : {} },
    );
  }

  #isDone(report: Report, nowMs: number): boolean {
    if ('manual' in this.#readiness) return false;
    if ('polls' in this.#readiness) return report.statusCalls >= this.#readiness.polls;
    return this.#remainingMs(report, nowMs) <= 0;
  }

  #remainingMs(report: Report, nowMs: number): number {
    return 'delayMs' in this.#readiness ? report.createdMs + this.#readiness.delayMs - nowMs : 0;
  }
}

const messages: Readonly<Record<ReportStatus, string>> = {
  progress: 'progress',
  ready: 'ready',
  failed: 'The report could not be generated.',
  expired: 'The report has expired.',
};

function expired({ id }: Report): ServiceError {
  return new ServiceError('REPORT_EXPIRED', `The report ${id} has expired: create it anew.`);
}
