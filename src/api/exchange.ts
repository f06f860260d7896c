import { type Encoding, type EndpointName, endpoints } from '../contract/messages.ts';
import { AdreportError, codeOf, IncompleteDataError, StillInProgressError } from '../errors.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import type { Redact } from './hidden-texts.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { type AcceptedBefore, readHttpError, type SignInOrigin } from './refusal.ts';
import { TransportError } from './transport-error.ts';

/** What the calls of one client have in common. */
export interface ExchangeOptions {
  readonly baseUrl: URL;
  readonly http: Http;
  readonly encoding: Encoding;

  /** How many times a call that failed in passing is made again. */
  readonly retries: number;
  readonly host: ExchangeHost;

  /** Says why a call is made again and when, or what is odd about an answer. */
  readonly note: (sentence: string) => void;
  readonly redact: Redact;
}

/** What the calls take from the machine; the clocks give milliseconds. */
interface ExchangeHost {
  /** Since 1970. */
  readonly wallClock: () => number;

  /** Never runs backwards. */
  readonly stopwatch: () => number;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

type Sleep = (durationMs: number, signal?: AbortSignal) => Promise<void>;

/** The body of a POST. */
export interface CallBody {
  readonly contentType: string;
  readonly text: string;
}

/** One call of the service, before its retries. */
export interface Call {
  readonly endpoint: EndpointName;
  readonly body?: CallBody;

  /**
   * How long the call may go on being repeated, in milliseconds; the last try is made then.
   * Default: no limit.
   */
  readonly patienceMs?: number | undefined;
  readonly token?: string | undefined;
  readonly origin?: SignInOrigin | undefined;

  /** What the service has accepted before from this client. */
  readonly accepted?: AcceptedBefore;
}

/** A call as it is sent: what is absent here is not sent. */
export interface SentCall {
  readonly endpoint: EndpointName;
  readonly body?: CallBody | undefined;

  /** The whole value of the Authorization header. */
  readonly authorization?: string | undefined;

  /** The value of the Accept header; `null` sends none. Default: `application/json`. */
  readonly accept?: string | null | undefined;
}

/** The request of a call to a service. */
export function requestOf(
  { endpoint, body, authorization, accept = 'application/json' }: SentCall,
  { baseUrl, signal }: { readonly baseUrl: URL; readonly signal: AbortSignal },
): HttpRequest {
  const { method, path } = endpoints[endpoint];
  const headers: Record<string, string> = {};
  if (accept !== null) headers.accept = accept;
  if (body) headers['content-type'] = body.contentType;
  if (authorization !== undefined) headers.authorization = authorization;

  return {
    method,
    url: new URL(baseUrl.href.replace(/\/$/, '') + path),
    headers,
    body: body?.text,
    signal,
    isDownload: endpoint === 'download',
  };
}

/** Reads an answer with a status of success, anew for each try. */
export type ReadAnswer<Result> = (response: HttpResponse) => Promise<Result>;

/** What one try of a call came to. */
type Outcome<Result> = { readonly isAnswered: true; readonly result: Result } | Failure;

/** A try that failed. */
interface Failure {
  readonly isAnswered: false;
  readonly error: AdreportError;

  /** Of HTTP, where there was an answer. */
  readonly status?: number;

  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
  readonly mayRetry: boolean;

  /** Whether the service may have carried out a create all the same. */
  readonly mayExist: boolean;
}

/** How far the tries of a call have come. */
interface Tries {
  readonly tries: number;

  /** How long the call may still be waited for, in milliseconds. */
  readonly leftMs: number;
}

/**
 * The longest `Retry-After` that is waited for: a cron job is told of a longer one instead of
 * sleeping through it.
 */
const longestRetryAfterMs = 15 * 60_000;
const mayExistSentence = 'A report may have been created all the same.';

/** The statuses of HTTP after which the same call may soon succeed. */
export const passingStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];

/**
 * Makes calls and reads their answers, with retries (`cli.md`, Waiting) and one pace for all of a
 * client. A create makes a report more each time it is carried out, so it is repeated only when it
 * certainly did nothing.
 */
export class Exchanges {
  readonly #options: ExchangeOptions;
  readonly #throttle: Throttle;

  /** The failures that were reported since a call was answered last: many calls may share one. */
  readonly #reportedFailures = new Set<string>();

  constructor(options: ExchangeOptions) {
    const { stopwatch, sleep, signal } = options.host;
    this.#options = options;
    this.#throttle = new Throttle(stopwatch, sleep, signal);
  }

  /** Throws the error of the last try. */
  async perform<Result>(call: Call, read: ReadAnswer<Result>): Promise<Result> {
    const { stopwatch } = this.#options.host;
    const endMs = stopwatch() + (call.patienceMs ?? Number.POSITIVE_INFINITY);
    for (let tries = 1; ; tries += 1) {
      await this.#throttle.pass();
      const outcome = await this.#try(call, read);
      if (outcome.isAnswered) {
        this.#throttle.ease();
        this.#reportedFailures.clear();
        return outcome.result;
      }
      await this.#pauseOrThrow(call, outcome, { tries, leftMs: endMs - stopwatch() });
    }
  }

  /**
   * Waits until the next try of a call, and reports why, once. Throws the error if there is no
   * other try.
   */
  async #pauseOrThrow(call: Call, failure: Failure, { tries, leftMs }: Tries): Promise<void> {
    const { retries, host, note } = this.#options;
    const { error, status, retryAfterMs = 0, mayRetry } = failure;
    const isTooLong = call.patienceMs === undefined && retryAfterMs > longestRetryAfterMs;
    if (isTooLong) {
      const asked = formatDuration(retryAfterMs);
      error.amend(`It asks to be left alone for ${asked}, which is not waited for.`);
    }
    // Timers may end a fraction of a millisecond early, and that is no reason for one more try.
    const isTimeUp = leftMs < 1;
    if (tries > retries || !mayRetry || isTooLong || isTimeUp) throw finalError(failure, tries);

    const pauseMs = Math.min(retryPauseMs(tries, retryAfterMs, host.random), leftMs);
    const [firstLine = ''] = error.message.split('\n', 1);
    const most = formatPlural(retries - tries + 1, 'time');
    if (!this.#reportedFailures.has(firstLine)) {
      this.#reportedFailures.add(firstLine);
      note(`${firstLine} Trying again in ${formatDuration(pauseMs)}, ${most} at most.`);
    }
    if (status === 429) this.#throttle.hold(pauseMs);
    else await host.sleep(pauseMs, host.signal);
  }

  /** One try of a call. Throws what no repetition can mend. */
  async #try<Result>(call: Call, read: ReadAnswer<Result>): Promise<Outcome<Result>> {
    const { http, baseUrl, encoding, host, redact } = this.#options;
    const { endpoint, body, token, origin, accepted } = call;
    const { signal } = host;
    const isCreate = endpoint === 'buyer';
    let wasSent = false;
    try {
      const response = await http.send({
        ...requestOf({ endpoint, body, authorization: token }, { baseUrl, signal }),
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
      // The service says that it did nothing, and when to come back.
      const isForNow = status === 429 || (status === 503 && retryAfterMs !== undefined);
      const mayHaveFailedLate = !isForNow && (status >= 500 || status === 408);
      // A report that is not there yet is waited for, and not asked for again at once.
      const isNotYet = error instanceof StillInProgressError;
      const isPassing = passingStatuses.includes(status) && !isNotYet;
      return {
        isAnswered: false,
        error: error.amend('', { retryAfterMs }),
        status,
        retryAfterMs,
        mayRetry: isCreate ? isForNow : isPassing,
        mayExist: isCreate && wasSent && mayHaveFailedLate,
      };
    } catch (thrown) {
      const mayExist = isCreate && wasSent;
      if (host.signal.aborted) throw interruption(host.signal.reason, mayExist);
      const { error, passing } = lossOf(thrown);
      return { isAnswered: false, error, mayRetry: passing && !mayExist, mayExist };
    }
  }
}

/** The error that ends a call. */
function finalError({ error, mayExist }: Failure, tries: number): AdreportError {
  if (!mayExist) return tries === 1 ? error : error.amend(`Tried ${tries} times.`);
  return error.amend(mayExistSentence, {
    code: 'CREATE_UNCERTAIN',
    hint: 'It is not asked for again by itself: running the command again creates another report.',
    retryable: false,
  });
}

function interruption(reason: unknown, mayExist: boolean): unknown {
  const isOurs = reason instanceof AdreportError;
  return mayExist && isOurs ? reason.amend(mayExistSentence) : reason;
}

/** The error of one try, and whether the same may soon succeed. */
interface Loss {
  readonly error: AdreportError;
  readonly passing: boolean;
}

/**
 * What an exception of one try means; rethrows what no repetition can mend and no rule here
 * explains.
 */
function lossOf(thrown: unknown): Loss {
  if (thrown instanceof TransportError) return thrown;
  if (thrown instanceof IncompleteDataError) return { error: thrown, passing: thrown.retryable };

  const isDecompression = /^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test(codeOf(thrown) ?? '');
  if (thrown instanceof AdreportError || !isDecompression) throw thrown;
  const message = 'The compressed answer is damaged or cut short.';
  return { error: new IncompleteDataError(message, { cause: thrown }), passing: true };
}

/**
 * Milliseconds before the next try: doubling from half a second to half a minute with the `tries`
 * that have failed, less a random half, so that many clients do not come back at the same moment.
 * `Retry-After` makes it longer, never shorter.
 */
export function retryPauseMs(tries: number, retryAfterMs: number, random: () => number): number {
  const longestMs = Math.min(30_000, 500 * 2 ** (tries - 1));
  const pauseMs = Math.round(longestMs * (0.5 + random() / 2));
  return Math.max(pauseMs, retryAfterMs);
}

const yearMs = 365 * 86_400_000;

/**
 * `Retry-After` (RFC 9110, 10.2.3) in milliseconds from now, a year at most; `undefined` when
 * unreadable.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const isSeconds = /^\d+(\.\d+)?$/.test(text);
  const waitMs = isSeconds ? Math.round(Number(text) * 1_000) : Date.parse(text) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(0, waitMs), yearMs);
}

/**
 * One pace for all the calls of a client. A 429 stops all of them for the pause it asks for, and
 * doubles the space between two calls after it; each call that gets through takes a tenth off. So
 * many parts settle at about the rate that is allowed.
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

  /** Resolves when a call may be made: those who wait leave one after the other. */
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
