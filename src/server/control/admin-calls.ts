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
  /** The body that it takes; none where absent. */
  readonly body?: AdminBody;
  /** Does it, and returns what is told, or nothing where all went well. Throws `UsageError`. */
  answer(body: Parameters, id: string): unknown;
}

/** The body of an admin call, as `/openapi.json` describes it. */
export interface AdminBody {
  readonly example: object;
  /** A JSON schema by the name of each member. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
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
      meaning: 'moves the clock on, sets it, or lets it stand still',
      body: {
        example: { advance: '2h' },
        properties: {
          advance: { type: 'string', description: 'How far: 500ms, 30s, 5m, 2h or 1d.' },
          now: { type: 'string', format: 'date-time', description: 'Where it is set to.' },
          frozen: { type: 'boolean', description: 'Whether it stands still there.' },
        },
      },
      answer(body) {
        moveClock(body, control);
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
      body: {
        example: { fault: 'status:503:times=3' },
        properties: {
          fault: { type: 'string', description: 'ENDPOINT:KIND[:key=value…]' },
          faults: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            description: 'Several faults: all of them, or none where one is wrong.',
          },
        },
      },
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
      body: {
        example: { status: 'ready' },
        properties: {
          status: { enum: reportStatuses, description: 'The status from now on.' },
          message: { type: 'string', description: 'What the status call says of it.' },
        },
        required: ['status'],
      },
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
  const now = new Date(clock.now()).toISOString();
  return clock.isFrozen ? { now, frozen: true } : { now };
}

/** Does what the body of a call of the clock says: it is advanced, or it is set. */
function moveClock({ advance, now, frozen }: Parameters, control: Control): void {
  if (now === undefined && frozen === undefined) {
    control.advance(typeof advance === 'string' ? advance : '');
    return;
  }

  const isTime = now === undefined || typeof now === 'string';
  const isSwitch = frozen === undefined || typeof frozen === 'boolean';
  if (advance !== undefined || !isTime || !isSwitch) {
    throw new UsageError(
      'Send {"advance":"2h"}, or {"now":"2026-11-01T09:00:00Z"}, the latter with "frozen":true to stop the clock there.',
    );
  }
  control.setClock({ now, frozen });
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
