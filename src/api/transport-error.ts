import { type AdreportError, codeOf, IncompleteDataError, UnreachableError } from '../errors.ts';

/** Where an exchange broke off; decides what may be repeated and what the user is told. */
export type TransportFailure =
  | 'refused'
  | 'unknown-host'
  | 'timeout'
  | 'tls'
  | 'cut'
  | 'proxy'
  | 'proxy-refusal'
  | 'not-http'
  | 'other';

/** An HTTP exchange that did not come to its end. Internal to `api`: the client turns it into an error for the user. */
export class TransportError extends Error {
  readonly failure: TransportFailure;
  /** Whether bytes of the request may have reached the service. */
  readonly sent: boolean;
  /** Whether the answer had begun: its status and headers are known, its body is not whole. */
  readonly begun: boolean;

  constructor(cause: unknown, state: { readonly sent: boolean; readonly begun: boolean }) {
    super(describe(cause, state.begun), { cause });
    this.name = 'TransportError';
    this.failure = classify(cause, state.begun);
    this.sent = state.sent;
    this.begun = state.begun;
  }
}

/** What went wrong between this machine and the proxy, before anything could go on to the service. */
export class ProxyError extends Error {
  /** @param proxy the proxy's address, without name and password */
  constructor(proxy: string, cause: unknown) {
    super(`at the proxy ${proxy}: ${describe(cause, false)}`, { cause });
  }
}

function classify(error: unknown, begun: boolean): TransportFailure {
  if (error instanceof ProxyError) return ofProxy(classify(error.cause, false));
  const code = codeOf(error) ?? '';
  if (code === 'ECONNREFUSED') return 'refused';
  // Not EAI_AGAIN, which says that the name could not be looked up this time.
  if (code === 'ENOTFOUND') return 'unknown-host';
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  if (/^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(code)) return 'tls';
  // Damage further on is one of this answer; another try may bring it whole.
  if (isOfParser(error)) return begun ? 'cut' : 'not-http';
  const proxyStatus = proxyStatusOf(error);
  if (proxyStatus !== undefined) return /^4/.test(proxyStatus) ? 'proxy-refusal' : 'proxy';
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_(RES|REQ)_CONTENT_LENGTH_MISMATCH)$/.test(code)) return 'cut';
  return 'other';
}

/** A failure on the way to the proxy, as one of the proxy: what no waiting can mend is its refusal. */
function ofProxy(failure: TransportFailure): TransportFailure {
  if (failure === 'timeout' || failure === 'tls') return failure;
  return failure === 'unknown-host' || failure === 'not-http' ? 'proxy-refusal' : 'proxy';
}

/** Whether undici could not read as HTTP what came; its parser's errors have a name, and no code. */
function isOfParser(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError';
}

/** What a proxy answered instead of opening a way through; undici says it in its message alone. */
function proxyStatusOf(error: unknown): string | undefined {
  return /^Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : '')?.[1];
}

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, nothing is listening there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped moving',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  EPROTO: 'the other side does not speak TLS',
};

function describe(error: unknown, begun: boolean): string {
  const code = codeOf(error) ?? '';
  const message = error instanceof Error ? error.message : String(error);
  if (isOfParser(error) && !begun) return 'the answer is not HTTP';
  const proxyStatus = proxyStatusOf(error);
  if (proxyStatus !== undefined) return `the proxy answered ${proxyStatus} instead of connecting`;
  const sentence = sentences[code] ?? message;
  return code && !sentence.includes(code) ? `${sentence} (${code})` : sentence;
}

/** An exchange that broke off, as the error that the user is to see. */
export function unreachable(error: TransportError, url: URL): AdreportError {
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
      if (codeOf(error.cause) === 'ERR_TLS_CERT_ALTNAME_INVALID') {
        return 'The certificate is of another host: check the base URL, which adreport whoami shows.';
      }
      return 'A private certificate authority is made known with NODE_EXTRA_CA_CERTS=FILE.';
    case 'timeout':
      return 'A slow service can be given longer with --timeout, e.g. --timeout 2m.';
    case 'refused':
      return /^(localhost|127\.|\[::1\])/.test(url.hostname)
        ? 'Start the local server with: adreport local-server (or add --local to this command).'
        : 'Check the base URL: adreport whoami shows it.';
    case 'proxy':
    case 'proxy-refusal':
      return 'Check HTTPS_PROXY and NO_PROXY.';
    default:
      return 'Check the base URL and the network: adreport whoami shows what is set.';
  }
}
