import { AdreportError, codeOf, IncompleteDataError, UnreachableError } from '../errors.ts';
import { formatDuration } from '../text/duration.ts';
import type { Http, HttpResponse } from './http.ts';
import { readHttpError } from './http-error.ts';
import { type FailedTry, longestRetryAfterMs, mayRetry, parseRetryAfter, retryPauseMs } from './retry.ts';
import { createThrottle } from './throttle.ts';
import { TransportError } from './transport-error.ts';
import { unreachable } from './unreachable.ts';

/** What the calls of one client have in common. */
export interface ExchangeOptions {
  readonly baseUrl: URL;
  readonly http: Http;
  /** How many times a call that failed in passing is made again. */
  readonly retries: number;
  /**
   * Whether a create that was refused with 429 is made again like any other call: in a run of many reports, whose own
   * pace the service objects to. Otherwise no create is made twice.
   */
  readonly repeatsRefusedCreates?: boolean;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Milliseconds that never run backwards. */
  readonly stopwatch: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 (inclusive) to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told before each pause. */
  readonly onRetry?: (retry: Retry) => void;
}

/** Why a call is made again, one sentence, and when. */
export interface Retry {
  readonly why: string;
  readonly pauseMs: number;
}

/** An encoded request body. */
export interface RequestBody {
  readonly contentType: string;
  readonly text: string;
}

/** One call of the service, before its retries. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: RequestBody | undefined;
  /** Whether making it twice does no harm. */
  readonly repeatable: boolean;
  /** How long the call may go on being repeated, in milliseconds; the last try is made then. Default: no limit. */
  readonly patienceMs?: number | undefined;
  /** Whether it is the call that exchanges credentials for a token: a refusal of it is one of them. */
  readonly isSignIn?: boolean;
  /** Whether it names a report, which may be unknown or gone. */
  readonly namesReport?: boolean;
  /** Whether the answer is small, and must not trickle for ever. */
  readonly isBrief?: boolean;
  readonly authorization?: {
    readonly token: string;
    /** A fresh token in place of a refused one, where there are credentials. */
    readonly renew: (refused: string) => Promise<string | undefined>;
  };
}

/** The door to the service for a client: what is sent through it comes to its end, or to an error for the user. */
export interface Exchange {
  /** Makes the call, with retries and one renewal of the token, and reads its answer. Throws the errors of `errors.ts`. */
  perform<T>(call: Call, read: (response: HttpResponse) => Promise<T>): Promise<T>;
}

/** What one try came to, when it came to nothing. */
interface Failure {
  readonly failed: FailedTry;
  readonly error: AdreportError;
  readonly retryAfter?: string | undefined;
}

/** The retry loop around `Http`, with one pace for all the calls of a client (`cli.md`, Waiting). */
export function createExchange(options: ExchangeOptions): Exchange {
  const { baseUrl, signal } = options;
  const throttle = createThrottle({ clock: options.stopwatch, sleep: options.sleep, signal });

  async function perform<T>(call: Call, read: (response: HttpResponse) => Promise<T>): Promise<T> {
    const url = new URL(baseUrl.href.replace(/\/$/, '') + call.path);
    let token = call.authorization?.token;
    const startedMs = options.stopwatch();
    let renewed = false;
    for (let tries = 1; ; ) {
      await throttle.pass();
      const outcome = await attempt(options, { call, url, token }, read);
      if ('value' in outcome) {
        throttle.ease();
        return outcome.value;
      }
      if (call.authorization && token !== undefined && outcome.failed.status === 401 && !renewed) {
        renewed = true;
        const fresh = await call.authorization.renew(token);
        if (fresh !== undefined) {
          token = fresh;
          continue;
        }
      }
      const leftMs = (call.patienceMs ?? Infinity) - (options.stopwatch() - startedMs);
      const pauseMs = pauseBefore(outcome, call, tries, leftMs);
      if (pauseMs === undefined) throw lastWord(outcome, call, tries);
      options.onRetry?.({ why: outcome.error.message.split('\n')[0] ?? '', pauseMs });
      if (outcome.failed.status === 429) throttle.hold(pauseMs);
      else await options.sleep(pauseMs, signal);
      tries += 1;
    }
  }

  /** How long to pause before the next try, in milliseconds; `undefined` where there is none. */
  function pauseBefore({ failed, error, retryAfter }: Failure, call: Call, tries: number, leftMs: number) {
    const repeatable = call.repeatable || (options.repeatsRefusedCreates === true && failed.status === 429);
    if (!mayRetry(failed, { repeatable, tries, retries: options.retries })) return undefined;
    const retryAfterMs = parseRetryAfter(retryAfter, options.wallClock());
    if (call.patienceMs === undefined && retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) {
      error.amend(`It asks to be left alone for ${formatDuration(retryAfterMs)}, which is not waited for.`);
      return undefined;
    }
    // Timers may end a fraction of a millisecond early: that much is no reason for one more try.
    return leftMs < 1 ? undefined : Math.min(retryPauseMs(tries, retryAfterMs, options.random), leftMs);
  }

  return { perform };
}

/** One try of a call. Throws what no repetition can mend. */
async function attempt<T>(
  { http, signal }: ExchangeOptions,
  { call, url, token }: { readonly call: Call; readonly url: URL; readonly token: string | undefined },
  read: (response: HttpResponse) => Promise<T>,
): Promise<{ value: T } | Failure> {
  const headers = headersOf(call, token);
  let sent = false;
  const onSent = (): void => {
    sent = true;
  };
  try {
    const request = { method: call.method, url, headers, signal, onSent, isBrief: call.isBrief };
    const response = await http.send(call.body ? { ...request, body: call.body.text } : request);
    if (response.status < 200 || response.status > 299) {
      return {
        failed: { status: response.status, sent: true, passing: false },
        error: await readHttpError(response, {
          url,
          isSignIn: call.isSignIn === true,
          namesReport: call.namesReport === true,
        }),
        retryAfter: response.headers['retry-after'],
      };
    }
    return { value: await read(response) };
  } catch (error) {
    if (signal.aborted) throw sent && !call.repeatable ? interruptedCreate(signal.reason) : signal.reason;
    return toFailure(error, url);
  }
}

function headersOf({ body }: Call, token: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body) headers['content-type'] = body.contentType;
  if (token !== undefined) headers.authorization = token;
  return headers;
}

/** What an exception of one try means; rethrows what no repetition can mend and no rule here explains. */
function toFailure(error: unknown, url: URL): Failure {
  if (error instanceof IncompleteDataError) {
    return { failed: { sent: true, passing: error.retryable }, error };
  }
  if (error instanceof AdreportError) throw error;
  if (error instanceof TransportError) {
    const passing = !['unknown-host', 'tls', 'not-http', 'proxy-refusal'].includes(error.failure);
    return { failed: { sent: error.sent, passing }, error: unreachable(error, url) };
  }
  if (/^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test(codeOf(error) ?? '')) {
    const damaged = new IncompleteDataError('The compressed answer is damaged or cut short.', { cause: error });
    return { failed: { sent: true, passing: true }, error: damaged };
  }
  throw error;
}

/** Ctrl-C while a create was on its way. */
function interruptedCreate(reason: unknown): unknown {
  return reason instanceof AdreportError ? reason.amend('A report may have been created all the same.') : reason;
}

/** The error that ends the call: says how often it was tried, and what a create may have left behind. */
function lastWord({ failed, error }: Failure, call: Call, tries: number): AdreportError {
  if (!call.repeatable && failed.sent && mayHaveCreated(failed, error)) {
    return error.amend('A report may have been created all the same.', {
      code: 'CREATE_UNCERTAIN',
      hint: 'It is not asked for again by itself: running the command again creates another report.',
      retryable: false,
    });
  }
  return tries === 1 ? error : error.amend(`Tried ${tries} times.`);
}

/** Whether a failed create may have been carried out: a refusal in so many words was not. */
function mayHaveCreated({ status }: FailedTry, error: AdreportError): boolean {
  if (status === undefined) return error instanceof UnreachableError || error instanceof IncompleteDataError;
  return status === 408 || status >= 500;
}

/** A retry as one line for people. */
export function describeRetry({ why, pauseMs }: Retry): string {
  return `${why} Trying again in ${formatDuration(pauseMs)}.`;
}
