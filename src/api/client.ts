import type { CampaignRecord, StatusRecord } from '../contract/messages.ts';
import { IncompleteDataError, SignInError, StillInProgressError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import {
  charsetOf,
  findCampaigns,
  findReportId,
  findToken,
  hasNextPage,
  isReportData,
  parseJson,
  peek,
  readText,
  recordIn,
  tryJson,
  utf8Of,
} from './answers.ts';
import { type Call, createExchange, type ExchangeOptions, parseRetryAfter } from './exchange.ts';
import type { HttpResponse } from './http.ts';
import { recordInsteadOfReport, unexpectedAnswer, withoutTokens } from './refusal.ts';

export type Credentials = { readonly email: string; readonly password: string };

/** The account, and how its calls are made. */
export interface ClientOptions extends ExchangeOptions {
  readonly token: string | undefined;
  /** Where given, a refused token is renewed once a call, and the call repeated. */
  readonly credentials: Credentials | undefined;
  /** Keeps a token that comes in out of the output. */
  readonly hide: (token: string) => void;
}

/** A report's data on its way in; `body` is decompressed and read once. */
export type ReportAnswer = ReturnType<typeof reportAnswer>;
type Take<T> = (answer: ReportAnswer) => Promise<T>;

/** What a create call led to: a report to wait for, or the data at once (`output=direct`, `decisions.md` 2). */
export type Created<T> =
  | { readonly kind: 'report'; readonly id: string; readonly status: string }
  | { readonly kind: 'data'; readonly result: T };

export type Client = ReturnType<typeof createClient>;

/**
 * The five calls of one account of one service, their answers read liberally (`decisions.md`). Every method throws
 * `SignInError` for a refused token, `RejectedError` for another refusal, `UnreachableError` once the retries are used up,
 * and `IncompleteDataError` for an answer that is cut short or holds something else.
 */
export function createClient(options: ClientOptions) {
  const { credentials, encoding } = options;
  const perform = createExchange(options);
  const noticed = new Set<string>();
  let token = options.token;
  let signingIn: Promise<string> | undefined;

  /** Says, once, what is odd about answers that are taken all the same. */
  const notice = (sentence: string): void => {
    if (!noticed.has(sentence)) options.warn(sentence);
    noticed.add(sentence);
  };

  const bodyOf = (
    json: object,
    form: Readonly<Record<string, string>>,
  ): NonNullable<Call['body']> =>
    encoding === 'form'
      ? {
          contentType: 'application/x-www-form-urlencoded',
          text: new URLSearchParams(form).toString(),
        }
      : { contentType: 'application/json', text: JSON.stringify(json) };

  /** Signs in once, however many calls wait for it. */
  const signIn = (): Promise<string> => {
    signingIn ??= requestToken().finally(() => {
      signingIn = undefined;
    });
    return signingIn;
  };

  async function requestToken(): Promise<string> {
    if (!credentials) {
      throw new SignInError('You are not signed in: there is no token.', {
        hint: 'Run: adreport login (unattended: set ADREPORT_TOKEN). To try without an account, add --local.',
      });
    }
    const { email, password } = credentials;
    const body = bodyOf(
      { auth: { email, password } },
      { 'auth[email]': email, 'auth[password]': password },
    );
    token = await perform({ endpoint: 'auth', body }, readToken);
    options.hide(token);
    return token;
  }

  /** Makes a call with the token; one that is refused is renewed once, unless another call has done so meanwhile. */
  async function call<T>(what: Call, read: (response: HttpResponse) => Promise<T>): Promise<T> {
    const used = token ?? (await signIn());
    try {
      return await perform({ ...what, token: used }, read);
    } catch (error) {
      if (!(error instanceof SignInError) || !credentials) throw error;
      const fresh = token === undefined || token === used ? await signIn() : token;
      return perform({ ...what, token: fresh }, read);
    }
  }

  return {
    /** Exchanges e-mail and password for a token, which the later calls use. Throws `SignInError` without them. */
    signIn,
    /** Asks for a report; `takeData` is called where the answer is its data. An error tells if a report may exist all the same. */
    createReport: <T>(body: NonNullable<Call['body']>, takeData: Take<T>): Promise<Created<T>> =>
      call({ endpoint: 'buyer', body }, (response) => readCreated(response, takeData)),
    /** How a report stands, and when to ask again; repeated for `patienceMs`. Throws `ReportFailedError` for one that is gone. */
    status: (
      id: string,
      patienceMs?: number,
    ): Promise<StatusRecord & { readonly retryAfterMs?: number | undefined }> =>
      call({ endpoint: 'status', body: bodyOf({ id }, { id }), patienceMs }, async (response) => {
        const text = await readText(response);
        const answer = parseJson(text, response);
        const { status, outcome, message = status, isError } = recordIn(answer);
        if (status === '' || (outcome !== 'failed' && isError)) {
          throw unexpectedAnswer(
            'status',
            answer,
            'The status call was answered without a status.',
            text,
          );
        }
        if (!outcome) {
          const said = `The service says that the report is “${printable(status)}”, which is not known here`;
          notice(`${said}, and counts as in progress. If it stays so, try: adreport download ID`);
        }
        const retryAfterMs = parseRetryAfter(
          response.headers['retry-after'],
          options.host.wallClock(),
        );
        return { status, message, report_id: id, retryAfterMs };
      }),
    /**
     * Downloads a report; `take` is called anew, from zero, for each try, and what it throws is thrown on. Throws
     * `StillInProgressError` for a report that is not ready, `ReportFailedError` for one that has failed or expired.
     */
    download: <T>(id: string, take: Take<T>): Promise<T> =>
      call({ endpoint: 'download', body: bodyOf({ id }, { id }) }, (response) =>
        readReport(response, take),
      ),
    campaigns: (): Promise<CampaignRecord[]> =>
      call({ endpoint: 'campaigns' }, async (response) => {
        const text = await readText(response);
        const answer = parseJson(text, response);
        const found = findCampaigns(answer);
        if (!found)
          throw unexpectedAnswer('campaigns', answer, 'The answer is no list of campaigns.', text);
        if (hasNextPage(answer, response.headers.link)) {
          notice(
            'The service has a further page of campaigns, which is not fetched: the list is not whole.',
          );
        }
        return found;
      }),
  };
}

/** The token of a sign-in's answer. Throws `SignInError` for a refusal, `IncompleteDataError` for anything else. */
async function readToken(response: HttpResponse): Promise<string> {
  const text = await readText(response);
  const bare = findToken(text);
  if (bare) return bare;
  // What may be a token goes into no error.
  const answer = tryJson(text) ?? parseJson(withoutTokens(text), response);
  const found = findToken(answer);
  if (found === undefined || recordIn(answer).isError) {
    throw unexpectedAnswer('auth', answer, 'The sign-in was answered without a token.', text);
  }
  // What can be sent as the value of a header (RFC 9110, 5.5), without blanks, and is no longer than any token.
  if (/^[\x21-\x7e]{1,4096}$/.test(found)) return found;
  throw new IncompleteDataError('The sign-in was answered with a token that no header can hold.', {
    retryable: false,
    hint: 'Check the base URL: adreport whoami shows it.',
  });
}

/** Tells a report id from report data by the beginning of the answer. */
async function readCreated<T>(response: HttpResponse, takeData: Take<T>): Promise<Created<T>> {
  const { start, isWhole, all } = await peek(response.body);
  // Lines of fields rather than JSON or a page are CSV that was sent under another name.
  const isCsv =
    /\bcsv\b/i.test(response.headers['content-type'] ?? '') ||
    /^\s*[^\s{["<][^\r\n]*[\r\n]/.test(start);
  const answer = isCsv || !isWhole ? undefined : parseJson(start, response);
  if (answer === undefined || isReportData(answer)) {
    return { kind: 'data', result: await takeData(reportAnswer(response, all)) };
  }
  const id = findReportId(answer);
  const { isError, status } = recordIn(answer);
  if (id !== undefined && !isError) return { kind: 'report', id, status: status || 'progress' };
  const what = 'The report was asked for, but the answer holds no report id.';
  const hint =
    'A report may have been created all the same. Is the base URL the reporting service’s?';
  throw unexpectedAnswer('buyer', answer, what, start, hint);
}

/** Hands on a report's data. Throws for a record in its place that says that the report is not there. */
async function readReport<T>(response: HttpResponse, take: Take<T>): Promise<T> {
  if (response.status === 202) throw new StillInProgressError('The report is not ready. (202)');
  // A list of rows, or what is no JSON, is handed on as it comes.
  const isReport = (beginning: string) => /^\s*(\{\s*"data"\s*:\s*\[|[^\s{[])/.test(beginning);
  const { start, isWhole, all } = await peek(response.body, isReport);
  if (isWhole && /^\s*[{[]/.test(start)) {
    const answer = tryJson(start);
    const error = isReportData(answer) ? undefined : recordInsteadOfReport(answer, start);
    if (error) throw error;
  }
  return take(reportAnswer(response, all));
}

function reportAnswer(response: HttpResponse, body: AsyncIterable<Buffer>) {
  response.allowTime();
  const {
    'content-encoding': coding,
    'content-length': length,
    'content-type': contentType,
  } = response.headers;
  const charset = charsetOf(contentType);
  const isUtf8 = /^(utf-?8|us-ascii)$/i.test(charset);
  return {
    body: isUtf8 ? body : utf8Of(body, charset),
    contentType,
    /** Where the service said it and did not compress. */
    sizeBytes: isUtf8 && !coding && /^\d{1,15}$/.test(length ?? '') ? Number(length) : undefined,
  };
}
