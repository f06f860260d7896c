import { isIP } from 'node:net';
import { hrtime } from 'node:process';
import { Readable } from 'node:stream';
import type { buildConnector, Dispatcher } from 'undici';
import { RejectedError, UnreachableError, UsageError } from '../errors.ts';
import { shortened } from '../text/printable.ts';
import { unpacked } from './packed-body.ts';
import { ProxyError, TransportError } from './transport-error.ts';
import { hideContinue } from './unrequested-continue.ts';

/** How all exchanges of one client are made. */
export interface HttpOptions {
  /**
   * Bounds connecting, the wait for the first byte, and a pause within a body; four times it and a
   * second the whole.
   */
  readonly timeoutMs: number;
  readonly userAgent: string;

  /** For https; plain http is loopback only and goes past any proxy. */
  readonly proxy?: ProxySettings | undefined;

  /**
   * Told of each exchange, once it is over, in a line without headers and bodies, so without
   * secrets.
   */
  readonly trace: (line: string) => void;
}

/** The proxy of the environment. */
export interface ProxySettings {
  readonly url: URL;

  /** The hosts that are called past the proxy, as `NO_PROXY` lists them. */
  readonly none: string;
}

/** One request, before its redirects. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;

  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;

  /** Whether it fetches a report, whose answer may be a redirect to where it is stored. */
  readonly isDownload?: boolean;

  /** Called when the connection stands and bytes of the request may leave. */
  readonly onSent?: () => void;
}

/** An answer whose body is still to be read, or to be destroyed. */
export interface HttpResponse {
  readonly status: number;

  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;

  /**
   * The bytes, decompressed; ends in a `TransportError` or a zlib error when they are not whole.
   */
  readonly body: Readable;

  /** From now on the exchange may last as long as its body moves: it is a report. */
  allowTime(): void;
}

/**
 * The one door to the network: connections, timeouts, proxy, redirects, decompression. No retries,
 * no meaning.
 */
export interface Http {
  /**
   * One exchange, redirects followed. Throws `TransportError`, and the signal's reason;
   * `RejectedError` for a redirect.
   */
  send(request: HttpRequest): Promise<HttpResponse>;

  /** Ends every connection, whatever is on its way. */
  close(): Promise<void>;
}

const redirectStatuses = [301, 302, 303, 307, 308];
const redirectsAtMost = 5;

/** Opens the door to the network; `close` is the caller's. */
export async function createHttp(options: HttpOptions): Promise<Http> {
  const dispatcher = await createDispatcher(options);

  async function send(first: HttpRequest): Promise<HttpResponse> {
    let request = first;
    for (let redirects = 0; ; redirects += 1) {
      const response = await exchange(dispatcher, request, options);
      const { location } = response.headers;
      const isRedirect = redirectStatuses.includes(response.status) && location !== undefined;
      if (!isRedirect) return response;

      response.body.destroy();
      if (redirects === redirectsAtMost) {
        const { origin } = first.url;
        throw new UnreachableError(`${origin} redirects in circles (${redirectsAtMost} times).`);
      }
      request = followRedirect(request, response.status, location);
    }
  }

  return { send, close: () => dispatcher.destroy() };
}

/**
 * The proxy of the environment, `http://` where it names no scheme, as curl has it; `undefined`
 * where there is none. Throws `UsageError` for an address that is none or has more than host and
 * port, and for a user name or password that cannot be decoded.
 */
export function readProxy(
  env: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const text = (env.https_proxy || env.HTTPS_PROXY)?.trim();
  if (!text) return undefined;

  const url = proxyUrlOf(text);
  if (!url) {
    // Not quoted: what cannot be parsed may hold a password.
    const message =
      'HTTPS_PROXY is no http or https address, or its user name or password cannot be decoded.';
    const hint =
      'For example: http://me:secret@127.0.0.1:3128. A percent sign that stands for itself is written as %25.';
    throw new UsageError(message, { hint });
  }
  if (url.pathname !== '/' || /[?#]/.test(text)) {
    const hint =
      'For example: http://me:secret@127.0.0.1:3128. In a password / is written as %2F, ? as %3F, and # as %23.';
    throw new UsageError('HTTPS_PROXY must end with its host and port.', { hint });
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
  // Its index takes 40 ms to load, which a command without a call need not wait for.
  const { default: undici } = await import('undici');
  const timeout = { timeout: timeoutMs };
  const connect = undici.buildConnector(timeout);
  const factory = (origin: string | URL, options: object): Dispatcher => {
    const { connect: ofOrigin } = options as { readonly connect: buildConnector.connector };
    return new undici.Pool(origin, { ...options, connect: withoutContinue(ofOrigin) });
  };
  if (!proxy) return new undici.Agent({ connect, factory });

  return new undici.EnvHttpProxyAgent({
    connect,
    factory,
    httpProxy: '',
    httpsProxy: proxy.url.href,
    noProxy: proxy.none,
    requestTls: timeout,
    proxyTls: timeout,
    clientFactory(origin, options) {
      const { connect } = options as { readonly connect: buildConnector.connector };
      const pool = new undici.Pool(origin, {
        connect: withoutAddressAsName(connect),
        // By itself a proxy that takes a connection and then says nothing is waited for five
        // minutes.
        headersTimeout: timeoutMs,
      });
      return tellProxyErrors(pool, origin);
    },
  });
}

/** A connector whose connections hide a `100 Continue`. */
function withoutContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) hideContinue(socket);
      callback(...result);
    });
  };
}

/**
 * A connector that names no server by its IP address to TLS, where Node would warn on stderr that
 * it may not (RFC 6066).
 */
function withoutAddressAsName(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    // undici gives null for none.
    const servername = options.servername ?? '';
    const host = servername.replace(/^\[(.*)\]$/, '$1');
    connect(isIP(host) ? { ...options, servername: '' } : options, callback);
  };
}

/**
 * A pool whose tunnels fail with a `ProxyError`. A proxy that hangs up is undici's code for
 * “connect again”, which it does at once and without end: its errors go on as ours, without that
 * code.
 */
function tellProxyErrors(pool: Dispatcher, { origin }: URL): Dispatcher {
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

/**
 * The request to make after a redirect (`decisions.md` 4). A POST goes on only within its origin
 * and with its body, but a download may lead to where the report is stored: by GET, https, and
 * without the token. Throws `RejectedError`.
 */
function followRedirect(request: HttpRequest, status: number, location: string): HttpRequest {
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
  const why = mayFollow ? 'which is not https' : 'and a POST is not sent on to another address';
  throw new RejectedError(`${from} redirects to ${to}, ${why}.`, {
    code: 'REDIRECT_REFUSED',
    hint: 'Check the base URL: the service may have moved, or a portal or a proxy may stand before it.',
  });
}

/** Where an address leads: its origin, or its scheme if it has none. */
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

/** What waits for the answer of an exchange. */
interface ResponseReceiver {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * One request on its way and its answer. The answer is handed over when its headers are there; what
 * goes wrong before is a rejection, what goes wrong later is an error of its body.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #options: HttpOptions;
  readonly #receiver: ResponseReceiver;
  readonly #startedAt = hrtime.bigint();
  #controller: Dispatcher.DispatchController | undefined;
  #limit: NodeJS.Timeout | undefined;
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
    // An answer that trickles makes no pause that is too long.
    this.#limit = setTimeout(() => this.#stop(tooSlow()), 4 * timeoutMs + 1_000);
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
    const { signal, onSent } = this.#request;
    if (this.#isOver || signal?.aborted) {
      controller.abort(signal?.reason ?? tooSlow());
      return;
    }
    this.#controller = controller;
    onSent?.();
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
    const body = unpacked(this.#body, headers['content-encoding']);
    // A body may break off before its reader is there, who finds the error all the same.
    for (const stream of [this.#body, body]) stream.on('error', () => {});
    const allowTime = (): void => clearTimeout(this.#limit);
    this.#receiver.resolve({ status, headers, body, allowTime });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    // undici gives an empty one each time it goes on; as an object it would count, and stop it
    // again.
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
    this.#stop(this.#request.signal?.reason);
  };

  #stop(reason: Error): void {
    if (this.#controller) this.#controller.abort(reason);
    else this.#end(reason);
  }

  #end(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#limit);
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
    return new TransportError(error, url, { begun: this.#body !== undefined, hasProxyUser });
  }

  #traceEnd(failure: Error | undefined): void {
    const { method, url } = this.#request;
    // What a signed URL is asked with is a secret.
    const query = url.search && '?…';
    const answer = this.#status ? `${this.#status}, ${this.#bytes} bytes` : 'no answer';
    const tookMs = Math.round(Number(hrtime.bigint() - this.#startedAt) / 1e6);
    const why = failure ? ` (${failure.message})` : '';
    this.#options.trace(
      `${method} ${url.origin}${url.pathname}${query} → ${answer}, ${tookMs} ms${why}`,
    );
  }
}

function tooSlow(): Error {
  return Object.assign(new Error('the answer did not end in time'), { code: 'ANSWER_TIMEOUT' });
}

/** The bytes of an answer at the pace of their reader; one who leaves early ends the exchange. */
function createBody(controller: Dispatcher.DispatchController): Readable {
  return new Readable({
    // Four chunks of at most 64 KB, as the socket gives them: as bytes, all that wait would be
    // copied into one.
    objectMode: true,
    highWaterMark: 4,
    read: () => controller.resume(),
    destroy(error, done) {
      if (!this.readableEnded) {
        controller.abort(error ?? new Error('The answer was not read to its end.'));
      }
      done(error);
    },
  });
}
