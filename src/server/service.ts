import type { EndpointName } from '../contract/endpoints.ts';
import type { ReportRequest } from '../contract/messages.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import type { ServerClock } from './clock.ts';
import { encodeCsv, encodeJson } from './encode.ts';
import { computeReport } from './engine.ts';
import type { Faults } from './faults.ts';
import type { Account, Fixtures } from './fixtures/fixtures.ts';
import { chooseDataFormat } from './negotiate.ts';
import { type Parameters, parseBody, readMembers, readScalar } from './parse-body.ts';
import { readReportRequest } from './read-request.ts';
import type { Report, Reports } from './reports.ts';
import { ServiceError } from './service-error.ts';
import type { Sessions } from './sessions.ts';

/** A call as HTTP brought it. */
export interface Call {
  readonly authorization: string | undefined;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

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

type Handler = (call: Call) => Answer | Promise<Answer>;

/** The five calls of the service, apart from HTTP: what comes in, what goes out. They throw `ServiceError`. */
export function createService(parts: ServiceParts): Readonly<Record<EndpointName, Handler>> {
  const { clock, sessions, reports, faults } = parts;

  const authorize = (call: Call): Account => sessions.authorize(call.authorization, clock.now());

  async function reportData(account: Account, request: ReportRequest, id: string, call: Call): Promise<Answer> {
    const format = chooseDataFormat(call.accept, account.profile);
    if (!format) throw new ServiceError('NOT_ACCEPTABLE', 'A report is application/json or text/csv.');
    const context = { nowMs: clock.now(), restateDays: parts.restateDays, signal: call.signal };
    const table = await computeReport(parts.fixtures, account, request, context);
    if (format === 'json') {
      return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: encodeJson(table) };
    }
    const headers = {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="report-${id}.csv"`,
    };
    return { status: 200, headers, body: encodeCsv(table) };
  }

  function findReport(call: Call): { readonly account: Account; readonly report: Report } {
    const account = authorize(call);
    const id = readId(parseBody(call.body, call.contentType));
    return { account, report: reports.find(id, account) };
  }

  return {
    auth(call) {
      const { email, password } = readCredentials(parseBody(call.body, call.contentType));
      if (email === undefined || password === undefined) {
        throw new ServiceError('SYSTEM', 'Username or password not set in request');
      }
      return jsonAnswer({ response: { status: 'OK', token: sessions.signIn(email, password, clock.now()) } });
    },

    buyer(call) {
      const account = authorize(call);
      const request = readReportRequest(parseBody(call.body, call.contentType), account, parts.lenient);
      if (request.output === 'direct') return reportData(account, request, 'direct', call);
      const report = reports.create(account, request, { nowMs: clock.now(), sizeBytes: call.body.length });
      return jsonAnswer({ response: { ...reports.record(report, clock.now()), ...inProgress } });
    },

    status(call) {
      const { report } = findReport(call);
      reports.assertAlive(report, clock.now());
      report.statusCalls += 1;
      report.fate ??= faults.fateOf(report);
      return jsonAnswer({ response: reports.record(report, clock.now()) });
    },

    download(call) {
      const { account, report } = findReport(call);
      reports.assertDownloadable(report, clock.now());
      return reportData(account, report.request, report.id, call);
    },

    campaigns: (call) => jsonAnswer(parts.fixtures.campaignsOf(authorize(call))),
  };
}

/** The create call answers that the report is in progress, even where it takes no time (`decisions.md` 2). */
const inProgress = { status: 'progress', message: 'progress' };

function readId(given: Parameters): string {
  const value = given.get('id');
  const id = readScalar(value)?.trim();
  if (id) return id;
  const isMissing = value === undefined || value === null || value === '';
  const problem = `${isMissing ? 'is missing' : 'must be one string'}: give the report ID of the create call.`;
  const details = [{ parameter: 'id', problem }];
  throw new ServiceError(isMissing ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER', `id: ${problem}`, { details });
}

/** E-mail and password in any of the shapes of `decisions.md` 1. */
export function readCredentials(given: Parameters): { email: string | undefined; password: string | undefined } {
  const inner = readMembers(given.get('auth')) ?? given;
  const read = (name: string): string | undefined => readScalar(inner.get(name)) || undefined;
  return { email: read('email'), password: read('password') };
}
