import { defaultZone, type EndpointName, type ReportRequest } from '../../contract/messages.ts';
import { type Answer, jsonAnswer, jsonType } from '../answer.ts';
import { instantOfWallTime } from '../calendar.ts';
import { encodeCsv, encodeJson } from '../delivery.ts';
import { computeReport } from '../engine.ts';
import { type Account, campaignsOf } from '../fixtures/fixtures.ts';
import { chooseDataFormat } from '../request/accept.ts';
import { type Parameters, readScalar } from '../request/parse-body.ts';
import { readReportRequest } from '../request/read-request.ts';
import type { Services } from '../services.ts';
import type { HeldReport } from './reports.ts';
import { ServiceError } from './service-error.ts';

/** A call as the service sees it, apart from HTTP. */
export interface ServiceCall {
  /** What its body says. Throws `ServiceError` where that cannot be read. */
  parameters(): Parameters;
  readonly accept: string | undefined;
  readonly bodyBytes: number;
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

/** The five calls of the service. What is refused is thrown as a `ServiceError`. */
export class ReportingService {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Answers a call of an account that was let in. */
  answer(endpoint: Exclude<EndpointName, 'auth'>, account: Account, call: ServiceCall): Answer {
    if (endpoint === 'campaigns') return this.#listCampaigns(account);
    if (endpoint === 'buyer') return this.#createReport(account, call);
    if (endpoint === 'status') return this.#tellStatus(account, call);
    return this.#download(account, call);
  }

  /** `POST /auth-reporting`: a token for the right e-mail and password. */
  signIn({ email, password }: Credentials): Answer {
    if (email === undefined || password === undefined) {
      throw new ServiceError('SYSTEM', 'Username or password not set in request');
    }

    const { sessions, clock } = this.#services;
    const token = sessions.signIn(email, password, clock.now());
    return jsonAnswer({ response: { status: 'OK', token } });
  }

  #createReport(account: Account, call: ServiceCall): Answer {
    const { options, reports, clock } = this.#services;
    const isLenient = options.lenient ?? false;
    const written = readReportRequest(call.parameters(), account, isLenient);
    const request = options.windowClock === 'wall' ? fromWallTime(written) : written;
    if (request.output === 'direct') return this.#deliver({ id: 'direct', account, request }, call);

    const createdMs = clock.now();
    const { id } = reports.create({ account, request, createdMs, sizeBytes: call.bodyBytes });
    // A report is in progress even where it takes no time (`decisions.md` 2).
    return jsonAnswer({ response: { status: 'progress', message: 'progress', report_id: id } });
  }

  #tellStatus(account: Account, call: ServiceCall): Answer {
    const { reports, clock } = this.#services;
    const report = reports.find(readId(call.parameters()), account, clock.now());

    report.statusCalls += 1;
    return jsonAnswer({ response: reports.recordOf(report, clock.now()) });
  }

  #download(account: Account, call: ServiceCall): Answer {
    const { reports, clock } = this.#services;
    const report = reports.find(readId(call.parameters()), account, clock.now());

    reports.assertDownloadable(report, clock.now());
    return this.#deliver(report, call);
  }

  #listCampaigns(account: Account): Answer {
    return jsonAnswer(campaignsOf(this.#services.fixtures, account));
  }

  /** The data of a report, computed while they are sent. */
  #deliver({ id, account, request }: DeliveredReport, { accept, signal }: ServiceCall): Answer {
    const format = chooseDataFormat(accept, account.profile);
    if (!format) {
      throw new ServiceError('NOT_ACCEPTABLE', 'A report is application/json or text/csv.');
    }

    const { fixtures, clock, options } = this.#services;
    const report = computeReport({
      fixtures,
      account,
      request,
      nowMs: clock.now(),
      restateDays: options.restateDays ?? 0,
      restateTailDays: options.restateTailDays ?? 0,
      signal,
    });
    if (format === 'json') return { status: 200, type: jsonType, body: encodeJson(report) };

    return {
      status: 200,
      type: 'text/csv; charset=utf-8; header=present',
      headers: { 'content-disposition': `attachment; filename="report-${id}.csv"` },
      body: encodeCsv(report),
    };
  }
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
