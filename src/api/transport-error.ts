import { type AdreportError, codeOf, IncompleteDataError, UnreachableError } from '../errors.ts';
import { printable, shortened } from '../text/printable.ts';

/** What went wrong on the way to the proxy, which the message names; the cause says what. */
export class ProxyError extends Error {}

/** How far an exchange had come, and what it was made with. */
export interface ExchangeState {
  /** True if the answer had begun: its status and headers are known, its body is not whole. */
  readonly begun: boolean;

  /** True if the proxy was given a user name and a password. */
  readonly hasProxyUser: boolean;
}

/**
 * An exchange that did not come to its end: the error that the user is to see, and whether the same
 * may soon succeed.
 */
export class TransportError extends Error {
  readonly error: AdreportError;

  /** Whether the same may soon succeed. */
  readonly passing: boolean;

  constructor(cause: unknown, { origin, hostname }: URL, { begun, hasProxyUser }: ExchangeState) {
    const diagnosis = diagnose(cause, hostname);
    const { sentence, code, passing } = diagnosis;
    const isProxyUserRefused = diagnosis.hint === proxySignInHint && hasProxyUser;
    const hint = isProxyUserRefused ? proxyRefusedHint : diagnosis.hint;
    super(sentence, { cause });
    this.passing = passing || begun;
    this.error =
      begun && code !== 'TIMEOUT'
        ? new IncompleteDataError(`The answer of ${origin} broke off: ${sentence}.`, { cause })
        : new UnreachableError(`Could not reach ${origin}: ${sentence}.`, { code, hint, cause });
  }
}

/** Why an exchange did not come to its end, for people and for programs. */
interface Diagnosis {
  /** Without a full stop: `connection refused`. */
  readonly sentence: string;
  readonly code: string;
  readonly hint: string;

  /** Whether the same may soon succeed. */
  readonly passing: boolean;
}

/** What is known of a code of Node or undici; what is absent is told as for any other code. */
interface KnownCode extends Partial<Diagnosis> {
  readonly codes: RegExp;
}

const proxyHint = 'Check HTTPS_PROXY and NO_PROXY.';
const proxySignInHint =
  'The proxy wants a user name and a password: HTTPS_PROXY=http://user:password@host:port';
const proxyRefusedHint =
  'The proxy refused the user name and the password in HTTPS_PROXY: correct them.';
const tlsHint = 'A private certificate authority is made known with NODE_EXTRA_CA_CERTS=FILE.';
const otherHostHint =
  'The certificate is of another host: check the base URL, which adreport whoami shows.';
const timeout = {
  code: 'TIMEOUT',
  hint: 'A slow service can be given longer with --timeout, e.g. --timeout 2m.',
};
const tls = { code: 'TLS', hint: tlsHint, passing: false };

const knownCodes: readonly KnownCode[] = [
  { codes: /^ECONNREFUSED$/, sentence: 'connection refused, nothing is listening there' },
  { codes: /^ENOTFOUND$/, sentence: 'there is no host of that name', passing: false },
  { codes: /^EAI_AGAIN$/, sentence: 'the host name could not be looked up' },
  { codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, sentence: 'the connection was cut' },
  {
    codes: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    sentence: 'no connection in time',
    ...timeout,
  },
  { codes: /^UND_ERR_HEADERS_TIMEOUT$/, sentence: 'no answer in time', ...timeout },
  { codes: /^UND_ERR_BODY_TIMEOUT$/, sentence: 'the answer stopped moving', ...timeout },
  { codes: /^ANSWER_TIMEOUT$/, ...timeout },
  { codes: /^EPROTO$/, sentence: 'the other side does not speak TLS', ...tls },
  { codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, ...tls, hint: otherHostHint },
  {
    codes: /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/,
    ...tls,
  },
  // undici asserts what it takes for granted of an answer.
  {
    codes: /^(HPE_|HTTPParserError$|ERR_ASSERTION$)/,
    sentence: 'the answer is not HTTP',
    passing: false,
  },
];

function diagnose(error: unknown, host: string): Diagnosis {
  if (error instanceof ProxyError) return diagnoseProxy(error, host);

  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const refusedStatus = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refusedStatus) {
    return {
      sentence: `the proxy answered ${refusedStatus} instead of connecting`,
      code: 'UNREACHABLE',
      hint: refusedStatus === '407' ? proxySignInHint : proxyHint,
      passing: !refusedStatus.startsWith('4'),
    };
  }

  const code = codeOf(error) ?? '';
  const known = knownCodes.find(({ codes }) => codes.test(code || name));
  const sentence = known?.sentence ?? reasonOf(error, message);
  return {
    sentence: sentence.includes(code) ? sentence : `${sentence} (${code})`,
    code: known?.code ?? 'UNREACHABLE',
    hint: known?.hint ?? networkHint(code, host),
    passing: known?.passing ?? true,
  };
}

function diagnoseProxy(error: ProxyError, host: string): Diagnosis {
  const cause = diagnose(error.cause, host);
  const isOfNetwork = cause.code === 'UNREACHABLE' && cause.hint !== proxySignInHint;
  return {
    ...cause,
    sentence: `at the proxy ${error.message}: ${cause.sentence}`,
    hint: isOfNetwork ? proxyHint : cause.hint,
  };
}

/**
 * The message of an error on one line; of OpenSSL's, which are for its programmers, the reason
 * alone.
 */
function reasonOf(error: unknown, message: string): string {
  const { reason } = (error ?? {}) as { readonly reason?: unknown };
  const isOpenSsl = /:error:[0-9A-F]+:/i.test(message);
  const text = isOpenSsl && typeof reason === 'string' ? `TLS failed: ${reason}` : message;
  return printable(shortened(text));
}

function networkHint(code: string, host: string): string {
  const isThisMachine = /^(localhost|127\.|\[::1\])/.test(host);
  if (code === 'ECONNREFUSED' && isThisMachine) {
    return 'Start the local server with: adreport local-server (or add --local to this command).';
  }
  return 'Check the base URL and the network: adreport whoami shows what is set.';
}
