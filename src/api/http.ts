import { hrtime } from 'node:process';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import {
  type AdreportError,
  codeOf,
  IncompleteDataError,
  RejectedError,
  UnreachableError,
  UsageError,
} from '../errors.ts';

interface HttpOptions {
  /** Bounds connecting, the wait for the first byte, and a pause within a body; four times it and a second the whole. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** For https; plain http is loopback only and goes past any proxy. */
  readonly proxy?: ReturnType<typeof readProxy>;
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

export type Http = Awaited<ReturnType<typeof createHttp>>;

/** The one door to undici: connections, timeouts, proxy, redirects, decompression. No retries, no meaning. */
export async function createHttp(options: HttpOptions) {
  const dispatcher = await createDispatcher(options);
  return {
    /** One exchange, redirects followed. Throws `TransportError`, and the signal's reason; `RejectedError` for a redirect. */
    async send(first: HttpRequest): Promise<HttpResponse> {
      let request = first;
      for (let hops = 0; ; hops += 1) {
        const response = await exchange(dispatcher, request, options);
        const { location } = response.headers;
        if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined)
          return response;
        response.body.destroy();
        if (hops === 5)
          throw new UnreachableError(`${first.url.origin} redirects in circles (5 times).`);
        request = redirected(request, response.status, location);
      }
    },
    /** Ends every connection, whatever is on its way. */
    close: () => dispatcher.destroy(),
  };
}

/**
 * The proxy of the environment, `http://` where it names no scheme, as curl has it; `undefined` where there is none.
 * Throws `UsageError` for an address that is none, and for a user name or password that cannot be decoded.
 */
export function readProxy(env: Readonly<Record<string, string | undefined>>) {
  const text = (env.https_proxy || env.HTTPS_PROXY)?.trim();
  if (!text) return undefined;
  try {
    const url = new URL(text.includes('://') ? text : `http://${text}`);
    decodeURIComponent(url.username + url.password);
    if (/^https?:$/.test(url.protocol))
      return { url, none: (env.no_proxy ?? env.NO_PROXY ?? '').trim() };
  } catch {
    // Not quoted below: what cannot be parsed may hold a password.
  }
  throw new UsageError(
    'HTTPS_PROXY is no http or https address, or its user name or password cannot be decoded.',
    {
      hint: 'For example: http://me:secret@127.0.0.1:3128. A percent sign that stands for itself is written as %25.',
    },
  );
}

async function createDispatcher({ timeoutMs, proxy }: HttpOptions): Promise<Dispatcher> {
  const { default: undici } = await import('undici');
  const { Agent, EnvHttpProxyAgent, Pool } = undici;
  const connect = { timeout: timeoutMs };
  if (!proxy) return new Agent({ connect });

  return new EnvHttpProxyAgent({
    connect,
    httpProxy: '',
    httpsProxy: proxy.url.href,
    noProxy: proxy.none,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin, options) => {
      // By itself a proxy that takes a connection and then says nothing is waited for five minutes.
      const pool = new Pool(origin, { ...options, headersTimeout: timeoutMs });
      const openTunnel = pool.connect.bind(pool);
      // A proxy that hangs up is undici's code for "connect again", which it does at once and without end: its errors go
      // on as ours, without that code.
      const connectOrTell = (request: Dispatcher.ConnectOptions<null>) =>
        openTunnel(request).catch((cause: unknown) => {
          throw new ProxyError(origin.origin, { cause });
        });
      return Object.assign(pool, { connect: connectOrTell });
    },
  });
}

/**
 * The request to make after a redirect (`decisions.md` 4). A POST goes on only within its origin and with its body, but a
 * download may lead to where the report is stored: by GET, https, and without the token. Throws `RejectedError`.
 */
function redirected(request: HttpRequest, status: number, location: string): HttpRequest {
  const { url, method, isDownload } = request;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const isSameOrigin = target?.origin === url.origin;
  const keepsMethod = status === 307 || status === 308;
  const mayFollow = method === 'GET' || (isSameOrigin ? keepsMethod : isDownload && !keepsMethod);
  if (target && mayFollow && isSameOrigin) return { ...request, url: target };
  if (target && mayFollow && target.protocol === 'https:') {
    const { authorization: _token, 'content-type': _type, ...headers } = request.headers;
    return { ...request, method: 'GET', url: target, headers, body: undefined };
  }
  const why = mayFollow ? 'which is not https' : 'and a POST is not sent on to another address';
  const where = target?.origin ?? 'an unreadable address';
  throw new RejectedError(`${url.origin}${url.pathname} redirects to ${where}, ${why}.`, {
    code: 'REDIRECT_REFUSED',
    hint: 'Check the base URL: the service may have moved, or a portal or a proxy may stand before it.',
  });
}

function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  options: HttpOptions,
): Promise<HttpResponse> {
  const { method, url, signal } = request;
  const { timeoutMs, userAgent, trace } = options;
  const startedAt = hrtime.bigint();
  return new Promise((resolve, reject) => {
    let [ended, status, bytes] = [false, 0, 0];
    let body: Readable | undefined;
    let controller: Dispatcher.DispatchController | undefined;

    const finish = (error?: unknown): void => {
      if (ended) return;
      ended = true;
      clearTimeout(limit);
      signal?.removeEventListener('abort', abort);
      const lost =
        error === undefined ? undefined : new TransportError(error, url, body !== undefined);
      const failure: Error | undefined = lost && signal?.aborted ? signal.reason : lost;
      const answer = status ? `${status}, ${bytes} bytes` : 'no answer';
      const tookMs = Math.round(Number(hrtime.bigint() - startedAt) / 1e6);
      // What a signed URL is asked with is a secret.
      const address = `${url.origin}${url.pathname}${url.search && '?…'}`;
      trace(
        `${method} ${address} → ${answer}, ${tookMs} ms${failure ? ` (${failure.message})` : ''}`,
      );
      if (!body) reject(failure);
      else if (failure) body.destroy(failure);
      else body.push(null);
    };
    const stop = (reason: Error): void => (controller ? controller.abort(reason) : finish(reason));
    const abort = (): void => stop(signal?.reason);
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', abort);
    // An answer that trickles makes no pause that is too long.
    const tooSlow = Object.assign(new Error('the answer did not end in time'), {
      code: 'ANSWER_TIMEOUT',
    });
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
        request.onSent?.();
      },
      onResponseStart(current, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        body = createBody(current);
        const headers = Object.fromEntries(
          Object.entries(received).map(([name, value]) => [name, String(value)]),
        );
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
      if (!this.readableEnded)
        controller.abort(error ?? new Error('The answer was not read to its end.'));
      done(error);
    },
  });
}

/** The stream with its `Content-Encoding` undone. A truncated one is an error of the result: zlib insists on the trailer. */
function decompress(body: Readable, contentEncoding = ''): Readable {
  const codings = contentEncoding.toLowerCase().split(',').reverse();
  return codings.reduce<Readable>((stream, coding) => {
    const isZlib = /^(x-gzip|gzip|deflate)$/.test(coding.trim());
    if (!isZlib && coding.trim() !== 'br') return stream;
    // The callback is there because an error without one would be thrown; the reader sees it on the stream itself.
    return pipeline(stream, isZlib ? createUnzip() : createBrotliDecompress(), () => {});
  }, body);
}

class ProxyError extends Error {}

/** An exchange that did not come to its end: the error that the user is to see, and whether the same may soon succeed. */
export class TransportError extends Error {
  readonly error: AdreportError;
  readonly passing: boolean;

  /** @param begun whether the answer had begun: its status and headers are known, its body is not whole */
  constructor(cause: unknown, { origin, hostname }: URL, begun: boolean) {
    const { sentence, code, hint, passing } = diagnose(cause, hostname);
    super(sentence, { cause });
    this.error =
      begun && code !== 'TIMEOUT'
        ? new IncompleteDataError(`The answer of ${origin} broke off: ${sentence}.`, { cause })
        : new UnreachableError(`Could not reach ${origin}: ${sentence}.`, { code, hint, cause });
    this.passing = passing || begun;
  }
}

const proxyHint = 'Check HTTPS_PROXY and NO_PROXY.';
const tlsHint = 'A private certificate authority is made known with NODE_EXTRA_CA_CERTS=FILE.';
const wrongHost =
  'The certificate is of another host: check the base URL, which adreport whoami shows.';
const timeout = {
  code: 'TIMEOUT',
  hint: 'A slow service can be given longer with --timeout, e.g. --timeout 2m.',
};
const tls = { code: 'TLS', hint: tlsHint, passing: false };
const unreachable = { code: 'UNREACHABLE', passing: true };

/** The codes of Node and undici that tell more than that there was no answer. */
const known: readonly (readonly [
  codes: RegExp,
  sentence?: string,
  more?: Partial<ReturnType<typeof diagnose>>,
])[] = [
  [/^ECONNREFUSED$/, 'connection refused, nothing is listening there'],
  [/^ENOTFOUND$/, 'there is no host of that name', { passing: false }],
  [/^EAI_AGAIN$/, 'the host name could not be looked up'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was cut'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'no connection in time', timeout],
  [/^UND_ERR_HEADERS_TIMEOUT$/, 'no answer in time', timeout],
  [/^UND_ERR_BODY_TIMEOUT$/, 'the answer stopped moving', timeout],
  [/^ANSWER_TIMEOUT$/, undefined, timeout],
  [/^EPROTO$/, 'the other side does not speak TLS', tls],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, undefined, { ...tls, hint: wrongHost }],
  [/^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/, undefined, tls],
  [/^(HPE_|HTTPParserError$)/, 'the answer is not HTTP', { passing: false }],
];

function diagnose(
  error: unknown,
  host: string,
): { sentence: string; code: string; hint: string; passing: boolean } {
  if (error instanceof ProxyError) {
    const inner = diagnose(error.cause, host);
    const hint = inner.code === 'UNREACHABLE' ? proxyHint : inner.hint;
    return { ...inner, sentence: `at the proxy ${error.message}: ${inner.sentence}`, hint };
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const [, refusal] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
  if (refusal) {
    const sentence = `the proxy answered ${refusal} instead of connecting`;
    return { ...unreachable, sentence, hint: proxyHint, passing: !refusal.startsWith('4') };
  }
  const code = codeOf(error) ?? '';
  const [, sentence = message, more] = known.find(([codes]) => codes.test(code || name)) ?? [];
  const isLocal = code === 'ECONNREFUSED' && /^(localhost|127\.|\[::1\])/.test(host);
  const hint = isLocal
    ? 'Start the local server with: adreport local-server (or add --local to this command).'
    : 'Check the base URL and the network: adreport whoami shows what is set.';
  return {
    ...unreachable,
    hint,
    ...more,
    sentence: sentence.includes(code) ? sentence : `${sentence} (${code})`,
  };
}
