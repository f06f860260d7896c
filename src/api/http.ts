import { isIP } from 'node:net';
import { hrtime } from 'node:process';
import { Readable } from 'node:stream';
import type { buildConnector, Dispatcher } from 'undici';
import { RejectedError, UnreachableError, UsageError } from '../errors.ts';
import { shortened } from '../text/printable.ts';
import { decompress } from './decompress.ts';
import { hintFor, type Wording } from './hints.ts';
import { ProxyError, TransportError } from './transport-error.ts';

export interface HttpOptions {
  /** Limits connecting, the wait for the first byte, and pauses within a body. */
  readonly timeoutMs: number;
  readonly userAgent: string;

  /** For https only. Plain http is only used on loopback, without a proxy. */
  readonly proxy?: ProxySettings | undefined;

  /** Of hints; flags by default. */
  readonly wording?: Wording;

  /** Prints one line per exchange, without headers and bodies and therefore without secrets. */
  readonly trace: (line: string) => void;
}

export interface ProxySettings {
  readonly url: URL;

  /** Hosts called without the proxy, in the format of `NO_PROXY`. */
  readonly none: string;
}

/** One HTTP request, before its redirects. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;

  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;

  /** A download may be redirected to the report's storage. */
  readonly isDownload?: boolean;
}

/** The caller has to read or destroy the body. */
export interface HttpResponse {
  readonly status: number;

  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;

  /** Origin of the response, if redirects led to another one. */
  readonly redirectedTo?: string;

  /** Decompressed bytes. Ends with a `TransportError` or a zlib error if incomplete. */
  readonly body: Readable;
}

/** All network access: connections, timeouts, proxy, redirects, decompression; no retries. */
export interface Http {
  /**
   * Follows redirects. Throws `TransportError`, the signal's reason, and `RejectedError` for a
   * redirect that is not followed.
   */
  send(request: HttpRequest): Promise<HttpResponse>;

  /** Ends all connections and exchanges. */
  close(): Promise<void>;
}

const redirectStatuses = [301, 302, 303, 307, 308];
const maxRedirects = 5;

/** The caller has to close the result. */
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
        });
      }
      const { status } = response;
      request = followRedirect(request, { status, location, wording: options.wording });
    }
  }

  return { send, close: () => dispatcher.destroy() };
}

/**
 * Reads the proxy from the environment; `undefined` if it is not set. The default scheme is
 * `http://`, as in curl. Throws `UsageError` for an invalid URL, one with more than host and port,
 * and a user name or password that cannot be decoded.
 */
export function readProxy(
  env: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const text = (env.https_proxy || env.HTTPS_PROXY)?.trim();
  if (!text) return undefined;

  const url = proxyUrlOf(text);
  if (!url) {
    // Not quoted, because it may contain a password.
    const message =
      'HTTPS_PROXY is not an http or https URL, or its user name or password cannot be decoded.';
    const hint =
      'For example: http://me:secret@127.0.0.1:3128. Write a literal percent sign as %25.';
    throw new UsageError(message, { hint });
  }
  if (url.pathname !== '/' || /[?#]/.test(text)) {
    const hint =
      'For example: http://me:secret@127.0.0.1:3128. In a password, write / as %2F, ? as %3F and # as %23.';
    throw new UsageError('HTTPS_PROXY must not have a path after the port.', { hint });
  }
  return { url, none: (env.no_proxy ?? env.NO_PROXY ?? '').trim() };
}

function proxyUrlOf(text: string): URL | undefined {
  try {
    const url = new URL(text.includes('://') ? text : `http://${text}`);
    decodeURIComponent(url.username + url.password);
    return /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

async function createDispatcher({ timeoutMs, proxy }: HttpOptions): Promise<Dispatcher> {
  // Loaded lazily: it takes 40 ms, which commands without a call should not pay for.
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
        connect: withoutAddressAsName(connect),
        // The default wait for a proxy that accepts a connection and stays silent is five minutes.
        headersTimeout: timeoutMs,
      });
      return withProxyErrors(pool, origin);
    },
  });
}

/**
 * Wraps a connector so that TLS gets no IP address as server name, about which Node would warn on
 * stderr (RFC 6066).
 */
function withoutAddressAsName(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    // undici may pass null.
    const servername = options.servername ?? '';
    const host = servername.replace(/^\[(.*)\]$/, '$1');
    connect(isIP(host) ? { ...options, servername: '' } : options, callback);
  };
}

/**
 * Makes a pool's tunnels fail with a `ProxyError`. undici's own error for a proxy that hangs up has
 * the code for “connect again”, so it would reconnect forever.
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
  readonly wording: Wording | undefined;
}

/**
 * Builds the HTTP request for a redirect (`decisions.md` 4). A POST is only followed within its
 * origin and with its body, except that a download may lead to the report's storage: by GET, over
 * https, and without the token. Throws `RejectedError` otherwise.
 */
function followRedirect(
  request: HttpRequest,
  { status, location, wording = 'flags' }: Redirect,
): HttpRequest {
  const { url, method, isDownload } = request;
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
  const to = target ? addressOf(target) : 'an unreadable address';
  const why = mayFollow
    ? 'which is not https'
    : 'and adreport does not follow redirects of POST requests';
  throw new RejectedError(`${from} redirects to ${to}, ${why}.`, {
    code: 'REDIRECT_REFUSED',
    hint: hintFor('redirect', wording),
    // The service has not refused anything: a report stays.
    retryable: true,
  });
}

/** Falls back to the scheme for a URL without an origin. */
function addressOf({ origin, protocol }: URL): string {
  return shortened(origin === 'null' ? `a ${protocol} address` : origin);
}

function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  options: HttpOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    new Exchange(request, options, { resolve, reject }).start(dispatcher);
  });
}

/** Callbacks of the promise for a response. */
interface ResponseReceiver {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * One HTTP request with its response. The promise resolves when the headers have arrived; later
 * failures are errors of the body.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #options: HttpOptions;
  readonly #receiver: ResponseReceiver;
  readonly #startedAt = hrtime.bigint();

  /** Set once connected, before the first byte of the request may leave. */
  #controller: Dispatcher.DispatchController | undefined;
  #body: Readable | undefined;
  #status = 0;
  #bytes = 0;
  #isOver = false;

  constructor(request: HttpRequest, options: HttpOptions, receiver: ResponseReceiver) {
    this.#request = request;
    this.#options = options;
    this.#receiver = receiver;
  }

  start(dispatcher: Dispatcher): void {
    const { method, url, headers, body, signal } = this.#request;
    const { timeoutMs, userAgent } = this.#options;
    if (signal?.aborted) {
      this.#receiver.reject(signal.reason);
      return;
    }

    signal?.addEventListener('abort', this.#abort);
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { 'user-agent': userAgent, 'accept-encoding': 'gzip, br', ...headers },
        body: body ?? null,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal } = this.#request;
    if (signal?.aborted) controller.abort(signal.reason);
    else this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    fields: Readonly<Record<string, unknown>>,
  ): void {
    const isInterim = status < 200;
    if (isInterim) return;

    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(fields)) headers[name] = String(value);

    this.#status = status;
    this.#body = createBody(controller);
    const body = decompress(this.#body, headers['content-encoding']);
    // A body may fail before it has a reader, who still gets the error.
    for (const stream of [this.#body, body]) stream.on('error', () => {});
    this.#receiver.resolve({ status, headers, body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    // undici passes an empty chunk each time it resumes; in object mode it would count.
    if (chunk.length === 0 || !this.#body) return;
    const wantsMore = this.#body.push(chunk);
    if (!wantsMore) controller.pause();
  }

  onResponseEnd(): void {
    this.#end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  readonly #abort = (): void => {
    const reason = this.#request.signal?.reason;
    if (this.#controller) this.#controller.abort(reason);
    else this.#end(reason);
  };

  #end(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#request.signal?.removeEventListener('abort', this.#abort);

    const failure = error && this.#failureOf(error);
    this.#traceEnd(failure);
    if (!this.#body) this.#receiver.reject(failure);
    else if (failure) this.#body.destroy(failure);
    else this.#body.push(null);
  }

  #failureOf(error: Error): Error {
    const { signal, url } = this.#request;
    if (signal?.aborted) return signal.reason;
    const { username, password } = this.#options.proxy?.url ?? {};
    const hasProxyUser = Boolean(username && password);
    const wasSent = this.#controller !== undefined;
    const begun = this.#body !== undefined;
    return new TransportError(error, { url, wasSent, begun, hasProxyUser });
  }

  #traceEnd(failure: Error | undefined): void {
    const { method, url } = this.#request;
    // The query of a signed URL is a secret.
    const query = url.search && '?…';
    const result = this.#status ? `${this.#status}, ${this.#bytes} bytes` : 'no response';
    const tookMs = Math.round(Number(hrtime.bigint() - this.#startedAt) / 1e6);
    const why = failure ? ` (${failure.message})` : '';
    this.#options.trace(
      `${method} ${url.origin}${url.pathname}${query} → ${result}, ${tookMs} ms${why}`,
    );
  }
}

/** Creates a stream with backpressure. Destroying it early ends the exchange. */
function createBody(controller: Dispatcher.DispatchController): Readable {
  return new Readable({
    // Four chunks of up to 64 KB. Outside object mode, waiting chunks would be copied into one.
    objectMode: true,
    highWaterMark: 4,
    read: () => controller.resume(),
    destroy(error, done) {
      if (!this.readableEnded) {
        controller.abort(error ?? new Error('The response was not read to its end.'));
      }
      done(error);
    },
  });
}
