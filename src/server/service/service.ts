import { defaultZone, type EndpointName, type ReportRequest } from '../../contract/messages.ts';
import { type Answer, jsonAnswer, jsonType } from '../answer.ts';
import { instantOfWallTime } from '../calendar.ts';
import { chooseDataFormat, encodeCsv, encodeJson } from '../delivery.ts';
import { computeReport } from '../engine.ts';
import type { Faults } from '../faults/faults.ts';
import { type Account, campaignsOf, type Fixtures } from '../fixtures/fixtures.ts';
import type { LocalServerOptions } from '../local-server.ts';
import { type Parameters, readScalar } from '../request/parse-body.ts';
import { readReportRequest } from '../request/read-request.ts';
import type { RequestLog } from '../request-log.ts';
import type { Reports } from './reports.ts';
import { ServiceError } from './service-error.ts';
import type { Sessions } from './sessions.ts';

/** What a running server is made of. */
export interface ServiceParts {
  readonly options: LocalServerOptions;
  /** The server's clock, in milliseconds since 1970, which tests have advanced by so much. */
  readonly now: () => number;
  advancedMs: number;
  readonly log: RequestLog;
  readonly sessions: Sessions;
  readonly reports: Reports;
  readonly faults: Faults;
  /** The data as it is now: an edited folder brings new ones. */
  fixtures: Fixtures;
}

/** A call as the service sees it; what its body says and whose it is may be a `ServiceError` that is thrown. */
export interface ServiceCall {
  parameters(): Parameters;
  account(): Account;
  readonly accept: string | undefined;
  readonly sizeBytes: number;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** The five calls of the service, apart from HTTP: what comes in, what goes out. They throw `ServiceError`. */
export function createService(
  parts: ServiceParts,
): Readonly<Record<EndpointName, (call: ServiceCall) => Answer>> {
  const { now, sessions, reports, options } = parts;

  function reportData(
    account: Account,
    request: ReportRequest,
    id: string,
    { accept, signal }: ServiceCall,
  ): Answer {
    const format = chooseDataFormat(accept, account.profile);
    if (!format)
      throw new ServiceError('NOT_ACCEPTABLE', 'A report is application/json or text/csv.');
    const context = { nowMs: now(), restateDays: options.restateDays ?? 0, signal };
    const report = computeReport(parts.fixtures, account, request, context);
    if (format === 'json') return { status: 200, type: jsonType, body: encodeJson(report) };
    const headers = { 'content-disposition': `attachment; filename="report-${id}.csv"` };
    return {
      status: 200,
      type: 'text/csv; charset=utf-8; header=present',
      headers,
      body: encodeCsv(report),
    };
  }

  return {
    auth(call) {
      const { email, password } = readCredentials(call.parameters());
      if (email === undefined || password === undefined) {
        throw new ServiceError('SYSTEM', 'Username or password not set in request');
      }
      return jsonAnswer({
        response: { status: 'OK', token: sessions.signIn(email, password, now()) },
      });
    },
    buyer(call) {
      const account = call.account();
      let request = readReportRequest(call.parameters(), account, options.lenient ?? false);
      if (options.windowClock === 'wall') {
        const zone = request.timezone ?? defaultZone;
        const since = instantOfWallTime(request.since, zone, 'first');
        request = { ...request, since, until: instantOfWallTime(request.until, zone, 'last') };
      }
      if (request.output === 'direct') return reportData(account, request, 'direct', call);
      const report = reports.create({
        account,
        request,
        createdMs: now(),
        sizeBytes: call.sizeBytes,
      });
      // A report is in progress even where it takes no time (`decisions.md` 2).
      return jsonAnswer({
        response: { status: 'progress', message: 'progress', report_id: report.id },
      });
    },
    status(call) {
      const account = call.account();
      const report = reports.find(readId(call.parameters()), account, now());
      report.statusCalls += 1;
      return jsonAnswer({ response: reports.record(report, now()) });
    },
    download(call) {
      const account = call.account();
      const report = reports.find(readId(call.parameters()), account, now());
      reports.assertDownloadable(report, now());
      return reportData(account, report.request, report.id, call);
    },
    campaigns: (call) => jsonAnswer(campaignsOf(parts.fixtures, call.account())),
  };
}

function readId({ id }: Parameters): string {
  const text = readScalar(id)?.trim();
  if (text) return text;
  const problem = 'is missing, or is no text: send the report ID of the create call as a string.';
  const errorId =
    id === undefined || id === null || id === '' ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER';
  throw new ServiceError(errorId, `id: ${problem}`, { details: [{ parameter: 'id', problem }] });
}

/** E-mail and password in any of the shapes of `decisions.md` 1. */
export function readCredentials(given: Parameters): {
  email: string | undefined;
  password: string | undefined;
} {
  const inner = typeof given.auth === 'object' && given.auth !== null ? given.auth : given;
  const read = (name: string): string | undefined =>
    readScalar((inner as Parameters)[name]) || undefined;
  return { email: read('email'), password: read('password') };
}
