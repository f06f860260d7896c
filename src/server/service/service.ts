import { defaultZone, type ReportRequest, type SignedEndpoint } from '../../contract/messages.ts';
import { wallTimeToInstant } from '../calendar.ts';
import { encodeCsv, encodeJson } from '../encode-report.ts';
import { computeReport } from '../engine.ts';
import { type Account, findVisibleCampaigns } from '../fixtures/fixtures.ts';
import { jsonReply, jsonType, type Reply } from '../reply.ts';
import { chooseDataFormat } from '../request/accept.ts';
import type { ServerCall } from '../request/call.ts';
import { isAbsent, type Parameters, parseScalar } from '../request/parse-body.ts';
import { parseReportRequest } from '../request/read-request.ts';
import { RequestErrors } from '../request/request-errors.ts';
import type { Services } from '../services.ts';
import type { StoredReport } from './reports.ts';
import { ServiceError } from './service-error.ts';

/** A report to send. A direct report is not stored and has the ID `direct`. */
type ReportToSend = Pick<StoredReport, 'id' | 'account' | 'request'>;

/** Handles an account's call. Throws `ServiceError`. */
type CallHandler = (services: Services, account: Account, call: ServerCall) => Reply;

/** Handlers of the calls that need a token. */
export const signedCalls: Readonly<Record<SignedEndpoint, CallHandler>> = {
  buyer: createReport,
  status: readStatus,
  download: downloadReport,
  campaigns: listCampaigns,
};

/**
 * `POST /auth-reporting`: returns a token for an e-mail address and password, in any shape of
 * `decisions.md` 1. Throws `ServiceError`.
 */
export function signIn({ sessions, clock }: Services, call: ServerCall): Reply {
  const { auth, ...others } = call.parameters();
  const fields = typeof auth === 'object' && auth !== null ? (auth as Parameters) : others;
  const email = parseScalar(fields.email);
  const password = parseScalar(fields.password);
  if (!email || !password) {
    throw new ServiceError('SYSTEM', 'Username or password not set in request');
  }

  const token = sessions.signIn(email, password, clock.now());
  return jsonReply({ response: { status: 'OK', token } });
}

function createReport(services: Services, account: Account, call: ServerCall): Reply {
  const { options, reports, faults, clock } = services;
  const received = parseReportRequest(call.parameters(), account);
  const request = options.windowClock === 'wall' ? convertWallTimes(received) : received;
  if (request.output === 'direct') {
    return deliver(services, { id: 'direct', account, request }, call);
  }

  const { id } = reports.create({
    account,
    request,
    createdMs: clock.now(),
    finalStatus: faults.applyToReport('buyer', call.request),
  });
  // A new report is in progress even if it takes no time (`decisions.md` 2).
  return jsonReply({ response: { status: 'progress', message: 'progress', report_id: id } });
}

function readStatus({ reports, clock }: Services, account: Account, call: ServerCall): Reply {
  const report = reports.find(readId(call.parameters()), account, clock.now());

  report.statusCalls += 1;
  return jsonReply({ response: reports.toRecord(report, clock.now(), call.request) });
}

function downloadReport(services: Services, account: Account, call: ServerCall): Reply {
  const { reports, clock } = services;
  const report = reports.find(readId(call.parameters()), account, clock.now());

  reports.requireReady(report, clock.now(), call.request);
  return deliver(services, report, call);
}

function listCampaigns({ fixtures }: Services, account: Account, { incoming }: ServerCall): Reply {
  const [, query] = incoming.url?.split('?') ?? [];
  const errors = new RequestErrors();
  for (const name of new URLSearchParams(query).keys()) {
    const problem = 'is not known: this call takes no parameters.';
    errors.add('UNKNOWN_PARAMETER', { parameter: name.slice(0, 80), problem });
  }
  errors.throwIfAny();
  return jsonReply(findVisibleCampaigns(fixtures, account));
}

/** Sends a report, which is computed on the fly. */
function deliver(
  services: Services,
  reportToSend: ReportToSend,
  { incoming, signal }: ServerCall,
): Reply {
  const format = chooseDataFormat(incoming.headers.accept, reportToSend.account.profile);
  if (!format) {
    throw new ServiceError('NOT_ACCEPTABLE', 'Accept must allow application/json or text/csv.');
  }

  const { fixtures, clock, options } = services;
  const { id, account, request } = reportToSend;
  const report = computeReport({
    fixtures,
    account,
    request,
    nowMs: clock.now(),
    restateDays: options.restate ?? 0,
    signal,
  });
  if (format === 'json') return { status: 200, type: jsonType, body: encodeJson(report) };

  return {
    status: 200,
    type: 'text/csv; charset=utf-8; header=present',
    headers: { 'content-disposition': `attachment; filename="report-${id}.csv"` },
    body: encodeCsv(report),
    csv: { json: encodeJson(report), fields: report.fields },
  };
}

function readId({ id }: Parameters): string {
  const text = parseScalar(id)?.trim();
  if (text) return text;

  const problem = 'is missing or not a string: send the report ID of the create call as a string.';
  const errorId = isAbsent(id) ? 'MISSING_PARAMETER' : 'INVALID_PARAMETER';
  throw new ServiceError(errorId, `id: ${problem}`, { details: [{ parameter: 'id', problem }] });
}

function convertWallTimes(request: ReportRequest): ReportRequest {
  const zone = request.timezone ?? defaultZone;
  return {
    ...request,
    since: wallTimeToInstant(request.since, zone, 'first'),
    until: wallTimeToInstant(request.until, zone, 'last'),
  };
}
