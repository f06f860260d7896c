import { type Encoding, type EndpointName, endpoints } from '../contract/messages.ts';
import { AdreportError, codeOf, IncompleteDataError } from '../errors.ts';
import { formatDuration } from '../text/quantity.ts';
import { type Http, type HttpResponse, TransportError } from './http.ts';
import { readHttpError } from './refusal.ts';

/** What the calls of one client have in common. */
export interface ExchangeOptions {
  readonly baseUrl: URL;
  readonly http: Http;
  readonly encoding: Encoding;
  /** How many times a call that failed in passing is made again. */
  readonly retries: number;
  /** The clocks give milliseconds: those since 1970, and those that never run backwards. */
  readonly host: {
    readonly wallClock: () => number;
    readonly stopwatch: () => number;
    readonly sleep: Sleep;
    readonly random: () => number;
    readonly signal: AbortSignal;
  };
  /** Says why a call is made again and when, or what is odd about an answer. */
  readonly warn: (sentence: string) => void;
}

type Sleep = (durationMs: number, signal?: AbortSignal) => Promise<void>;

/** One call of the service, before its retries. */
export interface Call {
  readonly endpoint: EndpointName;
  readonly body?: { readonly contentType: string; readonly text: string };
  /** How long the call may go on being repeated, in milliseconds; the last try is made then. Default: no limit. */
  readonly patienceMs?: number | undefined;
  readonly token?: string;
}

/** The longest `Retry-After` that is waited for: a cron job is told of a longer one instead of sleeping through it. */
const longestRetryAfterMs = 15 * 60_000;
const mayExistSentence = 'A report may have been created all the same.';

/**
 * What makes a call and reads its answer, with retries (`cli.md`, Waiting) and one pace for all of a client. A create makes a
 * report more each time it is carried out, so it is repeated only when it certainly did nothing.
 */
export function createExchange({ baseUrl, http, encoding, retries, host, warn }: ExchangeOptions) {
  const { signal, stopwatch, sleep } = host;
  const throttle = createThrottle(stopwatch, sleep, signal);

  return async function perform<T>(
    call: Call,
    read: (response: HttpResponse) => Promise<T>,
  ): Promise<T> {
    const { patienceMs } = call;
    const endMs = stopwatch() + (patienceMs ?? Number.POSITIVE_INFINITY);
    for (let tries = 1; ; tries += 1) {
      await throttle.pass();
      const outcome = await attempt(call, read);
      if (outcome.error === undefined) {
        throttle.ease();
        return outcome.value;
      }
      const { error, status, retryAfterMs = 0, mayRetry, mayExist } = outcome;
      const isTooLong = patienceMs === undefined && retryAfterMs > longestRetryAfterMs;
      // Timers may end a fraction of a millisecond early, and that is no reason for one more try.
      const leftMs = endMs - stopwatch();
      if (tries > retries || !mayRetry || isTooLong || leftMs < 1) {
        const asked = formatDuration(retryAfterMs);
        if (isTooLong)
          error.amend(`It asks to be left alone for ${asked}, which is not waited for.`);
        if (!mayExist) throw tries === 1 ? error : error.amend(`Tried ${tries} times.`);
        const hint =
          'It is not asked for again by itself: running the command again creates another report.';
        throw error.amend(mayExistSentence, { code: 'CREATE_UNCERTAIN', hint, retryable: false });
      }
      const pauseMs = Math.min(retryPauseMs(tries, retryAfterMs, host.random), leftMs);
      warn(`${error.message.split('\n')[0]} Trying again in ${formatDuration(pauseMs)}.`);
      if (status === 429) throttle.hold(pauseMs);
      else await sleep(pauseMs, signal);
    }
  };

  /** One try of a call, and what to make of its failure. Throws what no repetition can mend. */
  async function attempt<T>(
    { endpoint, body, token }: Call,
    read: (response: HttpResponse) => Promise<T>,
  ) {
    const { method, path } = endpoints[endpoint];
    const isCreate = endpoint === 'buyer';
    // Whether the service may have carried out a create all the same.
    let mayExist = false;
    try {
      const response = await http.send({
        method,
        url: new URL(baseUrl.href.replace(/\/$/, '') + path),
        headers: {
          accept: 'application/json',
          ...(body && { 'content-type': body.contentType }),
          ...(token !== undefined && { authorization: token }),
        },
        body: body?.text,
        signal,
        isDownload: endpoint === 'download',
        onSent: () => {
          mayExist = isCreate;
        },
      });
      const { status, headers } = response;
      if (status >= 200 && status <= 299) return { value: await read(response), error: undefined };
      const retryAfterMs = parseRetryAfter(headers['retry-after'], host.wallClock());
      const error = await readHttpError(response, endpoint, encoding);
      // The service says that it did nothing, and when to come back.
      const isForNow = status === 429 || (status === 503 && retryAfterMs !== undefined);
      const mayRetry = isCreate ? isForNow : [408, 429, 500, 502, 503, 504].includes(status);
      mayExist &&= !isForNow && (status >= 500 || status === 408);
      return { error, status, retryAfterMs, mayRetry, mayExist };
    } catch (thrown) {
      const { aborted, reason }: { aborted: boolean; reason: unknown } = signal;
      if (aborted)
        throw mayExist && reason instanceof AdreportError ? reason.amend(mayExistSentence) : reason;
      const { error, passing } = lossOf(thrown);
      return { error, mayRetry: passing && !mayExist, mayExist };
    }
  }
}

/** What an exception of one try means; rethrows what no repetition can mend and no rule here explains. */
function lossOf(error: unknown): { error: AdreportError; passing: boolean } {
  if (error instanceof TransportError) return error;
  if (error instanceof IncompleteDataError) return { error, passing: error.retryable };
  if (
    error instanceof AdreportError ||
    !/^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test(codeOf(error) ?? '')
  )
    throw error;
  const damaged = new IncompleteDataError('The compressed answer is damaged or cut short.', {
    cause: error,
  });
  return { error: damaged, passing: true };
}

/**
 * Milliseconds before the next try: doubling from half a second to half a minute with the `tries` that have failed, less a
 * random half, so that many clients do not come back at the same moment. `Retry-After` makes it longer, never shorter.
 */
export function retryPauseMs(tries: number, retryAfterMs: number, random: () => number): number {
  const full = Math.min(30_000, 500 * 2 ** (tries - 1));
  return Math.max(Math.round(full * (0.5 + random() / 2)), retryAfterMs);
}

/** `Retry-After` (RFC 9110, 10.2.3) in milliseconds from now, a year at most; `undefined` when unreadable. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const waitMs = /^\d+(\.\d+)?$/.test(text)
    ? Math.round(Number(text) * 1_000)
    : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), 365 * 86_400_000);
}

/**
 * One pace for all the calls of a client. A 429 stops all of them for the pause it asks for, and doubles the space between two
 * calls after it; each call that gets through takes a tenth off. So many parts settle at about the rate that is allowed.
 */
export function createThrottle(clock: () => number, sleep: Sleep, signal: AbortSignal) {
  let spacingMs = 0;
  let freeAtMs = Number.NEGATIVE_INFINITY;
  let last = Promise.resolve();
  return {
    /** Resolves when a call may be made: those who wait leave one after the other. */
    pass(): Promise<void> {
      last = last.then(async () => {
        while (freeAtMs > clock()) await sleep(freeAtMs - clock(), signal);
        freeAtMs = clock() + spacingMs;
      });
      return last;
    },
    hold(pauseMs: number): void {
      freeAtMs = Math.max(freeAtMs, clock() + pauseMs);
      spacingMs = Math.min(5_000, Math.max(50, spacingMs * 2));
    },
    ease(): void {
      spacingMs = spacingMs < 6 ? 0 : spacingMs * 0.9;
    },
  };
}
