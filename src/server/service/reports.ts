import { randomBytes } from 'node:crypto';
import type { ReportRequest, ReportStatus, StatusRecord } from '../../contract/messages.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { LocalServerOptions } from '../local-server.ts';
import { refuseUntil, ServiceError } from './service-error.ts';

/** Beyond so many reports, or so many bytes of the bodies that asked for them, the oldest are forgotten. */
const reportsAtMost = 10_000;
const bytesAtMost = 64 * 1024 * 1024;
/** Of the forgotten ones the ids are kept, so that their owners are told what became of them. */
const forgottenAtMost = 100_000;

export interface HeldReport {
  readonly id: string;
  readonly account: Account;
  readonly request: ReportRequest;
  readonly createdMs: number;
  readonly sizeBytes: number;
  statusCalls: number;
  /** How it ends, once that is decided. */
  end?: ReportStatus;
  /** Set by hand through the admin call; counts before everything else. */
  fixedStatus?: ReportStatus;
  message?: string | undefined;
}

const messages: Readonly<Record<ReportStatus, string>> = {
  progress: 'progress',
  ready: 'ready',
  failed: 'The report could not be generated.',
  expired: 'The report has expired.',
};

export type Reports = ReturnType<typeof createReports>;

/**
 * The reports of every account and their states, by the server's clock (`decisions.md` 3 and 4). A report is done after a
 * time, at its n-th status call, or when it is told to; `endOf` then says once how it ends. What is refused is thrown as
 * `ServiceError`.
 */
export function createReports(
  options: LocalServerOptions,
  endOf: (account: Account) => ReportStatus,
) {
  const { delayMs = 2_000, polls, manual, reportTtlMs = 24 * 3_600_000 } = options;
  /** By id, the oldest first. */
  const reports = new Map<string, HeldReport>();
  let heldBytes = 0;
  /** The e-mail of the owner of each forgotten report. */
  const forgotten = new Map<string, string>();

  function statusOf(report: HeldReport, nowMs: number): ReportStatus {
    if (report.fixedStatus) return report.fixedStatus;
    const isDone =
      polls === undefined ? nowMs >= report.createdMs + delayMs : report.statusCalls >= polls;
    if (!isDone || manual) return 'progress';
    report.end ??= endOf(report.account);
    return report.end;
  }

  return {
    /** A new report, in progress. */
    create(start: Pick<HeldReport, 'account' | 'request' | 'createdMs' | 'sizeBytes'>): HeldReport {
      const report = { id: randomBytes(16).toString('hex'), ...start, statusCalls: 0 };
      reports.set(report.id, report);
      heldBytes += report.sizeBytes;
      for (const { id, account, sizeBytes } of reports.values()) {
        if (reports.size <= reportsAtMost && heldBytes <= bytesAtMost) break;
        reports.delete(id);
        heldBytes -= sizeBytes;
        forgotten.set(id, account.email);
      }
      for (const id of forgotten.keys()) if (forgotten.size > forgottenAtMost) forgotten.delete(id);
      return report;
    },
    /** An account's report that is not past its life; an unknown id and another account's are refused alike. */
    find(id: string, account: Account, nowMs: number): HeldReport {
      const report = reports.get(id);
      if (report?.account.email === account.email) {
        if (nowMs - report.createdMs > reportTtlMs) throw expired(id);
        return report;
      }
      const why = `was forgotten, because this server keeps the latest ${reportsAtMost}`;
      if (forgotten.get(id) === account.email) throw expired(id, why);
      throw new ServiceError('UNKNOWN_REPORT', `There is no report “${id.slice(0, 80)}”.`);
    },
    /** Every account's reports, the oldest first. */
    list: (): HeldReport[] => [...reports.values()],
    /** The record that the status call answers with. */
    record(report: HeldReport, nowMs: number): StatusRecord {
      const status = statusOf(report, nowMs);
      return { status, message: report.message ?? messages[status], report_id: report.id };
    },
    /** Refuses unless the data may be had: 409 before the report is ready or when it failed, 410 when it expired. */
    assertDownloadable(report: HeldReport, nowMs: number): void {
      const { id, createdMs } = report;
      const status = statusOf(report, nowMs);
      if (status === 'expired') throw expired(id);
      if (status === 'failed')
        throw new ServiceError('REPORT_FAILED', `The report ${id} has failed.`);
      if (status === 'ready') return;
      const error = `The report ${id} is “${status}”: download it once its status is “ready”.`;
      throw refuseUntil(
        'REPORT_NOT_READY',
        error,
        polls === undefined && !manual ? createdMs + delayMs - nowMs : 0,
      );
    },
    reset(): void {
      reports.clear();
      forgotten.clear();
      heldBytes = 0;
    },
  };
}

function expired(id: string, why = 'has expired'): ServiceError {
  return new ServiceError('REPORT_EXPIRED', `The report ${id} ${why}: create it anew.`);
}
