import { type AdreportError, codeOf, IncompleteDataError, UnreachableError } from '../errors.ts';

/** Where an exchange broke off; decides what may be repeated and what the user is told. */
type TransportFailure =
  | 'refused'
  | 'unknown-host'
  | 'timeout'
  | 'tls'
  | 'cut'
  | 'proxy'
  | 'proxy-refusal'
  | 'not-http'
  | 'other';

const cut = ['cut', 'the connection was cut'] as const;
const known: Readonly<Record<string, readonly [TransportFailure, sentence?: string]>> = {
  ECONNREFUSED: ['refused', 'connection refused, nothing is listening there'],
  ENOTFOUND: ['unknown-host', 'there is no host of that name'],
  EAI_AGAIN: ['other', 'the host name could not be looked up'],
  EHOSTUNREACH: ['other', 'there is no route to the host'],
  ENETUNREACH: ['other', 'the network is unreachable'],
  ETIMEDOUT: ['timeout', 'no connection in time'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'no connection in time'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'no answer in time'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'the answer stopped moving'],
  ANSWER_TIMEOUT: ['timeout'],
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['cut'],
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: ['cut'],
  EPROTO: ['tls', 'the other side does not speak TLS'],
};

/** What went wrong between this machine and the proxy, before anything could go on to the service. */
export class ProxyError extends Error {
  /** @param proxy the proxy's address, without name and password */
  constructor(proxy: string, cause: unknown) {
    super(`at the proxy ${proxy}: ${diagnose(cause, false).sentence}`, { cause });
  }
}

/** An HTTP exchange that did not come to its end. Internal to `api`: the client turns it into an error for the user. */
export class TransportError extends Error {
  readonly failure: TransportFailure;
  /** Whether bytes of the request may have reached the service. */
  readonly sent: boolean;
  /** Whether the answer had begun: its status and headers are known, its body is not whole. */
  readonly begun: boolean;

  constructor(cause: unknown, state: { readonly sent: boolean; readonly begun: boolean }) {
    const { failure, sentence } = diagnose(cause, state.begun);
    super(sentence, { cause });
    this.failure = failure;
    this.sent = state.sent;
    this.begun = state.begun;
  }
}

function diagnose(error: unknown, begun: boolean): { readonly failure: TransportFailure; readonly sentence: string } {
  const code = codeOf(error) ?? '';
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ProxyError) {
    const { failure } = diagnose(error.cause, false);
    if (failure === 'timeout' || failure === 'tls') return { failure, sentence: message };
    // What no waiting can mend is its refusal.
    const isRefusal = failure === 'unknown-host' || failure === 'not-http';
    return { failure: isRefusal ? 'proxy-refusal' : 'proxy', sentence: message };
  }
  // undici's parser has no code; damage further on is one of this answer, and another try may bring it whole.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return begun
      ? { failure: 'cut', sentence: `${message} (${code})` }
      : { failure: 'not-http', sentence: 'the answer is not HTTP' };
  }
  const [, proxyStatus] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
  if (proxyStatus !== undefined) {
    const failure = proxyStatus.startsWith('4') ? 'proxy-refusal' : 'proxy';
    return { failure, sentence: `the proxy answered ${proxyStatus} instead of connecting` };
  }
  const isTls = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/.test(code);
  const [failure, sentence = message] = known[code] ?? [isTls ? 'tls' : 'other'];
  return { failure, sentence: code && !sentence.includes(code) ? `${sentence} (${code})` : sentence };
}

/** An exchange that broke off, as the error that the user is to see. */
export function unreachable(error: TransportError, url: URL): AdreportError {
  const { failure, message, begun } = error;
  if (begun && failure !== 'timeout') {
    return new IncompleteDataError(`The answer of ${url.origin} broke off: ${message}.`, { cause: error });
  }
  return new UnreachableError(`Could not reach ${url.origin}: ${message}.`, {
    code: failure === 'timeout' ? 'TIMEOUT' : failure === 'tls' ? 'TLS' : 'UNREACHABLE',
    hint: hintFor(error, url),
    cause: error,
  });
}

function hintFor({ failure, cause }: TransportError, { hostname }: URL): string {
  if (failure === 'tls') {
    return codeOf(cause) === 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? 'The certificate is of another host: check the base URL, which adreport whoami shows.'
      : 'A private certificate authority is made known with NODE_EXTRA_CA_CERTS=FILE.';
  }
  if (failure === 'timeout') return 'A slow service can be given longer with --timeout, e.g. --timeout 2m.';
  if (failure === 'proxy' || failure === 'proxy-refusal') return 'Check HTTPS_PROXY and NO_PROXY.';
  if (failure === 'refused' && /^(localhost|127\.|\[::1\])/.test(hostname)) {
    return 'Start the local server with: adreport local-server (or add --local to this command).';
  }
  return 'Check the base URL and the network: adreport whoami shows what is set.';
}
