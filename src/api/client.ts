import { bareIdIn, isCsv, startsAsJson, startsAsReport } from '../contract/body-kind.ts';
import type { CampaignList, Encoding, ResponseFacts, StatusRecord } from '../contract/messages.ts';
import {
  AdreportError,
  IncompleteDataError,
  isInterruption,
  isNotSignedIn,
  SignInError,
  StillInProgressError,
} from '../errors.ts';
import { maxServiceText, printable } from '../text/printable.ts';
import {
  charsetOf,
  containsRows,
  decodeToUtf8,
  findCampaigns,
  findReportId,
  findToken,
  hasNextLink,
  isReportData,
  parseJson,
  peek,
  readText,
  recordIn,
  refusesSignIn,
  shortenResponse,
} from './answers.ts';
import { tryJson } from './exact-json.ts';
import {
  bodyError,
  type Call,
  type CallBody,
  type ExchangeHost,
  type ExchangeOptions,
  Exchanges,
  parseRetryAfter,
  type ReadResponse,
  type TryCount,
  withUnknownOutcome,
} from './exchange.ts';
import type { HttpResponse } from './http.ts';
import { type Redact, withoutTokens } from './redaction.ts';
import { recordInsteadOfReport, type SignInOrigin, unexpectedResponseError } from './refusal.ts';

/** Exchanged for a token. */
export interface Credentials {
  readonly email: string;

  /** A function finds the password when it is needed. */
  readonly password: string | (() => Promise<string>);
}

/** Throws like the function that finds the password. */
async function passwordOf({ password }: Credentials): Promise<string> {
  return typeof password === 'string' ? password : password();
}

export interface ClientOptions extends ExchangeOptions {
  readonly token: string | undefined;

  /** Source of the token and the credentials; absent if they were just typed. */
  readonly origin?: SignInOrigin | undefined;

  /** Renew a refused token once per call. */
  readonly credentials: Credentials | undefined;

  /** Keeps a new token out of all output. */
  readonly hide: (token: string) => void;
}

/** A response that contains a report's data, which is still to be read. */
export interface ReportResponse extends ResponseFacts {
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

      /** Whole response. */
      readonly answer: unknown;

      /** `Date` of the response, in milliseconds since 1970. */
      readonly serviceMs?: number | undefined;
    }
  | { readonly kind: 'data'; readonly answer: ReportResponse };

interface ReportCreation {
  readonly body: CallBody;

  /** True if the data is requested. A response with rows is then the report, even with an id. */
  readonly isDirect?: boolean;
}

/** Status of a report, and when to call again. */
interface StatusResponse extends StatusRecord {
  readonly retryAfterMs?: number | undefined;

  /** Whole response. */
  readonly answer: unknown;
}

/** What a client has learnt from the service; shared by the clients of one account. */
interface Session {
  token: string | undefined;

  /** Token of the last call that was accepted. */
  acceptedToken?: string | undefined;
  hasAcceptedBody?: boolean;
  signingIn?: Promise<string> | undefined;
}

/**
 * Calls the service for one account and reads its responses liberally (`decisions.md`). Every
 * method throws `SignInError` for a refused token, `RejectedError` for another refusal,
 * `UnreachableError` after the last retry, and `IncompleteDataError` for a response that is cut or
 * unexpected.
 */
export class Client {
  readonly host: ExchangeHost;
  readonly encoding: Encoding;
  readonly #options: ClientOptions;
  readonly #exchanges: Exchanges;
  readonly #unknownWords = new Set<string>();
  readonly #session: Session;

  constructor(options: ClientOptions, session: Session = { token: options.token }) {
    this.host = options.host;
    this.encoding = options.encoding;
    this.#options = options;
    this.#exchanges = new Exchanges(options);
    this.#session = session;
  }

  /** Returns the same client with another signal, which ends its calls. */
  withSignal(signal: AbortSignal): Client {
    const host = { ...this.#options.host, signal };
    return new Client({ ...this.#options, host }, this.#session);
  }

  /** Records that the service has accepted a body in this client's encoding before. */
  rememberAcceptedBody(): void {
    this.#session.hasAcceptedBody = true;
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
  createReport({ body, isDirect = false }: ReportCreation): Promise<CreatedReport> {
    return this.#call({ endpoint: 'buyer', body }, (response) =>
      readCreated(response, { ...this.#options, isDirect }),
    );
  }

  /** Retries for `patienceMs`. Throws `ReportFailedError` if the report is gone. */
  status(id: string, patienceMs?: number): Promise<StatusResponse> {
    return this.#call({ endpoint: 'status', body: this.#bodyOfId(id), patienceMs }, (response) =>
      this.#readStatus(response, id),
    );
  }

  /**
   * Begins to download a report. Throws `StillInProgressError` if the report is not ready, and
   * `ReportFailedError` if it has failed or expired.
   */
  download(id: string, count?: TryCount): Promise<ReportResponse> {
    return this.#call({ endpoint: 'download', body: this.#bodyOfId(id), count }, (response) =>
      readReport(response, this.#options),
    );
  }

  /**
   * Pauses before a download is repeated whose body was cut, and prints why. Throws the error if it
   * is not to be repeated.
   */
  pauseAfterCut(error: AdreportError, count: TryCount): Promise<void> {
    return this.#exchanges.pauseAfterCut(error, count);
  }

  campaigns(): Promise<CampaignList> {
    return this.#call({ endpoint: 'campaigns' }, (response) => this.#readCampaigns(response));
  }

  /** Makes a call with the token. A refused token is renewed once, unless another call just did. */
  async #call<Result>(call: Call, read: ReadResponse<Result>): Promise<Result> {
    const token = this.#session.token ?? (await this.signIn());
    try {
      return await this.#performWith(token, call, read);
    } catch (error) {
      if (!isNotSignedIn(error) || !this.#options.credentials) throw error;
      const isRenewed = this.#session.token !== undefined && this.#session.token !== token;
      const renewed = isRenewed ? this.#session.token : await this.signIn();
      return this.#performWith(renewed, call, read);
    }
  }

  #performWith<Result>(
    token: string | undefined,
    call: Call,
    read: ReadResponse<Result>,
  ): Promise<Result> {
    const isGiven = token === this.#options.token;
    const origin = isGiven ? this.#options.origin : freshTokenOrigin;
    const accepted = {
      token: token === this.#session.acceptedToken,
      account: this.#session.acceptedToken !== undefined,
      encoding: this.#session.hasAcceptedBody === true,
    };
    return this.#exchanges.perform({ ...call, token, origin, accepted }, (response) => {
      this.#session.acceptedToken = token;
      if (call.body) this.#session.hasAcceptedBody = true;
      return read(response);
    });
  }

  async #requestToken(): Promise<string> {
    const { credentials, encoding, hide, origin, redact } = this.#options;
    if (!credentials) {
      throw new SignInError('You are not signed in: there is no token.', {
        hint: 'Run adreport login (unattended: set ADREPORT_TOKEN). To try without an account, add --local.',
      });
    }
    const { email } = credentials;
    const password = await passwordOf(credentials);
    hide(password);
    const body = bodyIn(encoding, {
      json: { auth: { email, password } },
      form: { 'auth[email]': email, 'auth[password]': password },
    });
    const token = await this.#exchanges
      .perform({ endpoint: 'auth', body, origin }, (response) => readToken(response, redact))
      .catch((error) => Promise.reject(addSignInStep(error)));
    hide(token);
    this.#session.token = token;
    return token;
  }

  #bodyOfId(id: string): CallBody {
    return bodyIn(this.#options.encoding, { json: { id }, form: { id } });
  }

  async #readStatus(response: HttpResponse, id: string): Promise<StatusResponse> {
    const { redact, host } = this.#options;
    const text = await readText(response);
    const answer = parseJson(text, response, redact);
    const { status, outcome, message = status, isError } = recordIn(answer);
    if (status === '' || (isError && outcome !== 'failed')) {
      const lack = 'The response to the status call has no status.';
      throw unexpectedResponseError({ endpoint: 'status', answer, text, lack, redact });
    }
    if (!outcome) {
      this.#noteUnknownWord(status, id);
    }
    const now = host.wallClock();
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], now);
    return {
      status: redact(status),
      message: redact(message),
      report_id: id,
      retryAfterMs,
      answer: shortenResponse(answer),
    };
  }

  async #readCampaigns(response: HttpResponse): Promise<CampaignList> {
    const { redact } = this.#options;
    const text = await readText(response);
    const answer = parseJson(text, response, redact);
    const campaigns = findCampaigns(answer);
    if (!campaigns) {
      const lack = 'The response is not a list of campaigns.';
      throw unexpectedResponseError({ endpoint: 'campaigns', answer, text, lack, redact });
    }
    return {
      campaigns,
      answer,
      isPart: response.status === 206,
      hasNextLink: hasNextLink(response),
    };
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

/** Adds the step to the message, unless the service refused the sign-in. */
function addSignInStep(error: unknown): unknown {
  const isNamed = isNotSignedIn(error) || isInterruption(error);
  if (isNamed || !(error instanceof AdreportError)) return error;
  error.message = `The sign-in failed. ${error.message}`;
  return error;
}

/** Origin of a token that comes from a sign-in of this client. */
const freshTokenOrigin: SignInOrigin = {
  token: 'the token it had just issued',
  tokenHint:
    "E-mail and password are correct. Try a token from the service's console: adreport login --token-stdin",
  signInHint: '',
};

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

/** Throws `SignInError` for a refusal, `IncompleteDataError` for any other lack of a token. */
async function readToken(response: HttpResponse, redact: Redact): Promise<string> {
  const text = (await readText(response)).slice(0, maxSignInCharacters);
  const bareToken = findToken(text);
  if (bareToken) return bareToken;

  // Errors must not contain what may be a token.
  const answer = tryJson(text) ?? parseJson(withoutTokens(text), response, redact);
  const token = findToken(answer);
  if (token === undefined || refusesSignIn(recordIn(answer))) {
    const lack = 'The response to the sign-in has no token.';
    throw unexpectedResponseError({ endpoint: 'auth', answer, text, lack, redact });
  }

  // Must fit into a header (RFC 9110, 5.5).
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token;
  throw new IncompleteDataError('The sign-in returned a token that does not fit in a header.', {
    retryable: false,
    hint: 'Check the base URL: adreport whoami shows it.',
  });
}

/** Reads a report id or report data, depending on the beginning of the response. */
async function readCreated(
  response: HttpResponse,
  { redact, host, isDirect }: ReadingOptions & { readonly isDirect: boolean },
): Promise<CreatedReport> {
  const { start, isWhole, all } = await peek(response.body);
  const contentType = response.headers['content-type'];
  const bareId = isWhole ? bareIdIn(start, contentType) : undefined;
  const serviceMs = timeOf(response.headers);
  if (bareId !== undefined) {
    return { kind: 'report', id: bareId, status: 'progress', answer: undefined, serviceMs };
  }

  const mayBeRecord = isWhole && !isCsv(start, contentType);
  const answer = mayBeRecord ? parseJson(start, response, redact) : undefined;
  const isData = isReportData(answer) || (isDirect && containsRows(answer));
  if (answer === undefined || isData) {
    return { kind: 'data', answer: toReportResponse(response, markErrorsUncertain(all), host) };
  }

  const id = findReportId(answer);
  const { isError, status } = recordIn(answer);
  if (id !== undefined && id.length > maxServiceText) throw idTooLongError();
  if (id !== undefined && !isError) {
    const record = shortenResponse(answer);
    return { kind: 'report', id, status: status || 'progress', answer: record, serviceMs };
  }
  throw unexpectedResponseError({
    endpoint: 'buyer',
    answer,
    text: start,
    redact,
    lack: 'The report was requested, but the response has no report ID.',
    hint: 'A report may have been created anyway. Check that the base URL points to the reporting service.',
  });
}

function idTooLongError(): IncompleteDataError {
  const message = `The service returned a report ID of more than ${maxServiceText} characters.`;
  return new IncompleteDataError(message, {
    retryable: false,
    hint: 'A report may have been created anyway. Check that the base URL points to the reporting service.',
  });
}

type ReadingOptions = Pick<ClientOptions, 'redact' | 'host'>;

/** Reads the beginning of a report. Throws if it is a record that says why there is no report. */
async function readReport(
  response: HttpResponse,
  { redact, host }: ReadingOptions,
): Promise<ReportResponse> {
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], host.wallClock());
  if (response.status === 202) {
    throw new StillInProgressError('The report is not ready. (202)', { retryAfterMs });
  }

  const { start, isWhole, all } = await peek(response.body, startsAsReport);
  if (isWhole && startsAsJson(start)) {
    const answer = tryJson(start);
    const isRecord = !isReportData(answer) && !containsRows(answer);
    const error = isRecord ? recordInsteadOfReport(answer, start, redact) : undefined;
    if (error) throw error.amend('', { retryAfterMs });
    if (isRecord && recordIn(answer).outcome === 'ready') {
      const lack = 'The response to the download is not a report.';
      throw unexpectedResponseError({ endpoint: 'download', answer, text: start, lack, redact });
    }
  }

  return toReportResponse(response, withErrors(all), host);
}

/** Passes a body on, with errors for users. */
async function* withErrors(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw bodyError(error);
  }
}

/** Does the same for the body of a create call, which is not repeated. */
async function* markErrorsUncertain(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw withUnknownOutcome(bodyError(error));
  }
}

function toReportResponse(
  response: HttpResponse,
  body: AsyncIterable<Buffer>,
  { wallClock }: ReadingOptions['host'],
): ReportResponse {
  response.allowTime();
  const { headers } = response;
  const serviceMs = timeOf(headers);
  const clockAheadMs = serviceMs === undefined ? undefined : serviceMs - wallClock();
  const contentType = headers['content-type'];
  const isEndMarked = marksEnd(headers);
  const isPart = response.status === 206;
  const hasNext = hasNextLink(response);
  const close = (): void => void response.body.destroy();
  const facts = { isPart, hasNextLink: hasNext, isEndMarked, clockAheadMs, serviceMs };
  const rest = { ...facts, contentType, close };
  const charset = charsetOf(contentType);
  const isUtf8 = /^(utf-?8|us-ascii)$/i.test(charset);
  if (!isUtf8) {
    return { ...rest, body: decodeToUtf8(body, charset), sizeBytes: undefined };
  }

  const length = headers['content-length'] ?? '';
  const hasSize = headers['content-encoding'] === undefined && /^\d{1,15}$/.test(length);
  const sizeBytes = hasSize ? Number(length) : undefined;
  return { ...rest, body, sizeBytes };
}

/** Reads `Date` in milliseconds since 1970; `undefined` if there is none. */
function timeOf(headers: HttpResponse['headers']): number | undefined {
  const ms = Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Checks for a mark of the body's end: a length, a last chunk or a compression trailer. */
function marksEnd(headers: HttpResponse['headers']): boolean {
  if (headers['content-length'] !== undefined) return true;
  if (/\bchunked\b/i.test(headers['transfer-encoding'] ?? '')) return true;
  return /\b(gzip|deflate|br)\b/i.test(headers['content-encoding'] ?? '');
}
