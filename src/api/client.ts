import type { Readable } from 'node:stream';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import type { CampaignRecord, StatusRecord } from '../contract/messages.ts';
import { type AdreportError, type ErrorDetails, IncompleteDataError, RejectedError, SignInError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { findCampaigns, findError, findReportId, findStatus, findToken, isReportData } from './answers.ts';
import { type Call, createExchange, type Exchange, type ExchangeOptions, type RequestBody } from './exchange.ts';
import type { HttpResponse } from './http.ts';
import { parseJson, peek, readText } from './read-body.ts';
import { parseRetryAfter } from './retry.ts';

/** What a sign-in exchanges for a token. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The account, and how its calls are made. */
export interface ClientOptions extends ExchangeOptions {
  readonly token: string | undefined;
  /** Where given, a refused token is renewed once a call, and the call repeated. */
  readonly credentials: Credentials | undefined;
  /** Told of every token that comes in, so that it can be kept out of the output. */
  readonly onToken?: (token: string) => void;
}

/** A report's data on its way in; `body` is decompressed and read once. */
export interface ReportAnswer {
  readonly body: AsyncIterable<Buffer>;
  readonly contentType: string | undefined;
  /** The length of the answer, where the service said it and did not compress. */
  readonly sizeBytes: number | undefined;
}

/** What a create call led to: a report to wait for, or the data at once (`output=direct`, `decisions.md` 2). */
export type Created<T> =
  | { readonly kind: 'report'; readonly id: string; readonly status: string }
  | { readonly kind: 'data'; readonly result: T };

/** One status call's answer; `retryAfterMs` where the service said when to ask again. */
interface StatusAnswer extends StatusRecord {
  readonly retryAfterMs?: number;
}

/**
 * The five calls of the service, their answers read liberally (`decisions.md`). Every method throws `SignInError` for a
 * refused token, `RejectedError` for another refusal, `UnreachableError` once the retries are used up, and
 * `IncompleteDataError` for an answer that is cut short or holds something else.
 */
export interface Client {
  /** Exchanges e-mail and password for a token, which the later calls use. Throws `SignInError` without them. */
  signIn(): Promise<string>;
  /**
   * Asks for a report; `takeData` is called where the answer is the data itself. Made once: it is repeated only where
   * it cannot have arrived, or as `repeatsRefusedCreates` says. An error tells if a report may exist all the same.
   */
  createReport<T>(body: RequestBody, takeData: (answer: ReportAnswer) => Promise<T>): Promise<Created<T>>;
  /**
   * How a report stands. Throws `ReportFailedError` for one that has expired.
   * @param patienceMs how long the call may go on being repeated, where it fails in passing
   */
  status(reportId: string, patienceMs?: number): Promise<StatusAnswer>;
  /**
   * Downloads a report; `take` is called anew, from zero, for each try, and what it throws is thrown on. Throws
   * `StillInProgressError` for a report that is not ready, `ReportFailedError` for one that has expired.
   */
  download<T>(reportId: string, take: (answer: ReportAnswer) => Promise<T>): Promise<T>;
  /** Every campaign that the account sees. */
  campaigns(): Promise<CampaignRecord[]>;
}

const statusBytesAtMost = 1024 * 1024;
const campaignBytesAtMost = 256 * 1024 * 1024;
const jsonType = 'application/json';

function jsonBody(value: unknown): RequestBody {
  return { contentType: jsonType, text: JSON.stringify(value) };
}

/** What sets the calls apart for an exchange. */
function traitsOf(endpoint: EndpointName) {
  return {
    // Each create that arrives is a report more; the other calls change nothing.
    repeatable: endpoint !== 'buyer',
    isBrief: endpoint === 'status',
    namesReport: endpoint === 'status' || endpoint === 'download',
  };
}

/** A client for one account of one service (specification, Endpoints and Authentication). */
export function createClient(options: ClientOptions): Client {
  const exchange: Exchange = createExchange(options);
  let token = options.token;
  let signingIn: Promise<string> | undefined;

  /** Signs in once, however many calls wait for it. */
  function signIn(): Promise<string> {
    signingIn ??= requestToken(exchange, options.credentials)
      .then((fresh) => {
        token = fresh;
        options.onToken?.(fresh);
        return fresh;
      })
      .finally(() => {
        signingIn = undefined;
      });
    return signingIn;
  }

  /** A new token after one was refused, unless another call has fetched one meanwhile; `undefined` without credentials. */
  async function renew(refused: string): Promise<string | undefined> {
    if (!options.credentials) return undefined;
    return token !== undefined && token !== refused ? token : signIn();
  }

  async function call<T>(
    endpoint: Exclude<EndpointName, 'auth'>,
    { body, patienceMs }: Pick<Call, 'patienceMs'> & { readonly body?: RequestBody },
    read: (response: HttpResponse) => Promise<T>,
  ): Promise<T> {
    const authorization = { token: token ?? (await signIn()), renew };
    return exchange.perform({ ...endpoints[endpoint], ...traitsOf(endpoint), body, patienceMs, authorization }, read);
  }

  return {
    signIn,
    createReport: (body, takeData) => call('buyer', { body }, (response) => readCreated(response, takeData)),
    status: (reportId, patienceMs) =>
      call('status', { body: jsonBody({ id: reportId }), patienceMs }, async (response) => {
        const answer = parseJson(await readText(response.body, statusBytesAtMost), response);
        const found = findStatus(answer);
        if (!found) throw unexpected(answer, 'The status call was answered without a status.', { reportId });
        const retryAfterMs = parseRetryAfter(response.headers['retry-after'], options.wallClock());
        return { ...found, report_id: reportId, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      }),
    download: (reportId, take) =>
      call('download', { body: jsonBody({ id: reportId }) }, (response) => take(reportAnswer(response, response.body))),
    campaigns: () =>
      call('campaigns', {}, async (response) => {
        const answer = parseJson(await readText(response.body, campaignBytesAtMost), response);
        const found = findCampaigns(answer);
        if (!found) throw unexpected(answer, 'The campaign list was answered with something else than a list.');
        return found;
      }),
  };
}

/** What can be sent as the value of a header (RFC 9110, 5.5), without blanks. */
const isHeaderText = /^[\x21-\x7e]+$/;

/** Exchanges e-mail and password for a token. */
async function requestToken(exchange: Exchange, credentials: Credentials | undefined): Promise<string> {
  if (!credentials) {
    throw new SignInError('You are not signed in: there is no token.', {
      hint: 'Run: adreport login (unattended: set ADREPORT_TOKEN). To try without an account, add --local.',
    });
  }
  const { email, password } = credentials;
  const body = jsonBody({ auth: { email, password } });
  return exchange.perform(
    { ...endpoints.auth, body, repeatable: true, isSignIn: true, isBrief: true },
    async (response) => {
      const answer = parseJson(await readText(response.body, statusBytesAtMost), response);
      const found = findToken(answer);
      if (found !== undefined && isHeaderText.test(found)) return found;
      if (found !== undefined) {
        throw new IncompleteDataError('The sign-in was answered with a token that no header can hold.', {
          retryable: false,
          hint: 'Check the base URL: adreport whoami shows it.',
        });
      }
      const refused = findError(answer);
      if (refused) throw new SignInError(`The service refused the sign-in. ${printable(refused.message)}`);
      throw new IncompleteDataError('The sign-in was answered without a token.');
    },
  );
}

const peekedBytes = 64 * 1024;

/** Tells a report id from report data by the beginning of the answer, so that data of any size can be streamed. */
async function readCreated<T>(
  response: HttpResponse,
  takeData: (answer: ReportAnswer) => Promise<T>,
): Promise<Created<T>> {
  const { start, isWhole, all } = await peek(response.body, peekedBytes);
  const data = async (): Promise<Created<T>> => ({
    kind: 'data',
    result: await takeData(reportAnswer(response, all)),
  });
  const text = start.toString('utf8');
  if (/\bcsv\b/i.test(response.headers['content-type'] ?? '') || !isWhole || looksLikeCsv(text)) return data();
  const answer = parseJson(text, response);
  if (isReportData(answer)) return data();
  const id = findReportId(answer);
  if (id === undefined) {
    throw unexpected(answer, 'The report was asked for, but the answer holds no report id.', {
      retryable: false,
      hint: 'A report may have been created all the same. Is the base URL the reporting service’s?',
    });
  }
  return { kind: 'report', id, status: findStatus(answer)?.status ?? 'progress' };
}

/** Lines of fields rather than JSON or a page: CSV that was sent under another name. */
function looksLikeCsv(text: string): boolean {
  return /^\uFEFF?\s*[^\s{["<][^\r\n]*[\r\n]/.test(text);
}

/** The error for an answer that lacks what it should hold: the service's own where it names one. */
function unexpected(answer: unknown, sentence: string, details: ErrorDetails = {}): AdreportError {
  const error = findError(answer);
  if (!error) return new IncompleteDataError(sentence, details);
  const { errorId, message } = error;
  const { reportId } = details;
  return new RejectedError(`The service rejected the request. ${printable(message)}`, {
    ...(errorId === undefined ? {} : { code: printable(errorId) }),
    ...(reportId === undefined ? {} : { reportId }),
  });
}

function reportAnswer(response: HttpResponse, body: Readable | AsyncIterable<Buffer>): ReportAnswer {
  const length = response.headers['content-encoding'] ? undefined : Number(response.headers['content-length']);
  return {
    body: body as AsyncIterable<Buffer>,
    contentType: response.headers['content-type'],
    sizeBytes: length !== undefined && Number.isSafeInteger(length) ? length : undefined,
  };
}
