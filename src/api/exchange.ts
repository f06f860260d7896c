import { type Encoding, type EndpointName, endpoints, endpointUrl } from '../contract/messages.ts';
import {
  AdreportError,
  codeOf,
  IncompleteDataError,
  isInterruption,
  isStillInProgress,
  isUnreadable,
} from '../errors.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import type { Redact } from './redaction.ts';
import { type AcceptedBefore, readHttpError, type SignInOrigin } from './refusal.ts';
import { TransportError } from './transport-error.ts';

export interface ExchangeOptions {
  readonly baseUrl: URL;
  readonly http: Http;
  readonly encoding: Encoding;

  /** How many times a call is repeated after a temporary failure. */
  readonly retries: number;
  readonly host: ExchangeHost;

  /** Prints why and when a call is repeated, or what is unusual about a response. */
  readonly note: (sentence: string) => void;
  readonly redact: Redact;
}

/** Clocks and timers; all times are milliseconds. */
export interface ExchangeHost {
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
export interface Call {
  readonly endpoint: EndpointName;
  readonly body?: CallBody;

  /** Tries before this call; none by default. */
  readonly count?: TryCount | undefined;

  /** How long the call may be repeated, in milliseconds; no limit by default. */
  readonly patienceMs?: number | undefined;
  readonly token?: string | undefined;
  readonly origin?: SignInOrigin | undefined;

  /** What the service has accepted from this client before. */
  readonly accepted?: AcceptedBefore;
}

function toHttpRequest(
  { endpoint, body, token }: Call,
  { baseUrl, host }: ExchangeOptions,
): HttpRequest {
  return {
    method: endpoints[endpoint].method,
    url: new URL(endpointUrl(baseUrl.href, endpoint)),
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

/** Reads a successful response; called again for each attempt. */
export type ReadResponse<Result> = (response: HttpResponse) => Promise<Result>;

interface Failure {
  readonly isAnswered: false;
  readonly error: AdreportError;
  readonly mayRetry: boolean;

  /** The service may have created a report anyway. */
  readonly mayExist: boolean;
}

/** Longer `Retry-After`s end the call, so that a cron job reports them instead of sleeping. */
const maxRetryAfterMs = 15 * 60_000;
const mayExistSentence = 'A report may have been created anyway.';

/**
 * Makes calls and reads their responses, with retries (`cli.md`, Waiting) and one throttle for the
 * client. Each create call makes another report, so it is only repeated if it certainly had no
 * effect.
 */
export class Exchanges {
  readonly #options: ExchangeOptions;
  readonly #throttle: Throttle;

  /** Failures printed since the last successful call: calls that share one print it once. */
  readonly #reportedFailures = new Set<string>();

  constructor(options: ExchangeOptions) {
    const { stopwatch, sleep, signal } = options.host;
    this.#options = options;
    this.#throttle = new Throttle(stopwatch, sleep, signal);
  }

  /** Throws the error of the last attempt. */
  async perform<Result>(call: Call, read: ReadResponse<Result>): Promise<Result> {
    const { stopwatch } = this.#options.host;
    const endMs = stopwatch() + (call.patienceMs ?? Number.POSITIVE_INFINITY);
    const { count = { tries: 0 } } = call;
    for (;;) {
      count.tries += 1;
      await this.#throttle.pass();
      const outcome = await this.#try(call, read);
      if (outcome.isAnswered) {
        this.#throttle.ease();
        // The body of a download may still be cut.
        if (call.endpoint !== 'download') this.#reportedFailures.clear();
        return outcome.result;
      }
      const { tries } = count;
      await this.#pauseOrThrow(call, outcome, { tries, leftMs: endMs - stopwatch() });
    }
  }

  /** Pauses before a download is repeated whose body was cut. Throws the error otherwise. */
  pauseAfterCut(error: AdreportError, { tries }: TryCount): Promise<void> {
    const mayRetry = error.retryable;
    const failure = { isAnswered: false, error, mayRetry, mayExist: false } as const;
    const leftMs = Number.POSITIVE_INFINITY;
    return this.#pauseOrThrow({ endpoint: 'download' }, failure, { tries, leftMs });
  }

  /** Waits for the next attempt and prints why. Throws the error if there is no next attempt. */
  async #pauseOrThrow(
    call: Call,
    failure: Failure,
    { tries, leftMs }: { readonly tries: number; readonly leftMs: number },
  ): Promise<void> {
    const { retries, host, note } = this.#options;
    const { error, mayRetry } = failure;
    const { httpStatus, retryAfterMs = 0 } = error;
    const isTooLong = call.patienceMs === undefined && retryAfterMs > maxRetryAfterMs;
    if (isTooLong) {
      const pause = formatDuration(retryAfterMs);
      error.amend(`It asks for a pause of ${pause}, which is too long to wait.`);
    }
    // Timers may fire a fraction of a millisecond early; that does not justify another attempt.
    const isTimeUp = leftMs < 1;
    if (tries > retries || !mayRetry || isTooLong || isTimeUp) throw finalError(failure, tries);

    const pauseMs = Math.min(retryPauseMs(tries, retryAfterMs, host.random), leftMs);
    const [firstLine = ''] = error.message.split('\n', 1);
    const left = formatPlural(retries - tries + 1, 'retry');
    if (!this.#reportedFailures.has(firstLine)) {
      this.#reportedFailures.add(firstLine);
      note(`${firstLine} Retrying in ${formatDuration(pauseMs)} (${left} left).`);
    }
    if (httpStatus === 429 || httpStatus === 403) this.#throttle.hold(pauseMs);
    else await host.sleep(pauseMs, host.signal);
  }

  /** Makes one attempt. Throws errors that a repetition cannot fix. */
  async #try<Result>(
    call: Call,
    read: ReadResponse<Result>,
  ): Promise<{ readonly isAnswered: true; readonly result: Result } | Failure> {
    const { http, encoding, host, redact } = this.#options;
    const { endpoint, origin, accepted } = call;
    const isCreate = endpoint === 'buyer';
    let wasSent = false;
    try {
      const response = await http.send({
        ...toHttpRequest(call, this.#options),
        onSent: () => {
          wasSent = true;
        },
      });
      const { status, headers } = response;
      if (status >= 200 && status <= 299) {
        return { isAnswered: true, result: await read(response) };
      }

      const retryAfterMs = parseRetryAfter(headers['retry-after'], host.wallClock());
      const error = await readHttpError(response, {
        endpoint,
        encoding,
        origin,
        accepted,
        redact,
      });
      // The service did nothing, and another call may succeed.
      const isRefusedForNow = status < 500 && status !== 408 && error.retryable;
      const isForNow = isRefusedForNow || (status === 503 && retryAfterMs !== undefined);
      const mayHaveFailedLate = !isForNow && (status >= 500 || status === 408);
      // A report that is not ready is waited for, not requested again at once.
      const isNotYet = isStillInProgress(error);
      const isTemporary = error.retryable && !isNotYet;
      return {
        isAnswered: false,
        error: error.amend('', { retryAfterMs }),
        mayRetry: isCreate ? isForNow : isTemporary,
        mayExist: isCreate && wasSent && mayHaveFailedLate,
      };
    } catch (thrown) {
      const mayExist = isCreate && wasSent;
      if (host.signal.aborted) throw interruption(host.signal.reason, mayExist);
      const { error, isTemporary } = classifyError(thrown);
      return { isAnswered: false, error, mayRetry: isTemporary && !mayExist, mayExist };
    }
  }
}

/** Adds the number of attempts, or that a report may exist anyway. */
function finalError({ error, mayExist }: Failure, tries: number): AdreportError {
  if (!mayExist) return tries === 1 ? error : error.amend(`Gave up after ${tries} attempts.`);
  return withUnknownOutcome(error);
}

/** Adds to the error of a create call that the service may have created a report. */
export function withUnknownOutcome(error: AdreportError): AdreportError {
  if (isInterruption(error)) return error.amend(mayExistSentence);
  return error.amend(mayExistSentence, {
    code: 'CREATE_UNCERTAIN',
    hint: 'Running the command again requests a second report. First check adreport report list.',
    retryable: false,
  });
}

/** Returns the error for users of a body that broke off. Rethrows other errors. */
export function bodyError(thrown: unknown): AdreportError {
  return thrown instanceof AdreportError ? thrown : classifyError(thrown).error;
}

function interruption(reason: unknown, mayExist: boolean): unknown {
  const isOurs = reason instanceof AdreportError;
  return mayExist && isOurs ? reason.amend(mayExistSentence) : reason;
}

/** Classifies an exception. Rethrows errors that a repetition cannot fix. */
function classifyError(thrown: unknown): Pick<TransportError, 'error' | 'isTemporary'> {
  if (thrown instanceof TransportError) return thrown;
  if (isUnreadable(thrown)) return { error: thrown, isTemporary: thrown.retryable };

  const isDecompression = /^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test(codeOf(thrown) ?? '');
  if (thrown instanceof AdreportError || !isDecompression) throw thrown;
  const message = 'The compressed response is damaged or incomplete.';
  return { error: new IncompleteDataError(message, { cause: thrown }), isTemporary: true };
}

/**
 * Returns the pause in milliseconds before the next attempt: half a second, doubled with each
 * failed try up to half a minute, minus up to a random half so that clients do not return all at
 * once. `Retry-After` can only make it longer.
 */
export function retryPauseMs(tries: number, retryAfterMs: number, random: () => number): number {
  const longestMs = Math.min(30_000, 500 * 2 ** (tries - 1));
  const pauseMs = Math.round(longestMs * (0.5 + random() / 2));
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
