import { isPage } from '../contract/body-kind.ts';
import type { EndpointName } from '../contract/messages.ts';
import {
  type AdreportError,
  type ErrorDetails,
  ForbiddenError,
  IncompleteDataError,
  RejectedError,
  ReportFailedError,
  SignInError,
  StillInProgressError,
  UnreachableError,
} from '../errors.ts';
import { printable, withFullStop } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import { type HintName, hintFor, type Wording } from './hints.ts';
import type { HttpResponse } from './http.ts';
import {
  parseServiceRecord,
  refusesSignIn,
  type ServiceRecord,
  tryParseJson,
} from './parse-responses.ts';
import { peek, type UnreadContent } from './read-responses.ts';
import { maxRetryAfterMs } from './retry.ts';

/** Where the token and the password come from, with hints for a refusal. */
export interface SignInOrigin {
  /** The token as part of a sentence: `the token in ADREPORT_TOKEN`. */
  readonly token: string;
  readonly tokenHint: string;

  /** Hint for a refused e-mail address or password. */
  readonly signInHint: string;
}

/** Context of a call for error messages. */
export interface CallContext {
  readonly endpoint: EndpointName;
  readonly reportId?: string | undefined;

  /** Source of the token and the credentials, if known. */
  readonly origin?: SignInOrigin | undefined;
  readonly retryAfterMs?: number | undefined;
}

export interface ErrorWording {
  readonly wording: Wording;

  /**
   * Removes known secrets from strings of the service. This happens before strings are shortened,
   * because a shortened secret would not be recognized.
   */
  readonly redact: (text: string) => string;
}

/** A refusal by the service. The status is 200 if a successful response contains an error. */
interface Refusal extends CallContext {
  readonly status: number;
  readonly record: ServiceRecord;

  /** Origin that refused a download; set after a redirect. */
  readonly redirectedTo?: string | undefined;
}

export const callNames: Readonly<Record<EndpointName, string>> = {
  auth: 'the sign-in',
  buyer: 'the report request',
  status: 'the status call',
  download: 'the download',
  campaigns: 'the list of campaigns',
};

type RefusalClass = new (message: string, details: ErrorDetails) => AdreportError;

interface Explanation {
  /** Decides the exit code. */
  readonly ErrorClass: RefusalClass;
  readonly message: string;
  readonly hint?: HintName;

  /** Replaces the default of the class. */
  readonly retryable?: boolean;
}

/** Maps a refusal to an error class, a message and a hint. */
function explainRefusal(refusal: Refusal): Explanation {
  const { endpoint, status, record, reportId, retryAfterMs, redirectedTo } = refusal;
  const call = callNames[endpoint];
  const rejected = `The service rejected ${call}.`;

  if (redirectedTo !== undefined) {
    const message = `The service redirected the download to ${redirectedTo}, which refused it.`;
    return { ErrorClass: UnreachableError, message, hint: 'link' };
  }
  if (isNotReady(refusal)) {
    return { ErrorClass: StillInProgressError, message: 'The report is not ready.' };
  }
  if (status === 429 || (status === 403 && retryAfterMs !== undefined)) {
    const message = 'The service is rate-limiting requests.';
    return { ErrorClass: UnreachableError, message, hint: 'later' };
  }
  if (status === 501 || status === 505) {
    const message = `The service does not support ${call}.`;
    return { ErrorClass: UnreachableError, message, hint: 'baseUrl', retryable: false };
  }
  if (status >= 500 || status === 408) {
    const message =
      endpoint === 'auth' ? 'The sign-in failed.' : 'The service had an internal error.';
    return { ErrorClass: UnreachableError, message, hint: 'serviceFault' };
  }

  if (endpoint === 'auth') return { ErrorClass: SignInError, message: rejected, hint: 'password' };
  if (status === 401) {
    return { ErrorClass: SignInError, message: tokenRefusedMessage(refusal), hint: 'token' };
  }
  if (status === 403 && record.errorId !== 'ADMIN_ONLY') {
    const message = `The service refused ${call}.`;
    return { ErrorClass: ForbiddenError, message, hint: 'permission' };
  }

  const hasFailed = record.reportState === 'failed' && [200, 202, 409, 425].includes(status);
  if (endpoint === 'download' && hasFailed) {
    const message = 'The report failed.';
    return { ErrorClass: ReportFailedError, message, hint: 'requestAgain' };
  }
  if (status === 410 && reportId !== undefined) {
    const message = 'The report no longer exists.';
    return { ErrorClass: ReportFailedError, message, hint: 'requestAgain' };
  }
  if (status === 404 && reportId !== undefined) {
    const message = `The service does not know the report ${printable(reportId)}.`;
    return { ErrorClass: RejectedError, message, hint: 'reportId' };
  }
  if (endpoint === 'download' && status === 200) {
    const message = 'The service sent an error instead of the report.';
    return { ErrorClass: IncompleteDataError, message };
  }
  if (status === 404) return { ErrorClass: RejectedError, message: rejected, hint: 'baseUrl' };
  if (status === 413) return { ErrorClass: RejectedError, message: rejected, hint: 'tooLarge' };
  if (record.errorId === 'PROFILE_MISMATCH') {
    return { ErrorClass: RejectedError, message: rejected, hint: 'profile' };
  }
  return { ErrorClass: RejectedError, message: rejected };
}

function tokenRefusedMessage({ origin, record }: Refusal): string {
  const { token = 'the token' } = origin ?? {};
  if (record.errorId !== 'EXPIRED_TOKEN') return `The service rejected ${token}.`;
  return `${token.charAt(0).toUpperCase()}${token.slice(1)} has expired.`;
}

function isNotReady({ endpoint, status, record, reportId }: Refusal): boolean {
  if (reportId === undefined || [401, 403, 410, 429].includes(status)) return false;
  if (record.reportState !== undefined) return record.reportState === 'progress';
  if (endpoint === 'status' && status === 200) return false;
  // A record with an unknown status instead of rows counts as in progress.
  return [202, 409, 425].includes(status) || (status === 200 && !record.isError);
}

function findHint(
  hint: HintName | undefined,
  { origin }: Refusal,
  wording: Wording,
): string | undefined {
  // The hint depends on where the token or the password comes from.
  if (hint === 'token' && origin) return origin.tokenHint;
  if (hint === 'password' && origin?.signInHint) return origin.signInHint;
  return hint && hintFor(hint, wording);
}

/** Builds the error for a refusal, with the service's own message. */
function refusalError(refusal: Refusal, { wording }: ErrorWording): AdreportError {
  const { endpoint, status, record, retryAfterMs, reportId } = refusal;
  const { ErrorClass, message, hint, retryable } = explainRefusal(refusal);
  const errorId = record.errorId && sanitize(endpoint, record.errorId);
  const reason = formatReason(refusal, message);
  const sentences = [reason === undefined ? message : `${message.slice(0, -1)}: ${reason}`];
  if (retryAfterMs !== undefined && retryAfterMs > maxRetryAfterMs) {
    sentences.push(`It asks you to wait ${formatDuration(retryAfterMs)}.`);
  }
  // A status of 200 is not the reason.
  if (status !== 200) sentences.push(errorId ? `(${status} ${errorId})` : `(${status})`);
  const lines = record.errorLines.length > 1 ? record.errorLines : [];
  const details = lines.map((line) => `\n  - ${sanitize(endpoint, line)}`);

  return new ErrorClass(sentences.join(' ') + details.join(''), {
    ...(retryable !== undefined && { retryable }),
    code: errorId ?? (status === 200 ? undefined : `HTTP_${status}`),
    hint: findHint(hint, refusal, wording),
    httpStatus: status,
    retryAfterMs,
    reportId,
  });
}

/** Formats the service's message, or returns `undefined` if it repeats ours. */
function formatReason({ endpoint, status, record }: Refusal, message: string): string | undefined {
  const reason = record.message ?? (status === 200 ? formatOtherReason(record) : undefined);
  if (reason === undefined) return undefined;

  const further = withFullStop(sanitize(endpoint, reason));
  return further.toLowerCase() === message.toLowerCase() ? undefined : further;
}

function formatOtherReason({ errorId, status }: ServiceRecord): string {
  if (errorId !== undefined) return errorId;
  return status ? `the status is ${status}` : 'no reason given';
}

/**
 * Builds the error for a response other than 2xx, with the service's message from the first 64 KiB
 * (`decisions.md` 6). Never throws.
 */
export async function readRefusal(
  response: HttpResponse,
  call: CallContext,
  wording: ErrorWording,
): Promise<AdreportError> {
  const { status, body } = response;
  const text = wording.redact(await readBeginning(body));
  body.destroy();
  const redirectedTo = call.endpoint === 'download' ? response.redirectedTo : undefined;
  // A different host has its own error format.
  const record = parseServiceRecord(
    redirectedTo === undefined ? parseRefusal(text, response) : undefined,
  );
  return refusalError({ ...call, status, record, redirectedTo }, wording);
}

async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  try {
    return (await peek(body)).start;
  } catch {
    // The status is enough; the body would only explain it.
    return '';
  }
}

/**
 * Parses the body of a refusal as JSON. Falls back to the first line, or `undefined` for a web
 * page.
 */
function parseRefusal(text: string, { headers }: HttpResponse): unknown {
  const document = tryParseJson(text);
  if (document !== undefined || isPage(text, headers['content-type'])) return document;
  const [firstLine = ''] = text.trim().split(/\r?\n/, 1);
  return firstLine.slice(0, 300);
}

/**
 * Builds the error for a successful response that cannot be read: the service's own error if the
 * response contains an error, otherwise exit 9 with the step and the beginning of the response.
 *
 * @param problem end of a sentence: `is a web page`
 */
export function unreadableError(
  problem: string,
  { text, document }: UnreadContent,
  { call, wording }: { readonly call: CallContext; readonly wording: ErrorWording },
): AdreportError {
  const { endpoint, reportId } = call;
  const record = parseServiceRecord(document);
  if (document !== undefined && containsRefusal(endpoint, record)) {
    return refusalError({ ...call, status: 200, record }, wording);
  }

  const message = `The response to ${callNames[endpoint]} ${problem}`;
  const quote = text.trim() === '' ? '.' : `: ${quoteBeginning(endpoint, wording.redact(text))}`;
  return new IncompleteDataError(message + quote, {
    retryable: true,
    hint: hintFor('baseUrl', wording.wording),
    reportId,
  });
}

/** Whether a response explains why it does not contain what was requested. */
function containsRefusal(endpoint: EndpointName, record: ServiceRecord): boolean {
  if (record.isError) return true;
  // A status instead of a report means that the report is not ready, unless the status is `ready`.
  if (endpoint === 'download') {
    const isPlain = record.status === '' || record.status === 'ok' || record.outcome === 'ready';
    return !isPlain || record.reportState !== undefined;
  }
  return endpoint === 'auth' && refusesSignIn(record);
}

/** Quotes the first 150 characters of a response. */
function quoteBeginning(endpoint: EndpointName, text: string): string {
  const safe = sanitize(endpoint, text.trim().slice(0, 10_000));
  return `“${safe.slice(0, 150)}${safe.length > 150 ? '…' : ''}”`;
}

/**
 * Makes a string from the service safe to print. Words of 16 or more characters are hidden, because
 * a sign-in response may contain a token. Error codes in capitals are kept.
 */
function sanitize(endpoint: EndpointName, text: string): string {
  if (endpoint !== 'auth') return printable(text);
  const isErrorCode = (run: string): boolean => /^[A-Z]+(_[A-Z]+)+\.?$/.test(run);
  const masked = text.replace(/[\w.~+/=-]{16,}/g, (run) => (isErrorCode(run) ? run : '[hidden]'));
  return printable(masked);
}
