import { findBareId, isCsv, isPage, startsAsJson, startsAsReport } from '../contract/body-kind.ts';
import {
  type CampaignList,
  type Encoding,
  type StatusRecord,
  tokenPattern,
} from '../contract/messages.ts';
import { type AdreportError, isNotSignedIn, SignInError, StillInProgressError } from '../errors.ts';
import { maxServiceText, printable } from '../text/printable.ts';
import { tryJson } from './exact-json.ts';
import { hintFor } from './hints.ts';
import type { HttpResponse } from './http.ts';
import {
  containsRows,
  findCampaigns,
  findReportId,
  findToken,
  isReportData,
  parseJson,
  peek,
  readText,
  recordIn,
  refusesSignIn,
  UnreadableResponse,
} from './parse-responses.ts';
import { withoutTokens } from './redaction.ts';
import type { SignInOrigin } from './refusal.ts';
import {
  type Call,
  type CallBody,
  type CallerHost,
  type CallerOptions,
  type ReadResponse,
  RetryingCaller,
  type TimedResponse,
  type TryCount,
} from './retrying-caller.ts';

/** Exchanged for a token. */
export interface Credentials {
  readonly email: string;

  /** A function finds the password when it is needed. */
  readonly password: string | (() => Promise<string>);
}

export interface ClientOptions extends CallerOptions {
  readonly token: string | undefined;

  /** Source of the token and the credentials; absent if they were just typed. */
  readonly origin?: SignInOrigin | undefined;

  /** Renew a refused token once per call. */
  readonly credentials: Credentials | undefined;

  /** Keeps a new token out of all output. */
  readonly hide: (token: string) => void;
}

/** A response that contains a report's data, which is still to be read. */
export interface ReportResponse {
  /** True for a response with status 206. */
  readonly isPart: boolean;

  /** Decompressed; can be read once. Its errors are `AdreportError`s. */
  readonly body: AsyncIterable<Buffer>;
  readonly contentType: string | undefined;

  /** `undefined` if the length is unknown or the body was compressed. */
  readonly sizeBytes: number | undefined;

  /** `Date` of the response, in milliseconds since 1970. */
  readonly serviceMs?: number | undefined;

  /** Ends the transfer. Only needed if the body is not read. */
  close(): void;
}

/** Result of a create call: a report id, or the data (`output=direct`, `decisions.md` 2). */
export type CreatedReport =
  | {
      readonly kind: 'report';
      readonly id: string;
      readonly status: string;

      /** `Date` of the response, in milliseconds since 1970. */
      readonly serviceMs?: number | undefined;
    }
  | { readonly kind: 'data'; readonly response: ReportResponse };

interface ReportCreation {
  readonly body: CallBody;

  /** True if the data is requested. A response with rows is then the report, even with an id. */
  readonly isDirect?: boolean;
}

/** Status of a report, and when to call again. */
export interface StatusResponse extends StatusRecord {
  readonly retryAfterMs?: number | undefined;
}

/** What a client has learnt from the service; shared by the clients of one account. */
interface Session {
  token: string | undefined;
  hasCreatedReport?: boolean;
  signingIn?: Promise<string> | undefined;
}

/**
 * Calls the service for one account and reads its responses (`decisions.md`). Every method throws
 * `SignInError` for a refused token, `RejectedError` for another refusal, `UnreachableError` after
 * the last retry, and `IncompleteDataError` for a response that is cut or unexpected.
 */
export class Client {
  readonly host: CallerHost;
  readonly encoding: Encoding;
  readonly #options: ClientOptions;
  readonly #caller: RetryingCaller;
  readonly #unknownWords = new Set<string>();
  readonly #session: Session;

  constructor(options: ClientOptions, session: Session = { token: options.token }) {
    this.host = options.host;
    this.encoding = options.encoding;
    this.#options = options;
    this.#caller = new RetryingCaller(options);
    this.#session = session;
  }

  /** The service has accepted a report request of this account. */
  get hasCreatedReport(): boolean {
    return this.#session.hasCreatedReport === true;
  }

  /** Returns the same client with another signal, which ends its calls. */
  withSignal(signal: AbortSignal): Client {
    const host = { ...this.#options.host, signal };
    return new Client({ ...this.#options, host }, this.#session);
  }

  /**
   * Exchanges e-mail and password for a token, which later calls use. Concurrent calls share one
   * sign-in, and a failed one is not repeated. Throws `SignInError` without e-mail and password.
   */
  signIn(): Promise<string> {
    this.#session.signingIn ??= this.#requestToken().then((token) => {
      this.#session.signingIn = undefined;
      return token;
    });
    return this.#session.signingIn;
  }

  /** An error says if a report may exist anyway. */
  async createReport({ body, isDirect = false }: ReportCreation): Promise<CreatedReport> {
    const created = await this.#call({ endpoint: 'buyer', body }, (response) =>
      readCreated(response, isDirect),
    );
    this.#session.hasCreatedReport = true;
    return created;
  }

  /** Retries for `retryForMs`. Throws `ReportFailedError` if the report is gone. */
  status(id: string, retryForMs?: number): Promise<StatusResponse> {
    const body = this.#bodyOfId(id);
    return this.#call({ endpoint: 'status', body, reportId: id, retryForMs }, (response) =>
      this.#readStatus(response, id),
    );
  }

  /**
   * Begins to download a report. Throws `StillInProgressError` if the report is not ready, and
   * `ReportFailedError` if it has failed or expired.
   */
  download(id: string, count?: TryCount): Promise<ReportResponse> {
    const body = this.#bodyOfId(id);
    return this.#call({ endpoint: 'download', body, reportId: id, count }, (response) =>
      readReport(response, id),
    );
  }

  /**
   * Pauses before a download is repeated whose body was cut, and prints why. Throws the error if it
   * is not to be repeated.
   */
  pauseAfterCut(error: AdreportError, count: TryCount): Promise<void> {
    return this.#caller.pause(error, count);
  }

  campaigns(): Promise<CampaignList> {
    return this.#call({ endpoint: 'campaigns' }, readCampaignList);
  }

  /** Makes a call with the token. A refused token is renewed once, unless another call just did. */
  async #call<Result>(call: Call, read: ReadResponse<Result>): Promise<Result> {
    const token = this.#session.token ?? (await this.signIn());
    try {
      return await this.#callWith(token, call, read);
    } catch (error) {
      if (!isNotSignedIn(error) || !this.#options.credentials) throw error;
      const isRenewed = this.#session.token !== undefined && this.#session.token !== token;
      const renewed = isRenewed ? this.#session.token : await this.signIn();
      return this.#callWith(renewed, call, read);
    }
  }

  #callWith<Result>(
    token: string | undefined,
    call: Call,
    read: ReadResponse<Result>,
  ): Promise<Result> {
    const { token: givenToken, origin } = this.#options;
    // The origin is that of the token which was given, not of one that a sign-in issued.
    return this.#caller.call({ ...call, token, ...(token === givenToken && { origin }) }, read);
  }

  async #requestToken(): Promise<string> {
    const { credentials, encoding, hide, origin, wording } = this.#options;
    if (!credentials) {
      throw new SignInError('You are not signed in: there is no token.', {
        hint: hintFor('signIn', wording),
      });
    }
    const { email, password: given } = credentials;
    const password = typeof given === 'string' ? given : await given();
    hide(password);
    const body = bodyIn(encoding, {
      json: { auth: { email, password } },
      form: { 'auth[email]': email, 'auth[password]': password },
    });
    const token = await this.#caller.call({ endpoint: 'auth', body, origin }, readToken);
    hide(token);
    this.#session.token = token;
    return token;
  }

  #bodyOfId(id: string): CallBody {
    return bodyIn(this.#options.encoding, { json: { id }, form: { id } });
  }

  async #readStatus(response: TimedResponse, id: string): Promise<StatusResponse> {
    const { redact } = this.#options;
    const { retryAfterMs } = response;
    if (response.status === 202) {
      response.body.destroy();
      return { status: 'progress', message: 'progress', report_id: id, retryAfterMs };
    }

    const text = await readText(response);
    const document = parseJson(text, response);
    const { status, outcome, message = status, isError } = recordIn(document);
    if (status === '' || (isError && outcome !== 'failed')) {
      throw new UnreadableResponse('has no status', { text, document });
    }
    if (!outcome) this.#noteUnknownWord(status, id);
    return { status: redact(status), message: redact(message), report_id: id, retryAfterMs };
  }

  /** Notes an unknown status word, once, with what to try. */
  #noteUnknownWord(status: string, id: string): void {
    if (this.#unknownWords.has(status)) return;
    this.#unknownWords.add(status);
    this.#options.note(
      `Unknown report status “${printable(status)}”; still waiting. ` +
        `If it never changes, try: adreport download ${printable(id)}`,
    );
  }
}

/** Reads a report id or report data, depending on the beginning of the response. */
async function readCreated(response: HttpResponse, isDirect: boolean): Promise<CreatedReport> {
  const { start, isWhole, all } = await peek(response.body);
  const contentType = response.headers['content-type'];
  const bareId = isWhole ? findBareId(start, contentType) : undefined;
  const serviceMs = readDate(response);
  if (bareId !== undefined) {
    return { kind: 'report', id: bareId, status: 'progress', serviceMs };
  }

  const mayBeRecord = isWhole && !isCsv(start, contentType);
  const document = mayBeRecord ? parseJson(start, response) : undefined;
  const isData = isReportData(document) || (isDirect && containsRows(document));
  if (document === undefined || isData) {
    return { kind: 'data', response: toReportResponse(response, all) };
  }

  const id = findReportId(document);
  const { isError, status } = recordIn(document);
  if (id === undefined || isError) {
    throw new UnreadableResponse('has no ID', { text: start, document });
  }
  if (id.length > maxServiceText) {
    const problem = `has an ID of more than ${maxServiceText} characters`;
    throw new UnreadableResponse(problem, { text: start, document });
  }
  return { kind: 'report', id, status: status || 'progress', serviceMs };
}

/** Reads the beginning of a report. Throws if it is a record that says why there is none. */
async function readReport(response: TimedResponse, reportId: string): Promise<ReportResponse> {
  const { retryAfterMs } = response;
  if (response.status === 202) {
    response.body.destroy();
    throw new StillInProgressError('The report is not ready. (202)', {
      httpStatus: 202,
      retryAfterMs,
      reportId,
    });
  }

  const { start, isWhole, all } = await peek(response.body, startsAsReport);
  const isEmpty = isWhole && start.trim() === '';
  if (isEmpty) throw new UnreadableResponse('is empty');
  if (isPage(start)) throw new UnreadableResponse('is a web page', { text: start });
  const document = isWhole && startsAsJson(start) ? tryJson(start) : undefined;
  const isData = isReportData(document) || containsRows(document);
  if (document === undefined || isData) return toReportResponse(response, all);
  throw new UnreadableResponse('is not a report', { text: start, document });
}

function toReportResponse(response: HttpResponse, body: AsyncIterable<Buffer>): ReportResponse {
  const { headers, status } = response;
  const length = headers['content-length'] ?? '';
  const hasSize = headers['content-encoding'] === undefined && /^\d{1,15}$/.test(length);
  return {
    body,
    contentType: headers['content-type'],
    sizeBytes: hasSize ? Number(length) : undefined,
    serviceMs: readDate(response),
    isPart: status === 206,
    close: () => void response.body.destroy(),
  };
}

/** Writes one of two forms of the same body. */
function bodyIn(
  encoding: Encoding,
  { json, form }: { readonly json: object; readonly form: Record<string, string> },
): CallBody {
  if (encoding === 'json') return { contentType: 'application/json', text: JSON.stringify(json) };
  const text = new URLSearchParams(form).toString();
  return { contentType: 'application/x-www-form-urlencoded', text };
}

/** Longer than any response to a sign-in. */
const maxSignInCharacters = 64 * 1024;

async function readToken(response: HttpResponse): Promise<string> {
  const text = (await readText(response)).slice(0, maxSignInCharacters);
  const bareToken = findToken(text);
  if (bareToken) return bareToken;

  // Errors must not contain what may be a token.
  const document = tryJson(text) ?? parseJson(withoutTokens(text), response);
  const token = findToken(document);
  if (token === undefined || refusesSignIn(recordIn(document))) {
    throw new UnreadableResponse('has no token', { text, document });
  }

  if (tokenPattern.test(token)) return token;
  throw new UnreadableResponse('has a token that does not fit in a header');
}

async function readCampaignList(response: HttpResponse): Promise<CampaignList> {
  const text = await readText(response);
  const document = parseJson(text, response);
  const campaigns = findCampaigns(document);
  if (!campaigns) throw new UnreadableResponse('is not a list of campaigns', { text, document });
  return {
    campaigns,
    document,
    isPart: response.status === 206,
  };
}

/** Reads `Date` in milliseconds since 1970; `undefined` if there is none. */
function readDate({ headers }: HttpResponse): number | undefined {
  const ms = Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
