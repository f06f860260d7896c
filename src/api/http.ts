import { isIP } from 'node:net';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { buildConnector, Dispatcher } from 'undici';
import {
  type AdreportError,
  IncompleteDataError,
  RejectedError,
  UnreachableError,
  UnsentError,
  UsageError,
} from '../errors.ts';
import { truncate } from '../text/printable.ts';
import { createDecoders } from './decompress.ts';
import { hintFor, type Wording } from './hints.ts';
import { explainNetworkFailure, isDecompressionError, ProxyError } from './network-failure.ts';

export interface HttpOptions {
  /** Limit for connecting, for the first byte, and for pauses within a body. */
  readonly timeoutMs: number;
  readonly userAgent: string;

  /** Proxy for https. Plain http never uses it. */
  readonly proxy?: ProxySettings | undefined;

  readonly wording: Wording;

  /** Prints one line per exchange, without headers and bodies, which may contain secrets. */
  readonly trace: (line: string) => void;
}

export interface ProxySettings {
  readonly url: URL;

  /** Hosts to call without the proxy, in the format of `NO_PROXY`. */
  readonly none: string;
}

/** One HTTP request, before its redirects. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;

  /** Name of the call in messages: `the status call`. */
  readonly step: string;

  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;

  /** Whether this is a download. Only downloads may be redirected to the report's storage. */
  readonly isDownload?: boolean;

  /** The report that the call is about, for error messages. */
  readonly reportId?: string | undefined;
}

/** The caller has to read or destroy the body. */
export interface HttpResponse {
  readonly status: number;

  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;

  /** Origin of the response, if redirects led to a different origin. */
  readonly redirectedTo?: string;

  /** Decompressed body. Fails with `IncompleteDataError` or `UnreachableError`. */
  readonly body: Readable;
}

/** All network access: connections, timeouts, proxy, redirects, decompression; no retries. */
export interface Http {
  /**
   * Sends a request and follows its redirects. Throws `UnreachableError`, or `RejectedError` for a
   * redirect that is not followed. Rejects with `signal.reason` if aborted.
   */
  send(request: HttpRequest): Promise<HttpResponse>;

  /** Ends all connections and exchanges. */
  close(): Promise<void>;
}

const redirectStatuses = [301, 302, 303, 307, 308];
const maxRedirects = 5;

/** Sets up HTTP for a client. The caller has to close it. */
export async function createHttp(options: HttpOptions): Promise<Http> {
  const dispatcher = await createDispatcher(options);

  async function send(first: HttpRequest): Promise<HttpResponse> {
    let request = first;
    for (let redirects = 0; ; redirects += 1) {
      const response = await exchange(dispatcher, request, options);
      const { location } = response.headers;
      const isRedirect = redirectStatuses.includes(response.status) && location !== undefined;
      const { origin } = request.url;
      if (!isRedirect) {
        return origin === first.url.origin ? response : { ...response, redirectedTo: origin };
      }

      response.body.destroy();
      if (redirects === maxRedirects) {
        const { origin: start } = first.url;
        throw new UnreachableError(`${start} redirects too many times (${maxRedirects}).`, {
          code: 'REDIRECT_REFUSED',
          reportId: first.reportId,
        });
      }
      const { status } = response;
      request = followRedirect(request, { status, location, wording: options.wording });
    }
  }

  return { send, close: () => dispatcher.destroy() };
}

/**
 * Reads the proxy from the environment, or returns `undefined` if there is none. Throws `UsageError`
 * for a URL that `parseProxyUrl` does not accept.
 */
export function readProxy(
  env: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const text = (env.https_proxy || env.HTTPS_PROXY)?.trim();
  if (!text) return undefined;

  const url = parseProxyUrl(text);
  if (url) return { url, none: (env.no_proxy ?? env.NO_PROXY ?? '').trim() };
  // The URL is not quoted, because it may contain a password.
  throw new UsageError('HTTPS_PROXY is not an http or https URL that ends with its port.', {
    hint: `For example: ${exampleProxy}. In a password, write % as %25, / as %2F, ? as %3F and # as %23.`,
  });
}

export const exampleProxy = 'http://me:secret@127.0.0.1:3128';

/**
 * Parses the URL of a proxy. As in curl, a missing scheme means `http://`. Returns `undefined` if
 * the URL is invalid, has a path, or has a user name or password that cannot be decoded.
 */
export function parseProxyUrl(text: string): URL | undefined {
  try {
    const url = new URL(text.includes('://') ? text : `http://${text}`);
    decodeURIComponent(url.username + url.password);
    const isWhole = /^https?:$/.test(url.protocol) && url.pathname === '/' && !/[?#]/.test(text);
    return isWhole ? url : undefined;
  } catch {
    return undefined;
  }
}

async function createDispatcher({ timeoutMs, proxy }: HttpOptions): Promise<Dispatcher> {
  // Loaded lazily, because loading takes 40 ms and many commands make no call.
  const { default: undici } = await import('undici');
  const timeout = { timeout: timeoutMs };
  const connect = undici.buildConnector(timeout);
  if (!proxy) return new undici.Agent({ connect });

  return new undici.EnvHttpProxyAgent({
    connect,
    httpProxy: '',
    httpsProxy: proxy.url.href,
    noProxy: proxy.none,
    requestTls: timeout,
    proxyTls: timeout,
    clientFactory(origin, options) {
      const { connect } = options as { readonly connect: buildConnector.connector };
      const pool = new undici.Pool(origin, {
        connect: withoutIpServerName(connect),
        // By default, undici waits five minutes for a proxy that accepts a connection and stays
        // silent.
        headersTimeout: timeoutMs,
      });
      return withProxyErrors(pool, origin);
    },
  });
}

/**
 * Wraps a connector so that TLS does not get an IP address as server name (RFC 6066). Node would
 * print a warning about it on stderr.
 */
function withoutIpServerName(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    // undici may pass null despite its types.
    const servername = options.servername ?? '';
    const host = servername.replace(/^\[(.*)\]$/, '$1');
    connect(isIP(host) ? { ...options, servername: '' } : options, callback);
  };
}

/**
 * Makes a pool's tunnels fail with a `ProxyError`. If a proxy hangs up, undici treats its own error
 * as a reason to reconnect, and would do so forever.
 */
function withProxyErrors(pool: Dispatcher, { origin }: URL): Dispatcher {
  const openTunnel = pool.connect.bind(pool);
  const connect = async (options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    try {
      return await openTunnel(options);
    } catch (cause) {
      throw new ProxyError(origin, { cause });
    }
  };
  return Object.assign(pool, { connect });
}

interface Redirect {
  readonly status: number;
  readonly location: string;
  readonly wording: Wording;
}

/**
 * Builds the HTTP request for a redirect (`decisions.md` 4). A POST is followed only within its
 * origin and keeps its body. A download may also lead to the report's storage: it becomes a GET
 * over https without the token. Throws `RejectedError` for any other redirect.
 */
function followRedirect(
  request: HttpRequest,
  { status, location, wording }: Redirect,
): HttpRequest {
  const { url, method, isDownload, reportId } = request;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const isSameOrigin = target?.origin === url.origin;
  const keepsMethod = status === 307 || status === 308;
  const mayPostFollow = isSameOrigin ? keepsMethod : isDownload && !keepsMethod;
  const mayFollow = method === 'GET' || mayPostFollow;

  if (target && mayFollow && isSameOrigin) return { ...request, url: target };
  if (target && mayFollow && target.protocol === 'https:') {
    const { accept = 'application/json' } = request.headers;
    return { ...request, method: 'GET', url: target, headers: { accept }, body: undefined };
  }

  const from = `${url.origin}${url.pathname}`;
  const to = target ? describeTarget(target) : 'an unreadable URL';
  const why = mayFollow
    ? 'which is not https'
    : 'and adreport does not follow redirects of POST requests';
  throw new RejectedError(`${from} redirects to ${to}, ${why}.`, {
    code: 'REDIRECT_REFUSED',
    hint: hintFor('redirect', wording),
    // The service did not refuse the call, so the report still exists.
    retryable: true,
    reportId,
  });
}

/** Returns the origin of a redirect's target, or the scheme if the target has no origin. */
function describeTarget({ origin, protocol }: URL): string {
  return truncate(origin === 'null' ? `a ${protocol} URL` : origin);
}

/** `unsent`: nothing can have reached the service. `receiving`: the headers have arrived. */
type ExchangePhase = 'unsent' | 'sent' | 'receiving';

/** Sends one request. Resolves when the headers have arrived. */
async function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  options: HttpOptions,
): Promise<HttpResponse> {
  const { method, url, headers, body, signal } = request;
  const { timeoutMs, userAgent, trace } = options;
  const startedMs = performance.now();
  // The query of a signed URL is a secret.
  const displayUrl = `${url.origin}${url.pathname}${url.search && '?…'}`;
  let phase: ExchangePhase = 'unsent';

  const traceEnd = (result: string): void => {
    const tookMs = Math.round(performance.now() - startedMs);
    trace(`${method} ${displayUrl} → ${result}, ${tookMs} ms`);
  };
  const toError = (cause: unknown): Error => {
    return signal?.aborted ? signal.reason : exchangeError(cause, request, { ...options, phase });
  };

  try {
    const watched = notifyWhenSent(dispatcher, () => {
      phase = 'sent';
    });
    const sent = watched.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { 'user-agent': userAgent, 'accept-encoding': 'gzip, br', ...headers },
      body: body ?? null,
      signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    const response = await rejectWhenAborted(sent, signal);
    phase = 'receiving';
    const onEnd = (bytes: number) => traceEnd(`${response.statusCode}, ${bytes} bytes`);
    return toHttpResponse(response, { onEnd, toError });
  } catch (cause) {
    traceEnd('no response');
    throw toError(cause);
  }
}

/** Builds the error that users see for a failed exchange. */
function exchangeError(
  cause: unknown,
  { url, step, reportId }: HttpRequest,
  { phase, proxy, wording }: HttpOptions & { readonly phase: ExchangePhase },
): AdreportError {
  if (isDecompressionError(cause)) {
    const message = `The compressed response to ${step} is damaged or incomplete.`;
    return new IncompleteDataError(message, { retryable: true, reportId, cause });
  }

  const { reason, code, hint, isTemporary } = explainNetworkFailure(cause, url.hostname);
  if (phase === 'receiving' && code !== 'TIMEOUT') {
    const message = `The response from ${url.origin} to ${step} broke off: ${reason}.`;
    return new IncompleteDataError(message, { retryable: true, reportId, cause });
  }
  const ErrorClass = phase === 'unsent' ? UnsentError : UnreachableError;
  const hasProxyUser = Boolean(proxy?.url.username && proxy.url.password);
  const ownHint = hint === 'proxySignIn' && hasProxyUser ? 'proxyRefused' : hint;
  return new ErrorClass(`Could not reach ${url.origin}: ${reason}.`, {
    code,
    hint: hintFor(ownHint, wording),
    retryable: isTemporary,
    reportId,
    cause,
  });
}

/** Calls `onSent` just before the first byte of a request may be sent. */
function notifyWhenSent(dispatcher: Dispatcher, onSent: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      start?.(controller, context);
      if (!controller.aborted) onSent();
    };
    return dispatch(options, handler);
  });
}

/** Rejects with `signal.reason` if aborted, even while undici is still connecting. */
function rejectWhenAborted<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

interface BodyEvents {
  /** Called once, when the body ends, fails or is destroyed. */
  readonly onEnd: (bytes: number) => void;
  readonly toError: (cause: unknown) => Error;
}

function toHttpResponse(
  { statusCode, headers: fields, body }: Dispatcher.ResponseData,
  { onEnd, toError }: BodyEvents,
): HttpResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) headers[name] = String(value);

  let bytes = 0;
  const decoded = new Transform({
    // The buffer holds four chunks of up to 64 KB. It uses object mode, because otherwise waiting
    // chunks would be copied into one.
    readableObjectMode: true,
    readableHighWaterMark: 4,
    writableHighWaterMark: 65_536,
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      done(null, chunk);
    },
    destroy: (error, done) => {
      onEnd(bytes);
      done(error && toError(error));
    },
  });
  // The body may fail before anyone reads it. The reader still gets the error.
  decoded.on('error', () => {});
  pipeline([body, ...createDecoders(headers['content-encoding']), decoded], () => {});
  return { status: statusCode, headers, body: decoded };
}
