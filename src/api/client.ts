import {
  type CampaignList,
  type Encoding,
  type EndpointName,
  endpoints,
  endpointUrl,
  knownOutcomeOf,
} from '../contract/messages.ts';
import {
  AdreportError,
  isNotSignedIn,
  isStillInProgress,
  SignInError,
  UncertainCreateError,
  UnsentError,
} from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import { hintFor } from './hints.ts';
import type { Http, HttpRequest } from './http.ts';
import {
  type CallResponse,
  type CreatedReport,
  type ReportResponse,
  readCampaignList,
  readCreated,
  readDownload,
  readStatus,
  readToken,
  type StatusResponse,
} from './read-responses.ts';
import {
  type CallContext,
  callNames,
  type ErrorWording,
  readRefusal,
  type SignInOrigin,
  unreadableError,
} from './refusal.ts';
import {
  type CallHost,
  maxRetryAfterMs,
  parseRetryAfter,
  retryPauseMs,
  Throttle,
} from './retry.ts';

/** An e-mail address and a password, which are exchanged for a token. */
export interface Credentials {
  readonly email: string;

  /** The password, or a function that returns it on demand. */
  readonly password: string | (() => Promise<string>);
}

export interface ClientOptions extends ErrorWording {
  readonly baseUrl: URL;
  readonly http: Http;
  readonly encoding: Encoding;

  /** Retries per call after temporary failures. */
  readonly retries: number;
  readonly host: CallHost;
  readonly token: string | undefined;

  /** Source of the token and the credentials, unless the user just typed them. */
  readonly origin?: SignInOrigin | undefined;

  /** Credentials for getting a new token if the service refuses the current one, once per call. */
  readonly credentials: Credentials | undefined;

  /** Prints retries with their reason, and unknown status words. */
  readonly note: (message: string) => void;

  /** Redacts a new token from all output. */
  readonly hide: (token: string) => void;
}

/** One call to the service, before retries. */
interface Call<Result> extends CallContext {
  readonly body?: CallBody;

  /** Reads a successful response. Called once per attempt. */
  readonly read: (response: CallResponse) => Promise<Result>;

  /** Earlier attempts at the same step. Default: 0. */
  readonly triesBefore?: number;

  /** Time limit for retries, in milliseconds. Default: no limit. */
  readonly retryForMs?: number | undefined;
}

interface CallBody {
  readonly contentType: string;
  readonly text: string;
}

interface CreateBody extends CallBody {
  /**
   * Whether the body requests the data itself. A response with rows is then the report, even if it
   * also has an ID.
   */
  readonly isDirect?: boolean;
}

/** A report that was requested, in this process or earlier. */
export interface RequestedReport extends Omit<CreatedReport, 'serviceMs'> {
  /**
   * Request time by the service's clock, in milliseconds since 1970. The report has no later data.
   */
  readonly createdMs: number;

  /** Request time by this machine's clock, unless another machine requested the report. */
  readonly requestedMs?: number;
}

/** State shared by all clients of an account. */
interface Session {
  token: string | undefined;
  hasCreatedReport?: boolean;
  signingIn?: Promise<string> | undefined;
}

/**
 * Calls the service for one account and reads its responses (`decisions.md`), with retries
 * (`cli.md`, Waiting and resuming). Every method throws `SignInError` for a refused token,
 * `RejectedError` for another refusal, `UnreachableError` after the last retry, and
 * `IncompleteDataError` for a truncated or unexpected response.
 */
export class Client {
  readonly host: CallHost;
  readonly encoding: Encoding;

  /** Removes secrets from responses, because the service may echo them. */
  readonly redact: (text: string) => string;
  readonly #options: ClientOptions;
  readonly #session: Session;
  readonly #throttle: Throttle;
  readonly #unknownWords = new Set<string>();

  /**
   * Failures printed since the last successful call. Concurrent calls print the same failure only
   * once.
   */
  readonly #printedFailures = new Set<string>();

  constructor(options: ClientOptions, session: Session = { token: options.token }) {
    this.host = options.host;
    this.encoding = options.encoding;
    this.redact = options.redact;
    this.#options = options;
    this.#session = session;
    this.#throttle = new Throttle(options.host);
  }

  /** Whether the service has accepted a report request from this account. */
  get hasCreatedReport(): boolean {
    return this.#session.hasCreatedReport === true;
  }

  /** Returns a copy of the client whose calls another signal aborts. */
  withSignal(signal: AbortSignal): Client {
    const host = { ...this.host, signal };
    return new Client({ ...this.#options, host }, this.#session);
  }

  /**
   * Exchanges the e-mail address and password for a token, which later calls use. Concurrent calls
   * share one sign-in. A failed sign-in is not repeated. Throws `SignInError` if the e-mail address
   * or the password is missing.
   */
  signIn(): Promise<string> {
    this.#session.signingIn ??= this.#requestToken().then((token) => {
      this.#session.signingIn = undefined;
      return token;
    });
    return this.#session.signingIn;
  }

  /**
   * Requests a report. The error of a failed call tells the user if the report may exist anyway.
   */
  async createReport(body: CreateBody): Promise<RequestedReport> {
    const requestedMs = this.host.wallClock();
    // Only the service's clock can tell how much of the period had passed.
    const { serviceMs: createdMs = requestedMs, ...created } = await this.#call({
      endpoint: 'buyer',
      body,
      read: (response) => readCreated(response, body.isDirect === true),
    });
    this.#session.hasCreatedReport = true;
    return { ...created, requestedMs, createdMs };
  }

  /**
   * Returns the status of a report. Retries for `retryForMs`. Throws `ReportFailedError` if the
   * report no longer exists.
   */
  async status(id: string, retryForMs?: number): Promise<StatusResponse> {
    const { status, message, ...response } = await this.#call({
      endpoint: 'status',
      body: this.#bodyOfId(id),
      reportId: id,
      retryForMs,
      read: (received) => readStatus(received, id),
    });
    if (!knownOutcomeOf(status)) this.#noteUnknownWord(status, id);
    const { redact } = this.#options;
    return { ...response, status: redact(status), message: redact(message) };
  }

  /**
   * Starts downloading a report. Throws `StillInProgressError` if the report is not ready, and
   * `ReportFailedError` if it has failed or expired.
   *
   * @param triesBefore earlier attempts whose download was cut off
   */
  download(id: string, triesBefore = 0): Promise<ReportResponse> {
    const body = this.#bodyOfId(id);
    return this.#call({
      endpoint: 'download',
      body,
      reportId: id,
      triesBefore,
      read: readDownload,
    });
  }

  campaigns(): Promise<CampaignList> {
    return this.#call({ endpoint: 'campaigns', read: readCampaignList });
  }

  /**
   * Prints the reason for a retry and waits. Throws the error if no attempts are left.
   *
   * @param tries attempts so far
   * @param leftMs time left for retries
   */
  async pause(
    error: AdreportError,
    tries: number,
    leftMs = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const { retries, host, note } = this.#options;
    const { httpStatus, retryAfterMs = 0 } = error;
    const isTooLong = leftMs === Number.POSITIVE_INFINITY && retryAfterMs > maxRetryAfterMs;
    // Timers may fire a fraction of a millisecond early; that does not justify another attempt.
    if (tries > retries || isTooLong || leftMs < 1) throw error;

    const pauseMs = Math.min(retryPauseMs(tries, retryAfterMs, host.random), leftMs);
    const [firstLine = ''] = error.message.split('\n', 1);
    const left = formatPlural(retries - tries + 1, 'retry');
    if (!this.#printedFailures.has(firstLine)) {
      this.#printedFailures.add(firstLine);
      note(`${firstLine} Retrying in ${formatDuration(pauseMs)} (${left} left).`);
    }
    if (httpStatus === 429 || httpStatus === 403) this.#throttle.backOff(pauseMs);
    else await host.sleep(pauseMs, host.signal);
  }

  /**
   * Makes a call with the token. If the token is refused, it is renewed once, unless a concurrent
   * call has just renewed it.
   */
  async #call<Result>(call: Call<Result>): Promise<Result> {
    const { token: givenToken, credentials, origin } = this.#options;
    const token = this.#session.token ?? (await this.signIn());
    try {
      // A token from a sign-in may belong to another origin than the token in the options.
      const tokenOrigin = token === givenToken ? origin : undefined;
      return await this.#repeat({ ...call, origin: tokenOrigin }, token);
    } catch (error) {
      if (!isNotSignedIn(error) || !credentials) throw error;
      const { token: latest } = this.#session;
      const isRenewed = latest !== undefined && latest !== token;
      return this.#repeat(call, isRenewed ? latest : await this.signIn());
    }
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
    const body = encodeBoth(encoding, {
      json: { auth: { email, password } },
      form: { 'auth[email]': email, 'auth[password]': password },
    });
    const token = await this.#repeat({ endpoint: 'auth', body, origin, read: readToken });
    hide(token);
    this.#session.token = token;
    return token;
  }

  /** Makes a call until it succeeds. Throws the error of the last attempt. */
  async #repeat<Result>(call: Call<Result>, token?: string): Promise<Result> {
    const { stopwatch, signal } = this.host;
    const { endpoint, triesBefore = 0, retryForMs = Number.POSITIVE_INFINITY } = call;
    const request = buildRequest(call, this.#options, token);
    const endMs = stopwatch() + retryForMs;
    for (let tries = triesBefore + 1; ; tries += 1) {
      await this.#throttle.acquire();
      try {
        const result = await this.#try(call, request, tries);
        this.#throttle.recover();
        // The body of a download may still be cut off.
        if (endpoint !== 'download') this.#printedFailures.clear();
        return result;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof AdreportError)) throw error;
        if (!mayRepeat(endpoint, error)) throw this.#finalError(endpoint, error);
        await this.pause(error, tries, endMs - stopwatch());
      }
    }
  }

  async #try<Result>(call: Call<Result>, request: HttpRequest, tries: number): Promise<Result> {
    const { http, host } = this.#options;
    const response = await http.send(request);
    const { status, headers } = response;
    const retryAfterMs = parseRetryAfter(headers['retry-after'], host.wallClock());
    const context = { ...call, retryAfterMs };
    const isLate = status === 202 && call.endpoint === 'download';
    if (status < 200 || status > 299 || isLate) {
      throw await readRefusal(response, context, this.#options);
    }
    return call.read({
      ...response,
      retryAfterMs,
      tries,
      unreadable: (problem, content = { text: '' }) =>
        unreadableError(problem, content, { call: context, wording: this.#options }),
    });
  }

  /** Adds a hint if the failed call may have created a report. */
  #finalError(endpoint: EndpointName, error: AdreportError): AdreportError {
    const { httpStatus = 0, exitCode, code } = error;
    const isRefused = httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408;
    const isCertain = isRefused || exitCode < 5 || code === 'REDIRECT_REFUSED';
    if (endpoint !== 'buyer' || isCertain || hadNoEffect(error)) return error;
    return new UncertainCreateError(error, hintFor('uncertain', this.#options.wording));
  }

  #bodyOfId(id: string): CallBody {
    return encodeBoth(this.encoding, { json: { id }, form: { id } });
  }

  /** Prints a note about an unknown status word and what to try. Each word is printed once. */
  #noteUnknownWord(status: string, id: string): void {
    if (this.#unknownWords.has(status)) return;
    this.#unknownWords.add(status);
    this.#options.note(
      `Unknown report status “${printable(status)}”; still waiting. ` +
        `If it never changes, try: adreport download ${printable(id)}`,
    );
  }
}

/**
 * Each create call makes another report, so it is repeated only if the first call certainly had no
 * effect.
 */
function mayRepeat(endpoint: EndpointName, error: AdreportError): boolean {
  if (!error.retryable || error.code === 'REDIRECT_REFUSED') return false;
  if (endpoint === 'buyer') return hadNoEffect(error);
  // The caller waits until the report is ready, so the call is not repeated here.
  return !isStillInProgress(error);
}

function hadNoEffect(error: AdreportError): boolean {
  const { httpStatus, retryAfterMs } = error;
  const isBusy = httpStatus === 429 || (httpStatus === 503 && retryAfterMs !== undefined);
  return isBusy || error instanceof UnsentError;
}

function buildRequest(
  { endpoint, body, reportId }: Call<unknown>,
  { baseUrl, host }: ClientOptions,
  token: string | undefined,
): HttpRequest {
  return {
    method: endpoints[endpoint].method,
    url: new URL(endpointUrl(baseUrl.href, endpoint)),
    step: callNames[endpoint],
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': body.contentType }),
      ...(token !== undefined && { authorization: token }),
    },
    body: body?.text,
    signal: host.signal,
    isDownload: endpoint === 'download',
    reportId,
  };
}

/** Encodes a body as JSON or as a form. */
function encodeBoth(
  encoding: Encoding,
  { json, form }: { readonly json: object; readonly form: Record<string, string> },
): CallBody {
  if (encoding === 'json') return { contentType: 'application/json', text: JSON.stringify(json) };
  const text = new URLSearchParams(form).toString();
  return { contentType: 'application/x-www-form-urlencoded', text };
}
