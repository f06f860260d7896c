import type { CampaignRecord, Encoding, StatusRecord } from '../contract/messages.ts';
import {
  AdreportError,
  IncompleteDataError,
  InterruptedError,
  RejectedError,
  SignInError,
  StillInProgressError,
} from '../errors.ts';
import { printable, serviceTextAtMost } from '../text/printable.ts';
import {
  charsetOf,
  findCampaigns,
  findReportId,
  findToken,
  hasNextLink,
  holdsRows,
  isReportData,
  NotedBody,
  parseJson,
  peek,
  readText,
  recordIn,
  shortenedAnswer,
  utf8Of,
} from './answers.ts';
import { tryJson } from './exact-json.ts';
import {
  type Call,
  type CallBody,
  type ExchangeOptions,
  Exchanges,
  parseRetryAfter,
  type ReadAnswer,
} from './exchange.ts';
import { type Redact, withoutTokens } from './hidden-texts.ts';
import type { HttpResponse } from './http.ts';
import { saysNotYet } from './poll.ts';
import { recordInsteadOfReport, type SignInOrigin, unexpectedAnswer } from './refusal.ts';

/** What a token can be had for. */
export interface Credentials {
  readonly email: string;

  /** The password, or what finds it when it is needed. */
  readonly password: string | (() => Promise<string>);
}

/** The password of credentials. Throws as what finds it. */
export async function passwordOf({ password }: Credentials): Promise<string> {
  return typeof password === 'string' ? password : password();
}

/** The account, and how its calls are made. */
export interface ClientOptions extends ExchangeOptions {
  readonly token: string | undefined;

  /** Where the token and the credentials came from; absent for what was just typed. */
  readonly origin?: SignInOrigin | undefined;

  /** Where given, a refused token is renewed once a call, and the call repeated. */
  readonly credentials: Credentials | undefined;

  /** Keeps a token that comes in out of the output. */
  readonly hide: (token: string) => void;
}

/** A report's data on its way in. */
export interface ReportAnswer {
  /** Decompressed, and read once. */
  readonly body: AsyncIterable<Buffer>;
  readonly contentType: string | undefined;

  /** Where the service said it and did not compress. */
  readonly sizeBytes: number | undefined;

  /** Whether the answer says that it is a part of the report (206). */
  readonly isPart: boolean;

  /** Whether its header `Link` names a next page. */
  readonly hasNextLink: boolean;

  /**
   * Whether the answer told where its body ends. Where only the end of the connection marked that,
   * the body may be cut.
   */
  readonly isEndMarked: boolean;

  /**
   * How far the clock of the service is ahead of this machine's, in milliseconds; `undefined` where
   * it does not tell.
   */
  readonly clockAheadMs: number | undefined;

  /**
   * When the service says that it answered, in milliseconds since 1970; `undefined` where it does
   * not.
   */
  readonly serviceMs?: number | undefined;
}

/** Takes a report's data, anew and from zero for each try of a download. */
type TakeReport<Result> = (answer: ReportAnswer) => Promise<Result>;

/**
 * What a create call led to: a report to wait for, or the data at once (`output=direct`,
 * `decisions.md` 2).
 */
type Created<Result> =
  | {
      readonly kind: 'report';
      readonly id: string;
      readonly status: string;

      /** All that the service answered. */
      readonly answer: unknown;

      /**
       * When the service says that it answered, in milliseconds since 1970; absent where it does
       * not.
       */
      readonly serviceMs?: number | undefined;
    }
  | { readonly kind: 'data'; readonly result: Result };

/** A report that is asked for. */
interface ReportOrder {
  readonly body: CallBody;

  /**
   * Whether the data itself is asked for: then an answer that has rows is the report, also where it
   * tells an id.
   */
  readonly isDirect?: boolean;
}

/** How a report stands, and when to ask again. */
interface StatusAnswer extends StatusRecord {
  readonly retryAfterMs?: number | undefined;

  /** All that the service answered. */
  readonly answer: unknown;
}

/** The campaigns of an account, and what stands beside them. */
interface CampaignList {
  readonly campaigns: readonly CampaignRecord[];

  /** All that the service answered. */
  readonly answer: unknown;

  /** Whether the answer says that it is a part of the list (206). */
  readonly isPart: boolean;

  /** Whether its header `Link` names a next page. */
  readonly hasNextLink: boolean;

  /** How many campaigns its header `X-Total-Count` counts. */
  readonly countInHeader: number | undefined;
}

/**
 * The calls of one account of one service, their answers read liberally (`decisions.md`).
 * Every method throws `SignInError` for a refused token, `RejectedError` for another refusal,
 * `UnreachableError` once the retries are used up, and `IncompleteDataError` for an answer that is
 * cut short or holds something else.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #exchanges: Exchanges;
  readonly #unknownWords = new Set<string>();
  #token: string | undefined;

  /** The token of the last call that was accepted. */
  #acceptedToken: string | undefined;
  #hasAcceptedBody = false;
  #signingIn: Promise<string> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#exchanges = new Exchanges(options);
    this.#token = options.token;
  }

  /** Notes that the service has taken a body in the encoding of this client before. */
  noteAcceptedBody(): void {
    this.#hasAcceptedBody = true;
  }

  /**
   * Exchanges e-mail and password for a token, which the later calls use: once, however many calls
   * wait for it. One that fails is not tried again: every other call would meet the same. Throws
   * `SignInError` without e-mail and password.
   */
  signIn(): Promise<string> {
    this.#signingIn ??= this.#requestToken().then((token) => {
      this.#signingIn = undefined;
      return token;
    });
    return this.#signingIn;
  }

  /**
   * Asks for a report; `take` is called where the answer is its data. An error tells if a report
   * may exist all the same.
   */
  createReport<Result>(
    { body, isDirect = false }: ReportOrder,
    take: TakeReport<Result>,
  ): Promise<Created<Result>> {
    return this.#call({ endpoint: 'buyer', body }, (response) =>
      readCreated(response, take, { ...this.#options, isDirect }),
    );
  }

  /**
   * How a report stands; repeated for `patienceMs`. Throws `ReportFailedError` for one that is
   * gone.
   */
  status(id: string, patienceMs?: number): Promise<StatusAnswer> {
    return this.#call({ endpoint: 'status', body: this.#bodyOfId(id), patienceMs }, (response) =>
      this.#readStatus(response, id),
    );
  }

  /**
   * Downloads a report; what `take` throws is thrown on. Throws `StillInProgressError` for a report
   * that is not ready, `ReportFailedError` for one that has failed or expired.
   */
  download<Result>(id: string, take: TakeReport<Result>): Promise<Result> {
    return this.#call({ endpoint: 'download', body: this.#bodyOfId(id) }, (response) =>
      readReport(response, take, this.#options),
    );
  }

  campaigns(): Promise<CampaignList> {
    return this.#call({ endpoint: 'campaigns' }, (response) => this.#readCampaigns(response));
  }

  /**
   * Makes a call with the token; one that is refused is renewed once, unless another call has done
   * so meanwhile.
   */
  async #call<Result>(call: Call, read: ReadAnswer<Result>): Promise<Result> {
    const token = this.#token ?? (await this.signIn());
    try {
      return await this.#performWith(token, call, read);
    } catch (error) {
      if (!(error instanceof SignInError) || !this.#options.credentials) throw error;
      const isRenewed = this.#token !== undefined && this.#token !== token;
      const renewed = isRenewed ? this.#token : await this.signIn();
      return this.#performWith(renewed, call, read);
    }
  }

  #performWith<Result>(
    token: string | undefined,
    call: Call,
    read: ReadAnswer<Result>,
  ): Promise<Result> {
    const isOwn = token === this.#options.token;
    const origin = isOwn ? this.#options.origin : freshTokenOrigin;
    const accepted = {
      token: token === this.#acceptedToken,
      account: this.#acceptedToken !== undefined,
      encoding: this.#hasAcceptedBody,
    };
    return this.#exchanges.perform({ ...call, token, origin, accepted }, (response) => {
      this.#acceptedToken = token;
      if (call.body) this.#hasAcceptedBody = true;
      return read(response);
    });
  }

  async #requestToken(): Promise<string> {
    const { credentials, encoding, hide, origin, redact } = this.#options;
    if (!credentials) {
      throw new SignInError('You are not signed in: there is no token.', {
        hint: 'Run: adreport login (unattended: set ADREPORT_TOKEN). To try without an account, add --local.',
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
      .catch((error) => Promise.reject(asFailedSignIn(error)));
    hide(token);
    this.#token = token;
    return token;
  }

  #bodyOfId(id: string): CallBody {
    return bodyIn(this.#options.encoding, { json: { id }, form: { id } });
  }

  async #readStatus(response: HttpResponse, id: string): Promise<StatusAnswer> {
    const { redact, host } = this.#options;
    const text = await readText(response);
    const answer = parseJson(text, response, redact);
    const { status, outcome, message = status, isError } = recordIn(answer);
    if (status === '' || (isError && outcome !== 'failed')) {
      const lack = 'The status call was answered without a status.';
      throw unexpectedAnswer({ endpoint: 'status', answer, text, lack, redact });
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
      answer: shortenedAnswer(answer),
    };
  }

  async #readCampaigns(response: HttpResponse): Promise<CampaignList> {
    const { redact } = this.#options;
    const text = await readText(response);
    const answer = parseJson(text, response, redact);
    const campaigns = findCampaigns(answer);
    if (!campaigns) {
      const lack = 'The answer is no list of campaigns.';
      throw unexpectedAnswer({ endpoint: 'campaigns', answer, text, lack, redact });
    }
    return {
      campaigns,
      answer,
      isPart: response.status === 206,
      hasNextLink: hasNextLink(response),
      countInHeader: countIn(response),
    };
  }

  /** Says, once a word, that a word of state is not known, and what to try. */
  #noteUnknownWord(status: string, id: string): void {
    if (this.#unknownWords.has(status)) return;
    this.#unknownWords.add(status);
    this.#options.note(
      `The service says that the report is “${printable(status)}”, which is not known here, and counts as in progress. ` +
        `If it stays so, try: adreport download ${printable(id)}`,
    );
  }
}

/** The error of a sign-in, which names the step if the service did not refuse it. */
function asFailedSignIn(error: unknown): unknown {
  const isNamed = error instanceof SignInError || error instanceof InterruptedError;
  if (isNamed || !(error instanceof AdreportError)) return error;
  error.message = `The sign-in failed. ${error.message}`;
  return error;
}

/** What is said of a token that the sign-in has just brought, and that the next call refuses. */
const freshTokenOrigin: SignInOrigin = {
  token: 'the token that it had just given',
  tokenHint:
    'E-mail and password are right. Try a token made in the service’s console: adreport login --token-stdin',
  signInHint: '',
};

/** One body in both of the service's encodings. */
interface EitherBody {
  readonly json: object;
  readonly form: Readonly<Record<string, string>>;
}

function bodyIn(encoding: Encoding, { json, form }: EitherBody): CallBody {
  if (encoding === 'json') return { contentType: 'application/json', text: JSON.stringify(json) };
  const text = new URLSearchParams(form).toString();
  return { contentType: 'application/x-www-form-urlencoded', text };
}

/** Longer than any answer to a sign-in. */
const signInCharactersAtMost = 64 * 1024;

/**
 * The token of a sign-in's answer. Throws `SignInError` for a refusal, `IncompleteDataError` for
 * anything else.
 */
async function readToken(response: HttpResponse, redact: Redact): Promise<string> {
  const text = (await readText(response)).slice(0, signInCharactersAtMost);
  const bareToken = findToken(text);
  if (bareToken) return bareToken;

  // What may be a token goes into no error.
  const answer = tryJson(text) ?? parseJson(withoutTokens(text), response, redact);
  const token = findToken(answer);
  if (token === undefined || recordIn(answer).isError) {
    const lack = 'The sign-in was answered without a token.';
    throw unexpectedAnswer({ endpoint: 'auth', answer, text, lack, redact });
  }

  // What can be sent as the value of a header (RFC 9110, 5.5), without blanks, and is no longer
  // than any token.
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token;
  throw new IncompleteDataError('The sign-in was answered with a token that no header can hold.', {
    retryable: false,
    hint: 'Check the base URL: adreport whoami shows it.',
  });
}

/** Tells a report id from report data by the beginning of the answer. */
async function readCreated<Result>(
  response: HttpResponse,
  take: TakeReport<Result>,
  { redact, host, isDirect }: ReadingOptions & { readonly isDirect: boolean },
): Promise<Created<Result>> {
  const { start, isWhole, all } = await peek(response.body);
  const bareId = isWhole ? bareIdIn(start, response) : undefined;
  const serviceMs = timeOf(response.headers);
  if (bareId !== undefined) {
    return { kind: 'report', id: bareId, status: 'progress', answer: undefined, serviceMs };
  }

  if (longIdForm.test(start)) throw longId();

  const mayBeRecord = isWhole && !isCsv(start, response);
  const answer = mayBeRecord ? parseJson(start, response, redact) : undefined;
  const isData = isReportData(answer) || (isDirect && holdsRows(answer));
  if (answer === undefined || isData) {
    return { kind: 'data', result: await take(reportAnswer(response, all, host)) };
  }

  const id = findReportId(answer);
  const { isError, status } = recordIn(answer);
  if (id !== undefined && !isError) {
    const record = shortenedAnswer(answer);
    return { kind: 'report', id, status: status || 'progress', answer: record, serviceMs };
  }
  throw unexpectedAnswer({
    endpoint: 'buyer',
    answer,
    text: start,
    redact,
    lack: 'The report was asked for, but the answer holds no report id.',
    hint: 'A report may have been created all the same. Is the base URL the reporting service’s?',
  });
}

/** An answer whose report id, in any place that it may have, is too long to be one. */
const longIdForm = new RegExp(
  String.raw`(?:^\s*|"(?:report_?id|id|response)"\s*:\s*)(?:"[^"]{N}|\d{N})`.replaceAll(
    'N',
    String(serviceTextAtMost + 1),
  ),
  'i',
);

function longId(): IncompleteDataError {
  const message = `The service answered the order with a report id of more than ${serviceTextAtMost} characters.`;
  return new IncompleteDataError(message, {
    retryable: false,
    hint: 'A report may have been created all the same. Is the base URL the reporting service’s?',
  });
}

/** What the reading of an answer takes from the options of the client. */
type ReadingOptions = Pick<ClientOptions, 'redact' | 'host'>;

/** The id where the whole answer is one, however it is labelled. */
function bareIdIn(text: string, { headers }: HttpResponse): string | undefined {
  const isLabelledCsv = /\bcsv\b/i.test(headers['content-type'] ?? '');
  const bare = /^\s*([\w-]{1,128})\s*$/.exec(text)?.[1];
  return bare !== undefined && /\d/.test(bare) && !isLabelledCsv ? bare : undefined;
}

/**
 * Whether an answer says that it is CSV, or holds lines of fields that were sent under another
 * name.
 */
function isCsv(start: string, { headers }: HttpResponse): boolean {
  return (
    /\bcsv\b/i.test(headers['content-type'] ?? '') || /^\s*[^\s{["<][^\r\n]*[\r\n]/.test(start)
  );
}

/** A body with more bytes is no sentence in the place of a report. */
const sentenceAtMost = 1_000;

/**
 * Hands on a report's data. Throws for a record in its place that says that the report is not
 * there.
 */
async function readReport<Result>(
  response: HttpResponse,
  take: TakeReport<Result>,
  { redact, host }: ReadingOptions,
): Promise<Result> {
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], host.wallClock());
  if (response.status === 202) {
    throw new StillInProgressError('The report is not ready. (202)', { retryAfterMs });
  }

  // A list of rows, or what is no JSON, is handed on as it comes.
  const isReport = (beginning: string) => /^\s*(\{\s*"data"\s*:\s*\[|[^\s{[])/.test(beginning);
  const { start, isWhole, all } = await peek(response.body, isReport);
  if (isWhole && /^\s*[{[]/.test(start)) {
    const answer = tryJson(start);
    const isRecord = !isReportData(answer) && !holdsRows(answer);
    const error = isRecord ? recordInsteadOfReport(answer, start, redact) : undefined;
    if (error) throw error.amend('', { retryAfterMs });
    if (isRecord && recordIn(answer).outcome === 'ready') {
      const lack = 'The answer to the download is not a report.';
      throw unexpectedAnswer({ endpoint: 'download', answer, text: start, lack, redact });
    }
  }

  const body = new NotedBody(all, sentenceAtMost);
  try {
    return await take(reportAnswer(response, body, host));
  } catch (error) {
    const isMalformed = error instanceof IncompleteDataError && error.code === 'MALFORMED';
    const isNoReport = isMalformed || error instanceof RejectedError;
    if (isNoReport && saysNotYet(body.text ?? '')) {
      throw new StillInProgressError('The report is not ready.', { retryAfterMs });
    }
    // It was not cut on its way: the service would send the same again.
    throw isMalformed ? error.amend('', { retryable: false }) : error;
  }
}

function reportAnswer(
  response: HttpResponse,
  body: AsyncIterable<Buffer>,
  { wallClock }: ReadingOptions['host'],
): ReportAnswer {
  response.allowTime();
  const { headers } = response;
  const serviceMs = timeOf(headers);
  const clockAheadMs = serviceMs === undefined ? undefined : serviceMs - wallClock();
  const contentType = headers['content-type'];
  const isEndMarked = tellsEnd(headers);
  const isPart = response.status === 206;
  const hasNext = hasNextLink(response);
  const told = { isPart, hasNextLink: hasNext, isEndMarked, clockAheadMs, serviceMs };
  const charset = charsetOf(contentType);
  const isUtf8 = /^(utf-?8|us-ascii)$/i.test(charset);
  if (!isUtf8) {
    const text = utf8Of(body, charset);
    const sizeBytes = undefined;
    return { body: text, contentType, sizeBytes, ...told };
  }

  const length = headers['content-length'] ?? '';
  const tellsSize = headers['content-encoding'] === undefined && /^\d{1,15}$/.test(length);
  const sizeBytes = tellsSize ? Number(length) : undefined;
  return { body, contentType, sizeBytes, ...told };
}

/** The `Date` of an answer, in milliseconds since 1970; `undefined` where it has none. */
function timeOf(headers: HttpResponse['headers']): number | undefined {
  const ms = Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** The number in `X-Total-Count`. */
function countIn({ headers }: HttpResponse): number | undefined {
  const text = headers['x-total-count']?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Whether the end of a body is marked by its length, its last chunk, or the trailer of its
 * compression.
 */
function tellsEnd(headers: HttpResponse['headers']): boolean {
  if (headers['content-length'] !== undefined) return true;
  if (/\bchunked\b/i.test(headers['transfer-encoding'] ?? '')) return true;
  return /\b(gzip|deflate|br)\b/i.test(headers['content-encoding'] ?? '');
}
