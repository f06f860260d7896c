import type { EndpointName } from '../../contract/endpoints.ts';
import type { ReportRequest } from '../../contract/messages.ts';
import { encodeCsv, encodeJson } from '../encode/encode-report.ts';
import { computeReport } from '../engine/compute-report.ts';
import type { Faults } from '../faults/faults.ts';
import type { Account, Fixtures } from '../fixtures/fixtures.ts';
import { type Answer, jsonAnswer, jsonType } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { chooseDataFormat } from '../http/negotiate.ts';
import { isInexact, type Parameters, readMembers, readScalar } from '../request/parse-body.ts';
import { readReportRequest } from '../request/read-request.ts';
import type { ServerClock } from './clock.ts';
import type { Report, Reports } from './reports.ts';
import { ServiceError } from './service-error.ts';
import type { Sessions } from './sessions.ts';

export interface ServiceParts {
  readonly clock: ServerClock;
  readonly sessions: Sessions;
  readonly reports: Reports;
  readonly faults: Faults;
  readonly restateDays: number;
  readonly lenient: boolean;
  /** The data as it is now: an edited folder brings new ones. */
  fixtures: Fixtures;
}

type Handler = (call: Call, caller: Caller) => Answer;

/** Whose call it is, or why that cannot be said. */
export type Caller = { readonly account: Account } | { readonly account?: never; readonly refusal: ServiceError };

/** The account of a call. Throws the `ServiceError` that says why there is none. */
function accountOf(caller: Caller): Account {
  if (caller.account) return caller.account;
  throw caller.refusal;
}

/** The five calls of the service, apart from HTTP: what comes in, what goes out. They throw `ServiceError`. */
export function createService(parts: ServiceParts): Readonly<Record<EndpointName, Handler>> {
  const { clock, sessions, reports, faults } = parts;

  function reportData(account: Account, request: ReportRequest, id: string, call: Call): Answer {
    const format = chooseDataFormat(call.accept, account.profile);
    if (!format) throw new ServiceError('NOT_ACCEPTABLE', 'A report is application/json or text/csv.');
    const context = { nowMs: clock.now(), restateDays: parts.restateDays, signal: call.signal() };
    const table = computeReport(parts.fixtures, account, request, context);
    if (format === 'json') return { status: 200, type: jsonType, body: encodeJson(table) };
    const headers = { 'content-disposition': `attachment; filename="report-${id}.csv"` };
    return { status: 200, type: 'text/csv; charset=utf-8; header=present', headers, body: encodeCsv(table) };
  }

  /** The account's report of that ID, which is not past its life and whose end the faults have decided. */
  function findReport(call: Call, account: Account): Report {
    const report = reports.find(readId(call.parameters), account);
    reports.assertAlive(report, clock.now());
    report.fate ??= faults.fateOf(report);
    return report;
  }

  return {
    auth(call) {
      const { email, password } = readCredentials(call.parameters);
      if (email === undefined || password === undefined) {
        throw new ServiceError('SYSTEM', 'Username or password not set in request');
      }
      return jsonAnswer({ response: { status: 'OK', token: sessions.signIn(email, password, clock.now()) } });
    },

    buyer(call, caller) {
      const account = accountOf(caller);
      const request = readReportRequest(call.parameters, account, parts.lenient);
      if (request.output === 'direct') return reportData(account, request, 'direct', call);
      const report = reports.create(account, request, { nowMs: clock.now(), sizeBytes: call.body.length });
      // In progress even where it takes no time (`decisions.md` 2).
      return jsonAnswer({ response: { status: 'progress', message: 'progress', report_id: report.id } });
    },

    status(call, caller) {
      const report = findReport(call, accountOf(caller));
      report.statusCalls += 1;
      return jsonAnswer({ response: reports.record(report, clock.now()) });
    },

    download(call, caller) {
      const account = accountOf(caller);
      const report = findReport(call, account);
      reports.assertDownloadable(report, clock.now());
      return reportData(account, report.request, report.id, call);
    },

    campaigns: (_call, caller) => jsonAnswer(parts.fixtures.campaignsOf(accountOf(caller))),
  };
}

function readId(given: Parameters): string {
  const value = given.get('id');
  const id = readScalar(value)?.trim();
  if (id) return id;
  const isMissing = value === undefined || value === null || value === '';
  const fault = isMissing
    ? 'is missing'
    : isInexact(value)
      ? 'is too large for a number: send it as a string'
      : 'must be one string';
  const problem = `${fault}: give the report ID of the create call.`;
  const details = [{ parameter: 'id', problem }];
  throw new ServiceError(isMissing ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER', `id: ${problem}`, { details });
}

/** E-mail and password in any of the shapes of `decisions.md` 1. */
export function readCredentials(given: Parameters): { email: string | undefined; password: string | undefined } {
  const inner = readMembers(given.get('auth')) ?? given;
  const read = (name: string): string | undefined => readScalar(inner.get(name)) || undefined;
  return { email: read('email'), password: read('password') };
}
