import type { Encoding, EndpointName } from '../contract/messages.ts';
import {
  type AdreportError,
  type ErrorDetails,
  IncompleteDataError,
  RejectedError,
  ReportFailedError,
  SignInError,
  StillInProgressError,
  UnreachableError,
} from '../errors.ts';
import { printable } from '../text/printable.ts';
import { findError, type Refusal, refusalIn, reportStateOf } from './answers.ts';
import type { HttpResponse } from './http.ts';
import { parsedOr, peek, quoteAnswer, withoutTokens } from './read-body.ts';

/** The call that was refused. */
interface RefusedCall {
  readonly url: URL;
  readonly endpoint: EndpointName;
  readonly encoding: Encoding;
}

/**
 * The error that the user is to see for an answer that is no 2xx, with what the service says in its first 64 KiB, as JSON
 * or in its first line (`decisions.md` 6). Its class, and so the exit code, follows from the status; never throws.
 */
export async function readHttpError(
  { status, headers, body }: HttpResponse,
  call: RefusedCall,
): Promise<AdreportError> {
  // The status is the answer; a text that breaks off, or goes on for ever, would only explain it.
  const { start } = await peek(body).catch(() => ({ start: Buffer.alloc(0) }));
  body.destroy();
  const text = new TextDecoder().decode(start);
  const isPage = /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(text);
  const firstLine = isPage ? undefined : text.trim().split(/\r?\n/)[0]?.slice(0, 300);
  const refusal = refusalIn(parsedOr(() => firstLine, text));
  const code = refusal.errorId === undefined ? `HTTP_${status}` : shown(call.endpoint, refusal.errorId);
  const label = refusal.errorId === undefined ? `${status}` : `${status} ${code}`;
  const faults = refusal.faults.length > 1 ? refusal.faults.map((fault) => `\n  - ${shown(call.endpoint, fault)}`) : [];
  const because = `${asSentence(call.endpoint, refusal.message)} (${label})${faults.join('')}`;
  return toError(call, refusal, because, { code, httpStatus: status });
}

/** A text of the service as it may be shown; one of an answer to sign-in may hold a token. */
function shown(endpoint: EndpointName, text: string): string {
  return printable(endpoint === 'auth' ? withoutTokens(text) : text);
}

function asSentence(endpoint: EndpointName, text: string | undefined): string {
  return text === undefined ? '' : ` ${shown(endpoint, text)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

const formHint = 'If this service takes forms only, add --encoding form (adreport login --encoding form keeps it).';

function toError(
  { url: { origin }, endpoint, encoding }: RefusedCall,
  refusal: Refusal,
  because: string,
  details: { readonly code: string; readonly httpStatus: number },
): AdreportError {
  const { httpStatus: status } = details;
  const mayNeedForms =
    encoding === 'json' &&
    ((status === 415 && endpoint !== 'campaigns') || (status === 400 && ['auth', 'status'].includes(endpoint)));
  if (status === 429) {
    const hint = 'Run the command again later, or with a larger --poll-interval or fewer parts at a time.';
    return new UnreachableError(`${origin} allows no more requests for now.${because}`, { ...details, hint });
  }
  if (status >= 500 || status === 408) {
    const hint = 'The fault is on the service’s side: run the command again later.';
    return new UnreachableError(`${origin} is not able to answer.${because}`, { ...details, hint });
  }
  if (endpoint === 'auth') {
    const hint = mayNeedForms
      ? formHint
      : 'Check the e-mail address and the password, or sign in with a token: adreport login --token-stdin';
    return new SignInError(`The service refused the sign-in.${because}`, { ...details, hint });
  }
  if (status === 401 || (status === 403 && details.code !== 'ADMIN_ONLY')) {
    const hint = 'Sign in again with: adreport login (unattended: set ADREPORT_TOKEN, or ADREPORT_EMAIL and _PASSWORD)';
    return new SignInError(`The service refused the token.${because}`, { ...details, hint });
  }
  const namesReport = endpoint === 'status' || endpoint === 'download';
  if (endpoint === 'download' && (status === 409 || status === 425)) {
    const state = reportStateOf(refusal) ?? (status === 425 ? 'progress' : undefined);
    if (state) return reportNotThere(state, because, details);
  }
  if (status === 410 && namesReport) {
    const hint = 'Create the report anew with: adreport run';
    return new ReportFailedError(`The report is gone.${because}`, { ...details, hint });
  }
  const what = namesReport ? 'the report id and the base URL' : 'the base URL';
  const notFound = status === 404 ? `Check ${what}: adreport whoami shows what is set.` : undefined;
  const hint = mayNeedForms ? formHint : notFound;
  return new RejectedError(`The service rejected the request.${because}`, { ...details, ...(hint ? { hint } : {}) });
}

function reportNotThere(state: 'failed' | 'progress', because: string, details: ErrorDetails): AdreportError {
  if (state === 'progress') return new StillInProgressError(`The report is not ready.${because}`, details);
  const hint = 'Create it anew: a report that has ended does not change any more.';
  return new ReportFailedError(`The report has failed.${because}`, { ...details, hint });
}

/**
 * The error for an answer with status 200 that lacks what it should hold: the service's own where it names one, else exit
 * 9 with what came instead.
 *
 * @param sentence what is missing
 * @param text the body
 */
export function unexpectedAnswer(
  endpoint: EndpointName,
  answer: unknown,
  sentence: string,
  text: string,
  hint?: string,
): AdreportError {
  const refusal = findError(answer);
  if (!refusal) {
    const maskers: { [Name in EndpointName]?: (text: string) => string } = {
      auth: withoutTokens,
      campaigns: withoutNames,
    };
    const came = quoteAnswer(maskers[endpoint]?.(text) ?? text);
    return new IncompleteDataError(`${sentence} It holds: ${came}`, { retryable: false, ...(hint ? { hint } : {}) });
  }
  const said = asSentence(endpoint, refusal.message ?? 'It does not say why');
  const details = refusal.errorId === undefined ? {} : { code: shown(endpoint, refusal.errorId) };
  if (endpoint === 'auth') return new SignInError(`The service refused the sign-in.${said}`, details);
  return new RejectedError(`The service rejected the request.${said}`, details);
}

/** The beginning of JSON with its keys alone: a message about a list of campaigns names none of them. */
function withoutNames(json: string): string {
  return json.slice(0, 10_000).replace(/"(?:[^"\\]|\\.)*"?(\s*:)?/g, (string, colon) => (colon ? string : '"…"'));
}

/** The error for a record in the place of a report's data; `undefined` where the record says nothing of the report. */
export function recordInsteadOfReport(answer: unknown, text: string): AdreportError | undefined {
  const refusal = refusalIn(answer);
  const state = reportStateOf(refusal);
  if (state) return reportNotThere(state, asSentence('download', refusal.message), {});
  return findError(answer) && unexpectedAnswer('download', answer, '', text);
}
