import { isPage } from '../contract/body-kind.ts';
import { type Encoding, type EndpointName, endpoints } from '../contract/messages.ts';
import {
  type AdreportError,
  IncompleteDataError,
  RejectedError,
  ReportFailedError,
  SignInError,
  StillInProgressError,
  UnreachableError,
} from '../errors.ts';
import { printable } from '../text/printable.ts';
import { peek, quoteResponse, recordIn, refusesSignIn, type ServiceRecord } from './answers.ts';
import { tryJson } from './exact-json.ts';
import type { HttpResponse } from './http.ts';
import { isNotReady } from './poll.ts';
import { maskStrings, type Redact, withoutTokens } from './redaction.ts';

/** What a refusal means: the error class (for the exit code), the message and a hint. */
interface Refusal {
  readonly ErrorClass: typeof RejectedError | typeof SignInError;
  readonly sentence: string;
  readonly hint?: string | undefined;
}

const notReady: Refusal = {
  ErrorClass: StillInProgressError,
  sentence: 'The report is not ready.',
};

const reportFailed: Refusal = {
  ErrorClass: ReportFailedError,
  sentence: 'The report failed.',
  hint: 'Request it again.',
};

const reportGone: Refusal = {
  ErrorClass: ReportFailedError,
  sentence: 'The report no longer exists.',
  hint: 'Request it again.',
};

const tooManyRequests: Refusal = {
  ErrorClass: UnreachableError,
  sentence: 'The service received too many requests.',
  hint: 'Run the command again later.',
};

const serviceError: Refusal = {
  ErrorClass: UnreachableError,
  sentence: 'The service returned an error.',
  hint: "The problem is on the service's side. Run the command again later.",
};

const tokenRefused: Refusal = {
  ErrorClass: SignInError,
  sentence: 'The service rejected the token.',
  hint: 'Sign in again with adreport login (unattended: set ADREPORT_TOKEN, or ADREPORT_EMAIL and ADREPORT_PASSWORD).',
};

const signInRefused: Refusal = {
  ErrorClass: SignInError,
  sentence: 'The service rejected the sign-in.',
  hint: 'Check the e-mail address and the password, or sign in with a token: adreport login --token-stdin',
};

const formHint =
  'The service may accept only forms: add --encoding form (adreport config set encoding form stores it).';

/** Source of a token and a password, and how to fix them if they are refused. */
export interface SignInOrigin {
  /** As part of a sentence: `the token in ADREPORT_TOKEN`. */
  readonly token: string;
  readonly tokenHint: string;

  /** For a refused e-mail address or password. */
  readonly signInHint: string;
}

interface RefusedCall {
  readonly endpoint: EndpointName;
  readonly encoding: Encoding;

  /** Source of the token and the credentials, if known. */
  readonly origin?: SignInOrigin | undefined;

  /** HTTP status. */
  readonly status: number;
  readonly record: ServiceRecord;

  /** For a 403 with `Retry-After`, which is meant like a 429. */
  readonly isRateLimit?: boolean;
  readonly accepted?: AcceptedBefore | undefined;
}

/** What the service has accepted before, which cannot be the reason for a refusal. */
export interface AcceptedBefore {
  readonly token: boolean;

  /** This token, or an earlier one of the account. */
  readonly account: boolean;

  /** A body in this encoding. */
  readonly encoding: boolean;
}

/** Names of the calls in messages. */
const callNames: Readonly<Record<EndpointName, string>> = {
  auth: 'the sign-in',
  buyer: 'the report request',
  status: 'the status call',
  download: 'the download',
  campaigns: 'the list of campaigns',
};

function refusalOf(call: RefusedCall): Refusal {
  const { endpoint, status, record, origin, accepted, isRateLimit } = call;
  if (endpoint === 'download' && isNotReady(call)) return notReady;
  if (status === 429 || isRateLimit) return tooManyRequests;
  if (status >= 500 || status === 408) return serviceError;

  const isAboutForms = mayTakeFormsOnly(call);
  if (endpoint === 'auth') {
    const hint = isAboutForms ? formHint : (origin?.signInHint ?? signInRefused.hint);
    return { ...signInRefused, hint };
  }
  const isForbidden = status === 403 && record.errorId !== 'ADMIN_ONLY';
  if (status === 401 || isForbidden) {
    // A new token does not help if the call itself is forbidden.
    const hasWorked = accepted?.token || (isForbidden && accepted?.account);
    return hasWorked ? unexpectedRefusal(endpoint) : tokenRefusal(origin);
  }

  const namesReport = endpoint === 'status' || endpoint === 'download';
  const isFailed = record.reportState === 'failed';
  if (endpoint === 'download' && isFailed && [200, 409, 425].includes(status)) return reportFailed;
  if (status === 410 && namesReport) return reportGone;

  const subject = namesReport ? 'the report ID and the base URL' : 'the base URL';
  const notFound = `Check ${subject} (shown by adreport whoami).`;
  const hint = status === 404 ? notFound : undefined;
  return {
    ErrorClass: RejectedError,
    sentence: `The service rejected ${callNames[endpoint]}.`,
    hint: isAboutForms ? formHint : hint,
  };
}

function tokenRefusal(origin: SignInOrigin | undefined): Refusal {
  if (!origin) return tokenRefused;
  const sentence = `The service rejected ${origin.token}.`;
  return { ...tokenRefused, sentence, hint: origin.tokenHint };
}

/** Describes the refusal of a call whose token has just been accepted for another call. */
function unexpectedRefusal(endpoint: EndpointName): Refusal {
  return {
    ErrorClass: SignInError,
    sentence: `The service rejected ${callNames[endpoint]}, but accepts the token.`,
    hint: 'The account may lack permission for this call. Ask the service, or sign in again: adreport login',
  };
}

function mayTakeFormsOnly(call: RefusedCall): boolean {
  const { endpoint, encoding, status, record, accepted } = call;
  if (accepted?.encoding || encoding !== 'json' || !endpoints[endpoint].takesBody) return false;
  if (status === 415) return true;
  if (status !== 400) return false;

  // A create call always has its parameters: a service that misses them has not read the body.
  const words = [record.message ?? '', ...record.errorLines].join(' ');
  return endpoint !== 'buyer' || /\b(missing|required|empty|no parameters|form)\b/i.test(words);
}

/**
 * Builds the error for a response other than 2xx, with the service's message from the first 64 KiB
 * (`decisions.md` 6). Never throws.
 */
export async function readHttpError(
  response: HttpResponse,
  call: Omit<RefusedCall, 'status' | 'record' | 'isRateLimit'> & { readonly redact: Redact },
): Promise<AdreportError> {
  const { endpoint, redact } = call;
  const { status, headers, body, redirectedTo } = response;
  const text = redact(await beginningOf(body));
  body.destroy();
  const isLink = endpoint === 'download' && redirectedTo !== undefined;
  if (isLink) return refusedLink(redirectedTo, status);

  const record = recordIn(parseRefusal(text, response));
  const code = record.errorId && shownText(endpoint, record.errorId);
  const isRateLimit = status === 403 && headers['retry-after'] !== undefined;
  const refusal = refusalOf({ ...call, status, record, isRateLimit });
  const { ErrorClass, sentence, hint } = refusal;
  const label = code ? `(${status} ${code})` : `(${status})`;
  let message = `${sentence}${formatServiceMessage(endpoint, sentence, record.message)} ${label}`;
  if (record.errorLines.length > 1) {
    for (const line of record.errorLines) message += `\n  - ${shownText(endpoint, line)}`;
  }
  return new ErrorClass(message, {
    code: code ?? `HTTP_${status}`,
    httpStatus: status,
    hint,
    retryable:
      refusal === notReady || isTemporaryStatus(status) || isRateLimit || record.isTransient,
    ...reportPolicy(endpoint, response, record),
  });
}

/** Holds if the same call may soon succeed. */
function isTemporaryStatus(status: number): boolean {
  if (status === 408 || status === 429) return true;
  // Not implemented, and HTTP version not supported.
  return status >= 500 && status !== 501 && status !== 505;
}

/** Builds the error for a download whose link to another host was refused there. */
function refusedLink(origin: string, status: number): AdreportError {
  const message = `The service redirected the download to ${origin}, which refused it. (${status})`;
  return new UnreachableError(message, {
    code: 'LINK_REFUSED',
    concernsReport: false,
    hint: 'The link may have expired: run the command again to get a new one.',
  });
}

/** Statuses that do not mean that the service gives up a report (`cli.md`, Waiting). */
const passingStatuses: readonly number[] = [401, 408, 409, 425, 429, 502, 503, 504];

/** Decides what a refusal means for the report of the call. */
function reportPolicy(
  endpoint: EndpointName,
  { status, headers }: HttpResponse,
  { isTransient }: ServiceRecord,
): Partial<Pick<AdreportError, 'isUsedUp' | 'concernsReport'>> {
  const namesReport = endpoint === 'status' || endpoint === 'download';
  const isRateLimit = status === 403 && headers['retry-after'] !== undefined;
  const isPassing = passingStatuses.includes(status) || isRateLimit || isTransient;
  if (!namesReport || isPassing) return { concernsReport: false };

  const isGone = status === 404 || status === 410;
  return { concernsReport: true, ...(isGone && { isUsedUp: true }) };
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  try {
    return (await peek(body)).start;
  } catch {
    // The status is enough; the text would only explain it.
    return '';
  }
}

/** Parses a refusal's JSON, or returns its first line; `undefined` for a web page. */
function parseRefusal(text: string, { headers }: HttpResponse): unknown {
  const answer = tryJson(text);
  if (answer !== undefined || isPage(text, headers['content-type'])) return answer;
  const [firstLine = ''] = text.trim().split(/\r?\n/, 1);
  return firstLine.slice(0, 300);
}

/** A response with status 200 that does not have the expected content. */
export interface UnexpectedResponse {
  readonly endpoint: EndpointName;

  /** Parsed JSON. */
  readonly answer: unknown;
  readonly text: string;

  /** Message that says what is missing. */
  readonly lack: string;
  readonly redact: Redact;
  readonly hint?: string;
}

/**
 * Returns the service's own error if the response has one, otherwise exit 9 with the beginning of
 * the body.
 */
export function unexpectedResponseError(unexpected: UnexpectedResponse): AdreportError {
  const { endpoint, answer, lack, hint } = unexpected;
  const record = recordIn(answer);
  if (!isRefusal(endpoint, record)) {
    const message = `${lack} The response is: ${quoteBeginning(unexpected)}`;
    return new IncompleteDataError(message, { retryable: false, hint });
  }

  const { errorId } = record;
  const isStatusOfReport = endpoint === 'download' && !record.isError && !record.reportState;
  const refusal = isStatusOfReport
    ? notReady
    : refusalOf({ endpoint, encoding: 'form', status: 200, record });
  const why = formatServiceMessage(endpoint, refusal.sentence, reasonIn(record));
  const code = errorId && shownText(endpoint, errorId);
  return new refusal.ErrorClass(`${refusal.sentence}${why}`, { code, hint: refusal.hint });
}

function isRefusal(endpoint: EndpointName, record: ServiceRecord): boolean {
  if (record.isError) return true;
  // A status instead of a report means that the report is not ready, unless the status is `ready`.
  if (endpoint === 'download') {
    const isPlain = record.status === '' || record.status === 'ok' || record.outcome === 'ready';
    return !isPlain || record.reportState !== undefined;
  }
  return endpoint === 'auth' && refusesSignIn(record);
}

function reasonIn({ message, errorId, status }: ServiceRecord): string {
  if (message !== undefined) return message;
  if (errorId !== undefined) return errorId;
  return status ? `Its status is ${status}` : 'It gave no reason';
}

function quoteBeginning({ endpoint, text, redact }: UnexpectedResponse): string {
  const beginning = redact(text.slice(0, 10_000));
  const isNameless = endpoints[endpoint].quoted === 'without names';
  return quoteResponse(shownText(endpoint, isNameless ? maskStrings(beginning) : beginning));
}

/** Returns `undefined` if the record does not explain why there is no report. */
export function recordInsteadOfReport(
  answer: unknown,
  text: string,
  redact: Redact,
): AdreportError | undefined {
  const record = recordIn(answer);
  if (!isRefusal('download', record)) return undefined;
  return unexpectedResponseError({ endpoint: 'download', answer, text, lack: '', redact });
}

/** Formats the service's message as a second sentence; empty if it repeats ours. */
function formatServiceMessage(
  endpoint: EndpointName,
  sentence: string,
  text: string | undefined,
): string {
  if (text === undefined) return '';
  const shown = shownText(endpoint, text);
  const further = /[.!?]$/.test(shown) ? shown : `${shown}.`;
  return further.toLowerCase() === sentence.toLowerCase() ? '' : ` ${further}`;
}

/** Makes a string from the service safe to show: responses to a sign-in may contain a token. */
function shownText(endpoint: EndpointName, text: string): string {
  const isTokenless = endpoints[endpoint].quoted === 'without tokens';
  return printable(isTokenless ? withoutTokens(text) : text);
}
