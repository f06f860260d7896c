import { hrtime } from 'node:process';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { RejectedError, UnreachableError } from '../errors.ts';
import { ProxyError, TransportError } from './transport-error.ts';

/** How every exchange of a client is made. */
interface HttpOptions {
  /** Bounds connecting, the wait for the first byte, and a pause within a body; four times it and a second the whole. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** `HTTPS_PROXY` and `NO_PROXY`; plain http is loopback only and goes past any proxy. */
  readonly proxy?: { readonly https: string; readonly none: string | undefined } | undefined;
  /** Told of each exchange, once it is over, in a line without headers and bodies, so without secrets. */
  readonly trace: (line: string) => void;
}

interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
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
  /** The bytes, decompressed; ends in a `TransportError` or a zlib error when they are not whole. */
  readonly body: Readable;
  /** From now on the exchange may last as long as its body moves: it is a report. */
  allowTime(): void;
}

/** The way to the service and back. */
export type Http = Awaited<ReturnType<typeof createHttp>>;

const redirectsAtMost = 5;

/** The one door to undici: connections, timeouts, proxy, redirects, decompression. No retries, no meaning. */
export async function createHttp(options: HttpOptions) {
  const dispatcher = await createDispatcher(options);
  return {
    /**
     * One exchange, redirects followed. Throws `TransportError`; the signal's reason once it is aborted; `RejectedError`
     * for a redirect that must not be followed, `UnreachableError` for redirects in circles.
     */
    async send(first: HttpRequest): Promise<HttpResponse> {
      let request = first;
      for (let hops = 0; ; hops += 1) {
        const response = await exchange(dispatcher, request, options);
        const { location } = response.headers;
        if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) return response;
        response.body.destroy();
        if (hops === redirectsAtMost) {
          throw new UnreachableError(`${first.url.origin} redirects in circles (${redirectsAtMost} times).`);
        }
        request = redirected(request, response.status, location);
      }
    },

    /** Ends every connection, whatever is on its way. */
    close: () => dispatcher.destroy(),
  };
}

async function createDispatcher({ timeoutMs, proxy }: HttpOptions): Promise<Dispatcher> {
  const connect = { timeout: timeoutMs };
  if (!proxy) {
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js');
    return new Agent({ connect });
  }
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  const { default: connectThrough } = await import('undici/lib/api/api-connect.js');
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
 * The request to make after a redirect. A POST goes on only within its origin and only with its body (307, 308), but a
 * download may lead to where the report is stored. To another origin a request goes as GET, by https, and without the
 * token (cli.md, Settings; `decisions.md` 4). Throws `RejectedError`.
 */
function redirected(request: HttpRequest, status: number, location: string): HttpRequest {
  const { url, method, isDownload } = request;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const isSameOrigin = target?.origin === url.origin;
  const keepsMethod = status === 307 || status === 308;
  const mayFollow = method === 'GET' || (isSameOrigin ? keepsMethod : isDownload && !keepsMethod);
  const refuse = (what: string, hint: string) =>
    new RejectedError(`${url.origin}${url.pathname} redirects to ${what}.`, { code: 'REDIRECT_REFUSED', hint });
  if (!target || !mayFollow) {
    const where = target?.origin ?? 'an unreadable address';
    const hint = 'If the service has moved, set the base URL to its new address.';
    throw refuse(`${where}, and a POST is not sent on to another address`, hint);
  }
  if (isSameOrigin) return { ...request, url: target };
  if (target.protocol !== 'https:') {
    const hint = 'Check the base URL; a portal or a proxy may stand between it and this machine.';
    throw refuse(`${target.origin}, which is not https`, hint);
  }
  const { authorization: _token, 'content-type': _type, ...headers } = request.headers;
  return { ...request, method: 'GET', url: target, headers, body: undefined };
}

/** One request and one answer. Resolves when status and headers are there. */
function exchange(dispatcher: Dispatcher, request: HttpRequest, options: HttpOptions): Promise<HttpResponse> {
  const { method, url, signal } = request;
  const { timeoutMs, userAgent, trace } = options;
  const startedAt = hrtime.bigint();
  return new Promise((resolve, reject) => {
    let ended = false;
    let sent = false;
    let status = 0;
    let bytes = 0;
    let body: Readable | undefined;
    let controller: Dispatcher.DispatchController | undefined;

    const finish = (error?: unknown): void => {
      if (ended) return;
      ended = true;
      clearTimeout(limit);
      signal?.removeEventListener('abort', abort);
      const lost = error !== undefined && new TransportError(error, { sent, begun: body !== undefined });
      const failure: unknown = lost && signal?.aborted ? signal.reason : lost;
      const answer = status ? `${status}, ${bytes} bytes` : 'no answer';
      const problem = failure ? ` (${failure instanceof Error ? failure.message : String(failure)})` : '';
      // What a signed URL is asked with is a secret.
      const address = `${url.origin}${url.pathname}${url.search && '?…'}`;
      trace(`${method} ${address} → ${answer}, ${Math.round(Number(hrtime.bigint() - startedAt) / 1e6)} ms${problem}`);
      if (!body) reject(failure);
      else if (failure instanceof Error) body.destroy(failure);
      else body.push(null);
    };
    const stop = (reason: Error): void => (controller ? controller.abort(reason) : finish(reason));
    const abort = (): void => stop(signal?.reason);

    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', abort);
    // An answer that trickles makes no pause that is too long.
    const tooSlow = Object.assign(new Error('the answer did not end in time'), { code: 'ANSWER_TIMEOUT' });
    const limit = setTimeout(() => stop(tooSlow), 4 * timeoutMs + 1_000);

    const dispatched = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { 'user-agent': userAgent, 'accept-encoding': 'gzip, br', ...request.headers },
      body: request.body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    };
    dispatcher.dispatch(dispatched, {
      onRequestStart(started) {
        if (ended || signal?.aborted) return started.abort(signal?.reason ?? tooSlow);
        controller = started;
        sent = true;
        request.onSent?.();
      },
      onResponseStart(current, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        body = createBody(current);
        const headers = Object.fromEntries(Object.entries(received).map(([name, value]) => [name, String(value)]));
        const decoded = decompress(body, headers['content-encoding']);
        // A body may break off before its reader is there, who finds the error all the same.
        for (const stream of [body, decoded]) stream.on('error', () => {});
        resolve({ status, headers, body: decoded, allowTime: () => clearTimeout(limit) });
      },
      onResponseData(current, chunk) {
        bytes += chunk.length;
        // undici gives an empty one each time it goes on; as an object it would count, and stop it again.
        if (chunk.length > 0 && body && !body.push(chunk)) current.pause();
      },
      onResponseEnd: () => finish(),
      onResponseError: (_current, error) => finish(error),
    });
  });
}

/** The bytes of an answer at the pace of their reader; one who leaves early ends the exchange. */
function createBody(controller: Dispatcher.DispatchController): Readable {
  return new Readable({
    // Four chunks of at most 64 KB, as the socket gives them: as bytes, all that wait would be copied into one.
    objectMode: true,
    highWaterMark: 4,
    read: () => controller.resume(),
    destroy(error, done) {
      if (!this.readableEnded) controller.abort(error ?? new Error('The answer was not read to its end.'));
      done(error);
    },
  });
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

/**
 * The stream with its `Content-Encoding` undone; an encoding that is not known stays as it is. A truncated stream is an
 * error of the result: zlib insists on the trailer.
 */
function decompress(body: Readable, contentEncoding = ''): Readable {
  const codings = contentEncoding.toLowerCase().split(',').reverse();
  return codings.reduce<Readable>((stream, coding) => {
    const create = decoders[coding.trim()];
    // The callback is there because an error without one would be thrown; the reader sees it on the stream itself.
    return create ? (pipeline(stream, create(), () => {}) as Transform) : stream;
  }, body);
}
