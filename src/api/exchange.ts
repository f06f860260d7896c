import type { Encoding } from '../contract/messages.ts';
import { type EndpointName, endpoints } from '../contract/messages.ts';
import { AdreportError, codeOf, IncompleteDataError, SignInError } from '../errors.ts';
import { formatDuration } from '../text/quantity.ts';
import type { Http, HttpResponse } from './http.ts';
import { readHttpError } from './refusal.ts';
import {
  createThrottle,
  type FailedTry,
  isRefusedForNow,
  longestRetryAfterMs,
  mayRetry,
  parseRetryAfter,
  retryPauseMs,
} from './retry.ts';
import { TransportError, unreachable } from './transport-error.ts';

/** What the calls of one client have in common. */
export interface ExchangeOptions {
  readonly baseUrl: URL;
  readonly http: Http;
  /** How the bodies of calls are written. */
  readonly encoding: Encoding;
  /** How many times a call that failed in passing is made again. */
  readonly retries: number;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Milliseconds that never run backwards. */
  readonly stopwatch: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 (inclusive) to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told in one sentence, before each pause, why a call is made again and when. */
  readonly onRetry?: (sentence: string) => void;
}

/** An encoded request body. */
export interface RequestBody {
  readonly contentType: string;
  readonly text: string;
}

/** One call of the service, before its retries. */
export interface Call {
  readonly endpoint: EndpointName;
  readonly body?: RequestBody;
  /** How long the call may go on being repeated, in milliseconds; the last try is made then. Default: no limit. */
  readonly patienceMs?: number | undefined;
  readonly token?: string;
  /** A fresh token in place of a refused one, where there are credentials. */
  readonly renew?: (refused: string) => Promise<string | undefined>;
}

/** What one try came to, when it came to nothing. */
type Failure = { readonly failed: FailedTry; readonly error: AdreportError };

/**
 * The retry loop around `Http`, with one pace for all the calls of a client (`cli.md`, Waiting). What it returns makes a
 * call, with retries and one renewal of the token, and reads its answer. It throws the errors of `errors.ts`.
 */
export function createExchange(options: ExchangeOptions) {
  const { signal, stopwatch } = options;
  const throttle = createThrottle(stopwatch, options.sleep, signal);

  return async function perform<T>(call: Call, read: (response: HttpResponse) => Promise<T>): Promise<T> {
    const startedMs = stopwatch();
    let current = call;
    for (let tries = 1; ; ) {
      await throttle.pass();
      const outcome = await attempt(options, current, read);
      if ('value' in outcome) {
        throttle.ease();
        return outcome.value;
      }
      const { token, renew, ...others } = current;
      if (outcome.error instanceof SignInError && renew && token !== undefined) {
        const fresh = await renew(token);
        current = { ...others, token: fresh ?? token };
        if (fresh !== undefined) continue;
      }
      const leftMs = (call.patienceMs ?? Number.POSITIVE_INFINITY) - (stopwatch() - startedMs);
      const pauseMs = pauseBefore(options, outcome, call, tries, leftMs);
      if (pauseMs === undefined) throw lastWord(outcome, call, tries);
      options.onRetry?.(`${outcome.error.message.split('\n')[0]} Trying again in ${formatDuration(pauseMs)}.`);
      if (outcome.failed.status === 429) throttle.hold(pauseMs);
      else await options.sleep(pauseMs, signal);
      tries += 1;
    }
  };
}

/** Whether each such call that is carried out makes a report more; the other calls change nothing. */
function isCreate({ endpoint }: Call): boolean {
  return endpoint === 'buyer';
}

/** How long to pause before the next try, in milliseconds; `undefined` where there is none. */
function pauseBefore(
  { retries, random }: ExchangeOptions,
  { failed, error }: Failure,
  call: Call,
  tries: number,
  leftMs: number,
): number | undefined {
  if (!mayRetry(failed, { isCreate: isCreate(call), tries, retries })) return undefined;
  const { retryAfterMs = 0 } = failed;
  if (call.patienceMs === undefined && retryAfterMs > longestRetryAfterMs) {
    error.amend(`It asks to be left alone for ${formatDuration(retryAfterMs)}, which is not waited for.`);
    return undefined;
  }
  // Timers may end a fraction of a millisecond early, and that is no reason for one more try.
  return leftMs < 1 ? undefined : Math.min(retryPauseMs(tries, retryAfterMs, random), leftMs);
}

/** One try of a call. Throws what no repetition can mend. */
async function attempt<T>(
  { baseUrl, encoding, http, signal, wallClock }: ExchangeOptions,
  call: Call,
  read: (response: HttpResponse) => Promise<T>,
): Promise<{ value: T } | Failure> {
  const { endpoint, body, token } = call;
  const { method, path } = endpoints[endpoint];
  const url = new URL(baseUrl.href.replace(/\/$/, '') + path);
  let sent = false;
  try {
    const response = await http.send({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...(body ? { 'content-type': body.contentType } : {}),
        ...(token === undefined ? {} : { authorization: token }),
      },
      body: body?.text,
      signal,
      isDownload: endpoint === 'download',
      onSent: () => {
        sent = true;
      },
    });
    const { status, headers } = response;
    if (status >= 200 && status <= 299) return { value: await read(response) };
    const retryAfterMs = parseRetryAfter(headers['retry-after'], wallClock());
    return {
      failed: { status, retryAfterMs, sent: true, passing: false },
      error: await readHttpError(response, { url, endpoint, encoding }),
    };
  } catch (error) {
    if (!signal.aborted) return toFailure(error, url);
    const reason: unknown = signal.reason;
    throw sent && isCreate(call) && reason instanceof AdreportError ? reason.amend(mayExist) : reason;
  }
}

/** What an exception of one try means; rethrows what no repetition can mend and no rule here explains. */
function toFailure(error: unknown, url: URL): Failure {
  if (error instanceof IncompleteDataError) return { failed: { sent: true, passing: error.retryable }, error };
  if (error instanceof TransportError) {
    const passing = !['unknown-host', 'tls', 'not-http', 'proxy-refusal'].includes(error.failure);
    return { failed: { sent: error.sent, passing }, error: unreachable(error, url) };
  }
  if (error instanceof AdreportError || !/^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test(codeOf(error) ?? '')) throw error;
  const damaged = new IncompleteDataError('The compressed answer is damaged or cut short.', { cause: error });
  return { failed: { sent: true, passing: true }, error: damaged };
}

const mayExist = 'A report may have been created all the same.';

/** The error that ends the call: says how often it was tried, and what a create may have left behind. */
function lastWord({ failed, error }: Failure, call: Call, tries: number): AdreportError {
  const { status, sent } = failed;
  // A service that answers with a refusal has created nothing.
  const wasRefused = isRefusedForNow(failed) || (status !== undefined && status < 500 && status !== 408);
  if (isCreate(call) && sent && !wasRefused) {
    return error.amend(mayExist, {
      code: 'CREATE_UNCERTAIN',
      hint: 'It is not asked for again by itself: running the command again creates another report.',
      retryable: false,
    });
  }
  return tries === 1 ? error : error.amend(`Tried ${tries} times.`);
}
