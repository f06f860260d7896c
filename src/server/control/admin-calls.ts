import { type ReportRequest, reportStatuses } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import type { Control, ReportChange } from '../local-server.ts';
import type { Parameters } from '../request/parse-body.ts';
import type { Services } from '../services.ts';

/** A call with which tests steer the server from any language, without a token (`cli.md`, `local-server`). */
export interface AdminCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `:id` in it stands for a report. */
  readonly path: string;
  readonly meaning: string;
  /** A body that it takes. */
  readonly example?: object;
  /** Does it, and returns what is told, or nothing where all went well. Throws `UsageError`. */
  answer(body: Parameters, id: string): unknown;
}

/** A report as the admin call and the page list it. */
export interface ListedReport {
  readonly status: string;
  readonly message: string;
  readonly report_id: string;
  /** The name of its account. */
  readonly account: string;
  /** ISO 8601, by the server's clock. */
  readonly created: string;
  readonly request: ReportRequest;
}

/** Every admin call. Routes, `/openapi.json`, the page and the refusal of an unknown path are made of this list. */
export function listAdminCalls(services: Services, control: Control): readonly AdminCall[] {
  const { faults, log } = services;

  return [
    {
      method: 'GET',
      path: '/__admin/health',
      meaning: 'whether it is up, and its clock',
      answer: () => tellHealth(services),
    },
    {
      method: 'GET',
      path: '/__admin/requests',
      meaning: 'the latest calls',
      answer: () => ({ counts: log.counts(), requests: log.list() }),
    },
    {
      method: 'DELETE',
      path: '/__admin/requests',
      meaning: 'forgets the calls',
      answer: () => log.reset(),
    },
    {
      method: 'GET',
      path: '/__admin/clock',
      meaning: 'the time by the server’s clock',
      answer: () => tellTime(services),
    },
    {
      method: 'POST',
      path: '/__admin/clock',
      meaning: 'moves the clock on',
      example: { advance: '2h' },
      answer(body) {
        control.advance(typeof body.advance === 'string' ? body.advance : '');
        return tellTime(services);
      },
    },
    {
      method: 'GET',
      path: '/__admin/faults',
      meaning: 'the faults in force',
      answer: () => ({ faults: faults.list() }),
    },
    {
      method: 'POST',
      path: '/__admin/faults',
      meaning: 'puts a fault in force',
      example: { fault: 'status:503:times=3' },
      answer(body) {
        faults.add(...readFaults(body));
        return { faults: faults.list() };
      },
    },
    {
      method: 'DELETE',
      path: '/__admin/faults',
      meaning: 'ends every fault',
      answer: () => faults.clear(),
    },
    {
      method: 'GET',
      path: '/__admin/reports',
      meaning: 'every report',
      answer: () => ({ reports: listReports(services) }),
    },
    {
      method: 'POST',
      path: '/__admin/reports/:id',
      meaning: 'sets the status of a report',
      example: { status: 'ready' },
      answer(body, id) {
        const change = readChange(body);
        control.setReport(id, change);
        return { response: { report_id: id, status: change.status } };
      },
    },
    {
      method: 'POST',
      path: '/__admin/reset',
      meaning: 'back to how the server started',
      answer: () => control.reset(),
    },
  ];
}

/** Every account's reports, the oldest first. */
export function listReports({ reports, clock }: Services): ListedReport[] {
  return reports.list().map((report) => ({
    ...reports.recordOf(report, clock.now()),
    account: report.account.name,
    created: new Date(report.createdMs).toISOString(),
    request: report.request,
  }));
}

function tellHealth(services: Services): object {
  return { status: 'ok', ...tellTime(services), reports: services.reports.list().length };
}

function tellTime({ clock }: Services): object {
  return { now: new Date(clock.now()).toISOString() };
}

/** One fault, or a list of them. */
function readFaults(body: Parameters): string[] {
  const faults = body.faults === undefined ? [body.fault] : body.faults;
  const isList = Array.isArray(faults) && faults.length > 0;
  if (isList && faults.every((fault) => typeof fault === 'string')) return faults;

  throw new UsageError('Send {"fault":"status:503:times=3"}, or {"faults":[…]}.', {
    code: 'BAD_FAULT',
  });
}

function readChange({ status: word, message }: Parameters): ReportChange {
  const status = reportStatuses.find((known) => known === word);
  if (!status) {
    throw new UsageError(`Send {"status":"…"} with one of ${reportStatuses.join(', ')}.`);
  }
  return typeof message === 'string' ? { status, message } : { status };
}
