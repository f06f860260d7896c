import { type Encoding, endpoints, endpointUrl } from '../contract/messages.ts';
import { AdreportError, isStillInProgress, UncertainCreateError, UnsentError } from '../errors.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import { hintFor } from './hints.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { UnreadableResponse } from './parse-responses.ts';
import {
  type CallFacts,
  callNames,
  type ErrorWording,
  maxRetryAfterMs,
  readRefusal,
  unreadableError,
} from './refusal.ts';

export interface CallerOptions extends ErrorWording {
  readonly baseUrl: URL;
  readonly http: Http;
  readonly encoding: Encoding;

  /** How many times a call is repeated after a temporary failure. */
  readonly retries: number;
  readonly host: CallerHost;

  /** Prints why and when a call is repeated, or what is unusual about a response. */
  readonly note: (sentence: string) => void;
}

/** Clocks and timers; all times are milliseconds. */
export interface CallerHost {
  /** Since 1970. */
  readonly wallClock: () => number;

  /** Monotonic. */
  readonly stopwatch: () => number;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

type Sleep = (durationMs: number, signal?: AbortSignal) => Promise<void>;

export interface CallBody {
  readonly contentType: string;
  readonly text: string;
}

/** Tries of one step so far; calls that repeat the step share them. */
export interface TryCount {
  tries: number;
}

/** One call to the service, before retries. */
export interface Call extends CallFacts {
  readonly body?: CallBody;

  /** Tries before this call; none by default. */
  readonly count?: TryCount | undefined;

  /** How long the call may be repeated, in milliseconds; no limit by default. */
  readonly retryForMs?: number | undefined;
  readonly token?: string | undefined;
}

/** A response and its `Retry-After`, in milliseconds from now. */
export interface TimedResponse extends HttpResponse {
  readonly retryAfterMs: number | undefined;
}

/** Reads a successful response; called again for each attempt. */
export type ReadResponse<Result> = (response: TimedResponse) => Promise<Result>;

interface Failure {
  readonly error: AdreportError;
  readonly mayRetry: boolean;
}

/**
 * Makes calls and reads their responses, with retries (`cli.md`, Waiting and resuming) and one
 * throttle for the client. Each create call makes another report, so it is only repeated if it
 * certainly had no effect.
 */
export class RetryingCaller {
  readonly #options: CallerOptions;
  readonly #throttle: Throttle;

  /** Failures printed since the last successful call: calls that share one print it once. */
  readonly #printedFailures = new Set<string>();

  constructor(options: CallerOptions) {
    const { stopwatch, sleep, signal } = options.host;
    this.#options = options;
    this.#throttle = new Throttle(stopwatch, sleep, signal);
  }

  /** Throws the error of the last attempt. */
  async call<Result>(call: Call, read: ReadResponse<Result>): Promise<Result> {
    const { stopwatch } = this.#options.host;
    const endMs = stopwatch() + (call.retryForMs ?? Number.POSITIVE_INFINITY);
    const count = call.count ?? { tries: 0 };
    for (;;) {
      count.tries += 1;
      await this.#throttle.pass();
      const outcome = await this.#try(call, read);
      if ('result' in outcome) {
        this.#throttle.ease();
        // The body of a download may still be cut.
        if (call.endpoint !== 'download') this.#printedFailures.clear();
        return outcome.result;
      }
      if (!outcome.mayRetry) throw outcome.error;
      await this.pause(outcome.error, count, endMs - stopwatch());
    }
  }

  /**
   * Waits for the next attempt and prints why. Throws the error if there is no next attempt.
   *
   * @param leftMs how long the step may still be repeated
   */
  async pause(
    error: AdreportError,
    { tries }: TryCount,
    leftMs = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const { retries, host, note } = this.#options;
    const { httpStatus, retryAfterMs = 0 } = error;
    const isTooLong = leftMs === Number.POSITIVE_INFINITY && retryAfterMs > maxRetryAfterMs;
    // Timers may fire a fraction of a millisecond early; that does not justify another attempt.
    if (tries > retries || isTooLong || leftMs < 1) throw error;

    const pauseMs = Math.min(retryPauseMs(tries, retryAfterMs, host.random), leftMs);
    const [firstLine = ''] = error.message.split('\n', 1);
    const left = formatPlural(retries - tries + 1, 'retry');
    if (!this.#printedFailures.has(firstLine)) {
      this.#printedFailures.add(firstLine);
      note(`${firstLine} Retrying in ${formatDuration(pauseMs)} (${left} left).`);
    }
    if (httpStatus === 429 || httpStatus === 403) this.#throttle.hold(pauseMs);
    else await host.sleep(pauseMs, host.signal);
  }

  /** Makes one attempt. Throws errors that a repetition cannot fix. */
  async #try<Result>(
    call: Call,
    read: ReadResponse<Result>,
  ): Promise<{ readonly result: Result } | Failure> {
    const { http, host } = this.#options;
    try {
      const response = await http.send(buildRequest(call, this.#options));
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], host.wallClock());
      const timed = { ...response, retryAfterMs };
      return { result: await this.#read(timed, call, read) };
    } catch (error) {
      if (host.signal.aborted) throw host.signal.reason;
      if (!(error instanceof AdreportError) || error.code === 'REDIRECT_REFUSED') throw error;
      if (call.endpoint === 'buyer') return this.#createFailure(error);
      // The caller waits for a report that is not ready.
      return { error, mayRetry: error.retryable && !isStillInProgress(error) };
    }
  }

  async #read<Result>(
    response: TimedResponse,
    call: Call,
    read: ReadResponse<Result>,
  ): Promise<Result> {
    const { status, retryAfterMs } = response;
    const facts = { ...call, retryAfterMs };
    if (status < 200 || status > 299) throw await readRefusal(response, facts, this.#options);
    try {
      return await read(response);
    } catch (error) {
      if (!(error instanceof UnreadableResponse)) throw error;
      throw unreadableError(error, facts, this.#options);
    }
  }

  /** The service certainly did nothing after 429, 503 with `Retry-After`, and most other 4xx. */
  #createFailure(error: AdreportError): Failure {
    const { httpStatus = 0, retryAfterMs, exitCode } = error;
    const isBusy = httpStatus === 429 || (httpStatus === 503 && retryAfterMs !== undefined);
    const isUnsent = error instanceof UnsentError;
    if (isBusy || isUnsent) return { error, mayRetry: error.retryable };

    const isClientError = httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408;
    if (isClientError || exitCode < 5) return { error, mayRetry: false };
    const hint = hintFor('uncertain', this.#options.wording);
    return { error: new UncertainCreateError(error, hint), mayRetry: false };
  }
}

function buildRequest(
  { endpoint, body, token }: Call,
  { baseUrl, host }: CallerOptions,
): HttpRequest {
  return {
    method: endpoints[endpoint].method,
    url: new URL(endpointUrl(baseUrl.href, endpoint)),
    step: callNames[endpoint],
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': body.contentType }),
      ...(token !== undefined && { authorization: token }),
    },
    body: body?.text,
    signal: host.signal,
    isDownload: endpoint === 'download',
  };
}

/**
 * Returns the pause in milliseconds before the next attempt: half a second, doubled with each
 * failed try up to half a minute, minus up to a random half so that clients do not return all at
 * once. `Retry-After` can only make it longer.
 */
export function retryPauseMs(tries: number, retryAfterMs: number, random: () => number): number {
  const maxPauseMs = Math.min(30_000, 500 * 2 ** (tries - 1));
  const pauseMs = Math.round(maxPauseMs * (0.5 + random() / 2));
  return Math.max(pauseMs, retryAfterMs);
}

const yearMs = 365 * 86_400_000;

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3) into milliseconds from now, at most a year; `undefined`
 * if it is unreadable.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const isSeconds = /^\d+(\.\d+)?$/.test(text);
  const waitMs = isSeconds ? Math.round(Number(text) * 1_000) : Date.parse(text) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(0, waitMs), yearMs);
}

/**
 * Throttles all calls of a client. A 429 pauses all of them and doubles the spacing between calls;
 * each success reduces it by a tenth. The calls settle at about the permitted rate.
 */
export class Throttle {
  readonly #clock: () => number;
  readonly #sleep: Sleep;
  readonly #signal: AbortSignal;
  #spacingMs = 0;
  #freeAtMs = Number.NEGATIVE_INFINITY;
  #last = Promise.resolve();

  constructor(clock: () => number, sleep: Sleep, signal: AbortSignal) {
    this.#clock = clock;
    this.#sleep = sleep;
    this.#signal = signal;
  }

  /** Resolves when the next call may be made, in the order of the callers. */
  pass(): Promise<void> {
    this.#last = this.#last.then(() => this.#passNext());
    return this.#last;
  }

  async #passNext(): Promise<void> {
    while (this.#freeAtMs > this.#clock()) {
      await this.#sleep(this.#freeAtMs - this.#clock(), this.#signal);
    }
    this.#freeAtMs = this.#clock() + this.#spacingMs;
  }

  hold(pauseMs: number): void {
    this.#freeAtMs = Math.max(this.#freeAtMs, this.#clock() + pauseMs);
    this.#spacingMs = Math.min(5_000, Math.max(50, this.#spacingMs * 2));
  }

  ease(): void {
    this.#spacingMs = this.#spacingMs < 6 ? 0 : this.#spacingMs * 0.9;
  }
}
