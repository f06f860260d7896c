import { hrtime } from 'node:process';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { RejectedError, UnreachableError } from '../errors.ts';
import { acceptEncoding, decompress } from './decompress.ts';
import { ProxyError, TransportError } from './transport-error.ts';

/** How every exchange of a client is made. */
export interface HttpOptions {
  /** Bounds connecting, the wait for the first byte, and a pause within a body; never a body that moves. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** `HTTPS_PROXY` and `NO_PROXY`; plain http is loopback only and goes past any proxy. */
  readonly proxy?: { readonly https: string; readonly none: string | undefined } | undefined;
  readonly trace: (event: HttpTrace) => void;
}

/** One exchange as `-v` shows it; holds no header and no body, so no secret. */
export interface HttpTrace {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  /** Until the last byte of the answer. */
  readonly elapsedMs: number;
  /** Of the body, as they came: compressed, where the service compresses. */
  readonly bytes?: number;
  /** Why the exchange did not come to its end. */
  readonly problem?: string;
}

interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer is small, so that the whole of the exchange is bounded too: by four times the timeout. */
  readonly isBrief?: boolean | undefined;
  /** Called when the connection stands and bytes of the request may leave. */
  readonly onSent?: () => void;
}

/** An answer whose body is still to be read, or to be destroyed. */
export interface HttpResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes, decompressed; ends in a `TransportError` or a zlib error when they are not whole. */
  readonly body: Readable;
}

/** The way to the service and back. */
export interface Http {
  /**
   * One exchange, redirects followed. Throws `TransportError`; the signal's reason once it is aborted; `RejectedError`
   * for a redirect that must not be followed, `UnreachableError` for redirects in circles.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Ends every connection, whatever is on its way. */
  close(): Promise<void>;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const redirectsAtMost = 5;

/** Of at most 64 KB each, as the socket gives them. */
const waitingChunksAtMost = 4;

/** The one door to undici: connections, timeouts, proxy, redirects, decompression. No retries, no meaning. */
export async function createHttp(options: HttpOptions): Promise<Http> {
  const dispatcher = await createDispatcher(options);

  async function send(first: HttpRequest): Promise<HttpResponse> {
    let request = first;
    for (let hops = 0; ; hops += 1) {
      const response = await exchange(dispatcher, request, options);
      const location = response.headers.location;
      if (!redirectStatuses.has(response.status) || location === undefined) return response;
      response.body.on('error', () => {}).destroy();
      if (hops === redirectsAtMost) {
        throw new UnreachableError(`${first.url.origin} redirects in circles (${redirectsAtMost} times).`);
      }
      request = redirected(request, response.status, location);
    }
  }

  return { send, close: () => dispatcher.destroy() };
}

async function createDispatcher({ timeoutMs, proxy }: HttpOptions): Promise<Dispatcher> {
  const connect = { timeout: timeoutMs };
  if (!proxy) {
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js');
    return new Agent({ connect });
  }
  const [{ default: EnvHttpProxyAgent }, { default: Pool }, { default: connectThrough }] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  return new EnvHttpProxyAgent({
    connect,
    httpProxy: '',
    httpsProxy: proxy.https,
    noProxy: proxy.none ?? '',
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin, options) => {
      // By itself a proxy that takes a connection and then says nothing is waited for five minutes.
      const pool = new Pool(origin, { ...options, headersTimeout: timeoutMs });
      // The parts lack `connect`, which undici's index mixes in. A proxy that hangs up is undici's code for "connect
      // again", which it does at once and without end: its errors go on as ours, without that code.
      const connect = (request: Dispatcher.ConnectOptions<null>) =>
        connectThrough.call(pool, request).catch((error: unknown) => {
          throw new ProxyError(origin.origin, error);
        });
      return Object.assign(pool, { connect });
    },
  });
}

/**
 * The request to make after a redirect. A POST goes on only within its origin and only with its body (307, 308); a GET
 * to another origin goes on without the token (cli.md, Settings).
 */
function redirected(request: HttpRequest, status: number, location: string): HttpRequest {
  const target = URL.canParse(location, request.url.href) ? new URL(location, request.url) : undefined;
  const sameOrigin = target?.origin === request.url.origin;
  if (!target || (request.method === 'POST' && !(sameOrigin && (status === 307 || status === 308)))) {
    throw new RejectedError(
      `${request.url.origin}${request.url.pathname} redirects to ${target?.origin ?? 'an unreadable address'}, ` +
        'and a POST is not sent on to another address.',
      { code: 'REDIRECT_REFUSED', hint: 'If the service has moved, set the base URL to its new address.' },
    );
  }
  if (sameOrigin) return { ...request, url: target };
  if (target.protocol !== 'https:') {
    throw new RejectedError(`${request.url.origin} redirects to ${target.origin}, which is not https.`, {
      code: 'REDIRECT_REFUSED',
      hint: 'Check the base URL; a portal or a proxy may stand between it and this machine.',
    });
  }
  const { authorization: _token, ...headers } = request.headers;
  return { ...request, url: target, headers };
}

/** One request and one answer. Resolves when status and headers are there. */
function exchange(dispatcher: Dispatcher, request: HttpRequest, options: HttpOptions): Promise<HttpResponse> {
  const trace = startTrace(request, options);
  return new Promise((resolve, reject) => {
    const { signal } = request;
    let sent = false;
    let status = 0;
    let bytes = 0;
    let body: Readable | undefined;
    let controller: Dispatcher.DispatchController | undefined;

    const finish = (error?: unknown): void => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', abort);
      const failure = error === undefined ? undefined : signal?.aborted ? signal.reason : asTransportError(error);
      trace(status ? { status, bytes } : {}, failure);
      if (!body) reject(failure);
      else if (failure) body.destroy(failure);
      else body.push(null);
    };
    const asTransportError = (error: unknown): TransportError =>
      new TransportError(error, { sent, begun: body !== undefined });
    const abort = (): void => {
      if (controller) controller.abort(signal?.reason);
      else finish(signal?.reason);
    };

    if (signal?.aborted) return reject(signal.reason);
    const limit = request.isBrief ? setTimeout(() => controller?.abort(tooSlow()), 4 * options.timeoutMs) : undefined;
    signal?.addEventListener('abort', abort);

    dispatcher.dispatch(dispatched(request, options), {
      onRequestStart(started) {
        if (signal?.aborted) return started.abort(signal.reason);
        controller = started;
        sent = true;
        request.onSent?.();
      },
      onResponseStart(current, statusCode, headers) {
        if (statusCode < 200) return;
        status = statusCode;
        body = createBody(current);
        const flat = flatten(headers);
        // A body may break off before its reader is there, who finds the error all the same.
        body.on('error', () => {});
        decompress(body, flat['content-encoding']).then((decoded) => {
          decoded.on('error', () => {});
          resolve({ status, headers: flat, body: decoded });
        }, reject);
      },
      onResponseData(current, chunk) {
        bytes += chunk.length;
        // undici gives an empty one each time it goes on; as an object it would count, and stop it again.
        if (chunk.length === 0) return;
        if (body && !body.push(chunk)) current.pause();
      },
      onResponseEnd: () => finish(),
      onResponseError: (_current, error) => finish(error),
    });
  });
}

/** Takes the time from now on; what it returns is told the outcome. */
function startTrace({ method, url }: HttpRequest, options: HttpOptions) {
  const startedAt = hrtime.bigint();
  return (answer: Pick<HttpTrace, 'status' | 'bytes'>, failure: unknown): void =>
    options.trace({
      method,
      url: url.href,
      elapsedMs: Number(hrtime.bigint() - startedAt) / 1e6,
      ...answer,
      ...(failure ? { problem: failure instanceof Error ? failure.message : String(failure) } : {}),
    });
}

/** The request in undici's words. */
function dispatched({ url, method, headers, body }: HttpRequest, { userAgent, timeoutMs }: HttpOptions) {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: { 'user-agent': userAgent, 'accept-encoding': acceptEncoding, ...headers },
    body: body ?? null,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  };
}

/** The bytes of an answer at the pace of their reader; one who leaves early ends the exchange. */
function createBody(controller: Dispatcher.DispatchController): Readable {
  return new Readable({
    // Chunk by chunk: as bytes, all that wait would be copied into one.
    objectMode: true,
    highWaterMark: waitingChunksAtMost,
    read: () => controller.resume(),
    destroy(error, done) {
      if (!this.readableEnded) controller.abort(error ?? new Error('The answer was not read to its end.'));
      done(error);
    },
  });
}

/** The error for a small answer that trickles, so that no pause of it is ever too long. */
function tooSlow(): Error {
  return Object.assign(new Error('the answer did not end in time'), { code: 'ANSWER_TIMEOUT' });
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
