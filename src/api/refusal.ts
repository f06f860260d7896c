import type { EndpointName } from '../contract/endpoints.ts';
import type { Encoding } from '../contract/messages.ts';
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
import { findError, type Refusal, readRefusal, reportStateOf } from './answers.ts';
import type { HttpResponse } from './http.ts';
import { quote, readSome, withoutTokens } from './read-body.ts';

/** The call that was refused. */
interface RefusedCall {
  readonly url: URL;
  readonly endpoint: EndpointName;
  readonly encoding: Encoding;
}

/**
 * The error that the user is to see for an answer that is no 2xx, with what the service says in its first 64 KiB
 * (`decisions.md` 6). Its class, and so the exit code, follows from the status; never throws.
 */
export async function readHttpError(response: HttpResponse, call: RefusedCall): Promise<AdreportError> {
  const refusal = readRefusal(await readSome(response), response.headers['content-type']);
  const { status } = response;
  const code = shown(call, refusal.errorId) ?? `HTTP_${status}`;
  const label = refusal.errorId === undefined ? `${status}` : `${status} ${code}`;
  const said = shown(call, refusal.message);
  const faults = refusal.faults.length > 1 ? refusal.faults.map((fault) => `\n  - ${shown(call, fault)}`).join('') : '';
  const because = `${said === undefined ? '' : ` ${asSentence(said)}`} (${label})${faults}`;
  return toError(call, refusal, because, { code, httpStatus: status });
}

/** A text of the service as it may be shown; one of an answer to sign-in may hold a token. */
function shown({ endpoint }: Pick<RefusedCall, 'endpoint'>, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return printable(endpoint === 'auth' ? withoutTokens(text) : text);
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
  details: ErrorDetails = {},
): AdreportError {
  const refusal = findError(answer);
  if (!refusal) {
    const came = quote(endpoint === 'auth' ? withoutTokens(text) : text);
    return new IncompleteDataError(`${sentence} It holds: ${came}`, { retryable: false, ...details });
  }
  const said = ` ${asSentence(shown({ endpoint }, refusal.message ?? 'It does not say why') ?? '')}`;
  const code = shown({ endpoint }, refusal.errorId);
  const { reportId } = details;
  const known = { ...(code === undefined ? {} : { code }), ...(reportId === undefined ? {} : { reportId }) };
  if (endpoint === 'auth') return new SignInError(`The service refused the sign-in.${said}`, known);
  const state = endpoint === 'download' ? reportStateOf(refusal) : undefined;
  return state
    ? reportNotThere(state, said, known)
    : new RejectedError(`The service rejected the request.${said}`, known);
}

/** The error for a record in the place of a report's data; `undefined` where the record says nothing of the report. */
export function recordInsteadOfReport(answer: unknown, refusal: Refusal, text: string): AdreportError | undefined {
  if (findError(answer)) return unexpectedAnswer('download', answer, '', text);
  const state = reportStateOf(refusal);
  return state && reportNotThere(state, refusal.message ? ` ${asSentence(printable(refusal.message))}` : '', {});
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
