import type { Encoding, EndpointName } from '../contract/messages.ts';
import {
  IncompleteDataError,
  RejectedError,
  ReportFailedError,
  SignInError,
  StillInProgressError,
  UnreachableError,
} from '../errors.ts';
import { printable } from '../text/printable.ts';
import { isPage, peek, quoteAnswer, recordIn, type ServiceRecord, tryJson } from './answers.ts';
import type { HttpResponse } from './http.ts';

/** The class, which gives the exit code, the first sentence, and what to do next. */
type Meaning = readonly [
  Class: typeof RejectedError | typeof SignInError,
  sentence: string,
  hint?: string | undefined,
];

const notThere: Readonly<Record<'failed' | 'progress', Meaning>> = {
  progress: [StillInProgressError, 'The report is not ready.'],
  failed: [ReportFailedError, 'The report has failed.', 'Create it anew: adreport run'],
};

function meaningOf(
  endpoint: EndpointName,
  encoding: Encoding,
  status: number,
  refusal: ServiceRecord,
): Meaning {
  const later = 'The fault is on the service’s side: run the command again later.';
  if (status === 429)
    return [
      UnreachableError,
      'The service allows no more requests for now.',
      'Run it again later.',
    ];
  if (status >= 500 || status === 408)
    return [UnreachableError, 'The service is not able to answer.', later];
  const mayTakeForms =
    status === 415 || (status === 400 && (endpoint === 'auth' || endpoint === 'status'));
  const formHint =
    mayTakeForms && encoding === 'json' && endpoint !== 'campaigns'
      ? 'If this service takes forms only, add --encoding form (adreport login --encoding form keeps it).'
      : undefined;
  if (endpoint === 'auth') {
    const hint =
      'Check the e-mail address and the password, or sign in with a token: adreport login --token-stdin';
    return [SignInError, 'The service refused the sign-in.', formHint ?? hint];
  }
  if (status === 401 || (status === 403 && refusal.errorId !== 'ADMIN_ONLY')) {
    const hint =
      'Sign in again with: adreport login (unattended: set ADREPORT_TOKEN, or ADREPORT_EMAIL and _PASSWORD)';
    return [SignInError, 'The service refused the token.', hint];
  }
  const state = refusal.reportState ?? (status === 425 ? 'progress' : undefined);
  if (endpoint === 'download' && state && [200, 409, 425].includes(status)) return notThere[state];
  const namesReport = endpoint === 'status' || endpoint === 'download';
  if (status === 410 && namesReport)
    return [ReportFailedError, 'The report is gone.', 'Create it anew: adreport run'];
  const what = namesReport ? 'the report id and the base URL' : 'the base URL';
  const notFound = status === 404 ? `Check ${what}: adreport whoami shows what is set.` : undefined;
  return [RejectedError, 'The service rejected the request.', formHint ?? notFound];
}

/** The error for an answer that is no 2xx, with what the service says in its first 64 KiB (`decisions.md` 6). Never throws. */
export async function readHttpError(
  response: HttpResponse,
  endpoint: EndpointName,
  encoding: Encoding,
) {
  const { status, body } = response;
  // The status is the answer; a text that breaks off, or goes on for ever, would only explain it.
  const { start: text } = await peek(body).catch(() => ({ start: '' }));
  body.destroy();
  const firstLine = isPage(text, response)
    ? undefined
    : text.trim().split(/\r?\n/)[0]?.slice(0, 300);
  const refusal = recordIn(tryJson(text) ?? firstLine);
  const code = refusal.errorId && shown(endpoint, refusal.errorId);
  const faults =
    refusal.faults.length > 1
      ? refusal.faults.map((fault) => `\n  - ${shown(endpoint, fault)}`)
      : [];
  const label = code ? `(${status} ${code})` : `(${status})`;
  const [Class, what, hint] = meaningOf(endpoint, encoding, status, refusal);
  const message = `${what}${asSentence(endpoint, refusal.message)} ${label}${faults.join('')}`;
  return new Class(message, { code: code ?? `HTTP_${status}`, httpStatus: status, hint });
}

/**
 * The error for an answer with status 200 that lacks what it should hold: the service's own where it names one, else exit
 * 9 with the sentence that says what is missing, and the beginning of the body.
 */
export function unexpectedAnswer(
  endpoint: EndpointName,
  answer: unknown,
  lack: string,
  text: string,
  hint?: string,
) {
  const refusal = recordIn(answer);
  const { isError, errorId, status, outcome, reportState } = refusal;
  const isRefusedSignIn = endpoint === 'auth' && status !== '' && outcome !== 'ready';
  if (!isError && !isRefusedSignIn && !(endpoint === 'download' && reportState)) {
    // A message about a list of campaigns names none of them.
    const start = text.slice(0, 10_000);
    const came =
      endpoint === 'campaigns'
        ? start.replace(jsonTexts, (name, colon) => (colon ? name : '"…"'))
        : start;
    const quoted = quoteAnswer(shown(endpoint, came));
    return new IncompleteDataError(`${lack} It holds: ${quoted}`, { retryable: false, hint });
  }
  const why =
    refusal.message ?? errorId ?? (status ? `Its status is ${status}` : 'It does not say why');
  const [Class, what, next] = meaningOf(endpoint, 'form', 200, refusal);
  const code = errorId && shown(endpoint, errorId);
  return new Class(`${what}${asSentence(endpoint, why)}`, { code, hint: next });
}

const jsonTexts = /"(?:[^"\\]|\\.)*"?(\s*:)?/g;

/** The error for a record in the place of a report's data; `undefined` where the record says nothing of the report. */
export function recordInsteadOfReport(answer: unknown, text: string) {
  const { reportState, isError } = recordIn(answer);
  return reportState || isError ? unexpectedAnswer('download', answer, '', text) : undefined;
}

function asSentence(endpoint: EndpointName, text: string | undefined): string {
  return text === undefined ? '' : ` ${shown(endpoint, text)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** A text of the service as it may be shown; one of an answer to sign-in may hold a token. */
function shown(endpoint: EndpointName, text: string): string {
  return printable(endpoint === 'auth' ? withoutTokens(text) : text);
}

/**
 * A text of an answer to sign-in without what may be a token in an unknown place: a value whose name says so, and every
 * run of 16 characters or more, unless it is a word of capitals such as an error's.
 */
export function withoutTokens(text: string): string {
  return text
    .replace(
      /("[^"]*(?:token|key|secret|session|auth)[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi,
      '$1"[hidden]"',
    )
    .replace(/[\w.~+/=-]{16,}/g, (run) => (/^[A-Z]+(_[A-Z]+)+\.?$/.test(run) ? run : '[hidden]'));
}
