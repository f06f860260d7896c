import { defaultZone, type ReportRequest, type SignedEndpoint } from '../../contract/messages.ts';
import { type Answer, jsonAnswer, jsonType } from '../answer.ts';
import { instantOfWallTime } from '../calendar.ts';
import { encodeCsv, encodeJson } from '../delivery.ts';
import { Report } from '../engine.ts';
import { type Account, campaignsOf } from '../fixtures/fixtures.ts';
import type { FaultRequest } from '../local-server.ts';
import { chooseDataFormat } from '../request/accept.ts';
import { type Parameters, readScalar } from '../request/parse-body.ts';
import { readReportRequest } from '../request/read-request.ts';
import type { Services } from '../services.ts';
import { type HeldReport, unknownReport } from './reports.ts';
import { ServiceError } from './service-error.ts';

/** A call as the service sees it, apart from HTTP. */
export interface ServiceCall {
  /** What its body says. Throws `ServiceError` where that cannot be read. */
  parameters(): Parameters;
  readonly accept: string | undefined;

  /** The names in its query string. */
  readonly query: readonly string[];
  readonly bodyBytes: number;

  /** The call as faults see it. */
  readonly seen: FaultRequest;

  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** E-mail and password, as far as a call gave them. */
interface Credentials {
  readonly email: string | undefined;
  readonly password: string | undefined;
}

/** A report whose data are asked for; `direct` is the id of one that is not kept. */
type DeliveredReport = Pick<HeldReport, 'id' | 'account' | 'request'>;

/** Answers a call of an account that was let in. Throws `ServiceError` for what is refused. */
type AnswerCall = (services: Services, account: Account, call: ServiceCall) => Answer;

/** What answers each call that carries a token. */
export const signedCalls: Readonly<Record<SignedEndpoint, AnswerCall>> = {
  buyer: createReport,
  status: tellStatus,
  download: downloadReport,
  campaigns: listCampaigns,
};

/**
 * `POST /auth-reporting`: a token for the right e-mail and password. Throws `ServiceError` where
 * they are not.
 */
export function signIn({ sessions, clock }: Services, { email, password }: Credentials): Answer {
  if (email === undefined || password === undefined) {
    throw new ServiceError('SYSTEM', 'Username or password not set in request');
  }

  const token = sessions.signIn(email, password, clock.now());
  return jsonAnswer({ response: { status: 'OK', token } });
}

function createReport(services: Services, account: Account, call: ServiceCall): Answer {
  const { options, reports, faults, clock } = services;
  const isLenient = options.lenient ?? false;
  const written = readReportRequest(call.parameters(), account, isLenient);
  const request = options.windowClock === 'wall' ? fromWallTime(written) : written;
  if (request.output === 'direct') {
    return deliver(services, { id: 'direct', account, request }, call);
  }

  const { id } = reports.create({
    account,
    request,
    createdMs: clock.now(),
    sizeBytes: call.bodyBytes,
    end: faults.endAtCreate(account, call.seen),
  });
  // A report is in progress even where it takes no time (`decisions.md` 2).
  const response = { status: 'progress', message: 'progress', report_id: id };
  return { ...jsonAnswer({ response }), reportId: id };
}

function tellStatus({ reports, clock }: Services, account: Account, call: ServiceCall): Answer {
  const report = reports.find(readId(call.parameters()), account, clock.now());

  report.statusCalls += 1;
  return jsonAnswer({ response: reports.recordOf(report, clock.now(), call.seen) });
}

function downloadReport(services: Services, account: Account, call: ServiceCall): Answer {
  const { reports, clock } = services;
  const report = reports.find(readId(call.parameters()), account, clock.now());

  reports.assertDownloadable(report, clock.now(), call.seen);
  return deliver(services, report, call);
}

function listCampaigns(
  { fixtures, options }: Services,
  account: Account,
  call: ServiceCall,
): Answer {
  const { query } = call;
  if (query.length > 0 && !options.lenient) throw unknownQuery(query);
  return jsonAnswer(campaignsOf(fixtures, account));
}

/** The refusal of a call that takes nothing in its query string. */
function unknownQuery(names: readonly string[]): ServiceError {
  const problem = 'is not known: this call takes no parameters.';
  const details = names.slice(0, 100).map((name) => ({ parameter: name.slice(0, 80), problem }));
  const [first] = details;
  const sentence = `${first?.parameter}: ${problem}`;
  return new ServiceError('UNKNOWN_PARAMETER', sentence, { details });
}

/** The data of a report, computed while they are sent. */
function deliver(
  services: Services,
  delivered: DeliveredReport,
  { accept, signal }: ServiceCall,
): Answer {
  const format = chooseDataFormat(accept, delivered.account.profile);
  if (!format) {
    throw new ServiceError('NOT_ACCEPTABLE', 'A report is application/json or text/csv.');
  }

  const report = reportNow(services, delivered, signal);
  if (format === 'json') return { status: 200, type: jsonType, body: encodeJson(report) };

  return {
    status: 200,
    type: 'text/csv; charset=utf-8; header=present',
    headers: { 'content-disposition': `attachment; filename="report-${delivered.id}.csv"` },
    body: encodeCsv(report),
    csv: { json: encodeJson(report), fields: report.fields },
  };
}

/** A report as it is known now. */
function reportNow(
  { fixtures, clock, options }: Services,
  { account, request }: DeliveredReport,
  signal: AbortSignal,
): Report {
  return new Report({
    fixtures,
    account,
    request,
    nowMs: clock.now(),
    restateDays: options.restateDays ?? 0,
    signal,
  });
}

/**
 * The rows of a report of any account, as CSV that a browser shows. Throws `ServiceError` where it
 * is not there, or not ready.
 */
export function answerRows(services: Services, id: string, signal: AbortSignal): Answer {
  const { reports, clock } = services;
  const report = reports.get(id);
  if (!report) throw unknownReport(id);

  reports.assertDownloadable(report, clock.now());
  const body = encodeCsv(reportNow(services, report, signal));
  return {
    status: 200,
    type: 'text/plain; charset=utf-8',
    headers: { 'x-content-type-options': 'nosniff' },
    body,
  };
}

/** E-mail and password in any of the shapes of `decisions.md` 1. */
export function readCredentials(parameters: Parameters): Credentials {
  const { auth } = parameters;
  const fields = typeof auth === 'object' && auth !== null ? (auth as Parameters) : parameters;
  return {
    email: readScalar(fields.email) || undefined,
    password: readScalar(fields.password) || undefined,
  };
}

function readId({ id }: Parameters): string {
  const text = readScalar(id)?.trim();
  if (text) return text;

  const problem = 'is missing, or is no text: send the report ID of the create call as a string.';
  const isAbsent = id === undefined || id === null || id === '';
  const errorId = isAbsent ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER';
  throw new ServiceError(errorId, `id: ${problem}`, { details: [{ parameter: 'id', problem }] });
}

/** A request whose window is written as wall time, with its window as instants. */
function fromWallTime(request: ReportRequest): ReportRequest {
  const zone = request.timezone ?? defaultZone;
  return {
    ...request,
    since: instantOfWallTime(request.since, zone, 'first'),
    until: instantOfWallTime(request.until, zone, 'last'),
  };
}
