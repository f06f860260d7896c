import { formatDuration } from '../contract/duration.ts';
import { AdreportError, IncompleteDataError, UnreachableError } from '../errors.ts';
import type { Http, HttpResponse } from './http.ts';
import { type RefusedTry, readRefusedTry } from './http-error.ts';
import { type FailedTry, mayRetry, parseRetryAfter, retryPauseMs } from './retry.ts';
import { createThrottle } from './throttle.ts';
import { TransportError } from './transport-error.ts';

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
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 (inclusive) to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told before each pause; `why` is one clause without a full stop. */
  readonly onRetry?: (retry: { readonly why: string; readonly pauseMs: number; readonly tries: number }) => void;
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
  readonly signIn?: true;
  readonly authorization?: {
    readonly token: string;
    /** A fresh token in place of a refused one, where there are credentials. */
    readonly renew: (refused: string) => Promise<string | undefined>;
  };
}

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

/** The retry loop around `Http`. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { baseUrl, http, signal } = options;
  const throttle = createThrottle({ clock: options.wallClock, sleep: options.sleep, signal });

  async function attempt<T>(
    call: Call,
    url: URL,
    token: string | undefined,
    read: (response: HttpResponse) => Promise<T>,
  ): Promise<{ value: T } | Failure> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (call.body) headers['content-type'] = call.body.contentType;
    if (token !== undefined) headers.authorization = token;
    try {
      const request = { method: call.method, url, headers, signal };
      const response = await http.send(call.body ? { ...request, body: call.body.text } : request);
      if (response.status < 200 || response.status > 299) {
        return asFailure(await readRefusedTry(response, { url, signIn: call.signIn === true }));
      }
      return { value: await read(response) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return toFailure(error, url);
    }
  }

  async function perform<T>(call: Call, read: (response: HttpResponse) => Promise<T>): Promise<T> {
    const url = new URL(baseUrl.href.replace(/\/$/, '') + call.path);
    let token = call.authorization?.token;
    let renewed = false;
    for (let tries = 1; ; tries += 1) {
      await throttle.pass();
      const outcome = await attempt(call, url, token, read);
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
      const isRefusedCreate = options.repeatsRefusedCreates === true && outcome.failed.status === 429;
      const repeatable = call.repeatable || isRefusedCreate;
      if (!mayRetry(outcome.failed, { repeatable, tries, retries: options.retries })) {
        throw lastWord(outcome, call, tries);
      }
      const retryAfterMs = parseRetryAfter(outcome.retryAfter, options.wallClock());
      const pauseMs = retryPauseMs(tries, retryAfterMs, options.random);
      options.onRetry?.({ why: outcome.error.message.split('\n')[0] ?? '', pauseMs, tries });
      if (outcome.failed.status === 429) throttle.hold(pauseMs);
      else await options.sleep(pauseMs, signal);
    }
  }

  return { perform };
}

function asFailure(refused: RefusedTry): Failure {
  return {
    failed: { status: refused.status, sent: true, passing: false },
    error: refused.error,
    retryAfter: refused.retryAfter,
  };
}

/** What an exception of one try means; rethrows what no repetition can mend and no rule here explains. */
function toFailure(error: unknown, url: URL): Failure {
  if (error instanceof IncompleteDataError) {
    return { failed: { sent: true, passing: error.retryable }, error };
  }
  if (error instanceof AdreportError) throw error;
  if (error instanceof TransportError) {
    const passing = !['unknown-host', 'tls', 'not-http'].includes(error.failure) || /EAI_AGAIN/.test(error.message);
    return { failed: { sent: error.sent, passing }, error: transportErrorForUser(error, url) };
  }
  if (/^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test((error as { code?: string }).code ?? '')) {
    const damaged = new IncompleteDataError('The compressed answer is damaged or cut short.', { cause: error });
    return { failed: { sent: true, passing: true }, error: damaged };
  }
  throw error;
}

function transportErrorForUser(error: TransportError, url: URL): AdreportError {
  if (error.begun && error.failure !== 'timeout') {
    return new IncompleteDataError(`The answer of ${url.origin} broke off: ${error.message}.`, { cause: error });
  }
  return new UnreachableError(`Could not reach ${url.origin}: ${error.message}.`, {
    code: error.failure === 'timeout' ? 'TIMEOUT' : error.failure === 'tls' ? 'TLS' : 'UNREACHABLE',
    hint: hintFor(error, url),
    cause: error,
  });
}

function hintFor(error: TransportError, url: URL): string {
  switch (error.failure) {
    case 'tls':
      return 'A private certificate authority is made known with NODE_EXTRA_CA_CERTS=FILE.';
    case 'timeout':
      return 'A slow service can be given longer with --timeout, e.g. --timeout 2m.';
    case 'refused':
      return /^(localhost|127\.|\[::1\])/.test(url.hostname)
        ? 'Start the local server with: adreport local-server (or add --local to this command).'
        : 'Check the base URL: adreport whoami shows it.';
    case 'proxy':
      return 'Check HTTPS_PROXY and NO_PROXY.';
    default:
      return 'Check the base URL and the network: adreport whoami shows what is set.';
  }
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
export function describeRetry(retry: {
  readonly why: string;
  readonly pauseMs: number;
  readonly tries: number;
}): string {
  return `${retry.why} Trying again in ${formatDuration(retry.pauseMs)}.`;
}
