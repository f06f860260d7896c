import {
  type AdreportError,
  RejectedError,
  ReportFailedError,
  SignInError,
  StillInProgressError,
  UnreachableError,
} from '../errors.ts';
import { printable } from '../text/printable.ts';
import { readRefusal } from './answers.ts';
import type { HttpResponse } from './http.ts';

const refusalBytesAtMost = 64 * 1024;

/** The call that was refused. */
interface RefusedCall {
  readonly url: URL;
  readonly isSignIn: boolean;
  /** Whether it names a report, which may be what is not there. */
  readonly namesReport: boolean;
}

/**
 * The error that the user is to see for an answer that is no 2xx, with what the service says in its first 64 KiB
 * (`decisions.md` 6). Its class, and so the exit code, follows from the status; never throws.
 */
export async function readHttpError(response: HttpResponse, call: RefusedCall): Promise<AdreportError> {
  const refusal = readRefusal(await readSome(response), response.headers['content-type']);
  const said = refusal.message === undefined ? undefined : printable(refusal.message);
  const faults = refusal.faults.length > 1 ? refusal.faults.map((fault) => `\n  - ${printable(fault)}`).join('') : '';
  const status = response.status;
  const label = refusal.errorId ? `${status} ${printable(refusal.errorId)}` : `${status}`;
  const details = { code: refusal.errorId ?? `HTTP_${status}`, httpStatus: status };
  const because = `${said === undefined ? '' : ` ${asSentence(said)}`} (${label})${faults}`;
  return toError(call, status, because, details);
}

function toError(
  call: RefusedCall,
  status: number,
  because: string,
  details: { readonly code: string; readonly httpStatus: number },
): AdreportError {
  const { origin } = call.url;
  if (status === 429) {
    const hint = 'Run the command again later, or with a larger --poll-interval or fewer parts at a time.';
    return new UnreachableError(`${origin} allows no more requests for now.${because}`, { ...details, hint });
  }
  if (status >= 500 || status === 408) {
    const hint = 'The fault is on the service’s side: run the command again later.';
    return new UnreachableError(`${origin} is not able to answer.${because}`, { ...details, hint });
  }
  if (call.isSignIn) {
    const hint = 'Check the e-mail address and the password, or sign in with a token: adreport login --token-stdin';
    return new SignInError(`The service refused the sign-in.${because}`, { ...details, hint });
  }
  if (status === 401 || (status === 403 && details.code !== 'ADMIN_ONLY')) {
    const hint = 'Sign in again with: adreport login (unattended: set ADREPORT_TOKEN, or ADREPORT_EMAIL and _PASSWORD)';
    return new SignInError(`The service refused the token.${because}`, { ...details, hint });
  }
  if (status === 409 && details.code === 'REPORT_NOT_READY') {
    return new StillInProgressError(`The report is not ready.${because}`, details);
  }
  if (status === 410 && call.namesReport) {
    const hint = 'Create the report anew with: adreport run';
    return new ReportFailedError(`The report is gone.${because}`, { ...details, hint });
  }
  const what = call.namesReport ? 'the report id and the base URL' : 'the base URL';
  const hint = status === 404 ? `Check ${what}: adreport whoami shows what is set.` : undefined;
  return new RejectedError(`The service rejected the request.${because}`, { ...details, ...(hint ? { hint } : {}) });
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The beginning of a body as text; a body that breaks off says as much as it got to say. */
async function readSome(response: HttpResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      size += piece.length;
      if (size >= refusalBytesAtMost) break;
    }
  } catch {
    // The status is the answer; the text only explains it.
  }
  return Buffer.concat(pieces).toString('utf8').slice(0, refusalBytesAtMost);
}
