import { type AdreportError, codeOf, IncompleteDataError, UnreachableError } from '../errors.ts';
import { printable, shortened } from '../text/printable.ts';

/** The message is the proxy's URL. */
export class ProxyError extends Error {}

/** State of an exchange when it failed. */
export interface ExchangeState {
  /** Status and headers had arrived. */
  readonly begun: boolean;

  /** Both a user name and a password are in the proxy's URL. */
  readonly hasProxyUser: boolean;
}

export class TransportError extends Error {
  /** Error for the user. */
  readonly error: AdreportError;

  /** The same exchange may soon succeed. */
  readonly isTemporary: boolean;

  constructor(cause: unknown, { origin, hostname }: URL, { begun, hasProxyUser }: ExchangeState) {
    const diagnosis = diagnose(cause, hostname);
    const { sentence, code, isTemporary } = diagnosis;
    const isProxyUserRefused = diagnosis.hint === proxySignInHint && hasProxyUser;
    const hint = isProxyUserRefused ? proxyRefusedHint : diagnosis.hint;
    super(sentence, { cause });
    this.isTemporary = isTemporary || begun;
    this.error =
      begun && code !== 'TIMEOUT'
        ? new IncompleteDataError(`The response from ${origin} broke off: ${sentence}.`, {
            cause,
            concernsReport: false,
          })
        : new UnreachableError(`Could not reach ${origin}: ${sentence}.`, { code, hint, cause });
  }
}

/** Why an exchange failed. */
interface Diagnosis {
  /** Without a full stop: `connection refused`. */
  readonly sentence: string;
  readonly code: string;
  readonly hint: string;

  /** The same exchange may soon succeed. */
  readonly isTemporary: boolean;
}

const proxyHint = 'Check HTTPS_PROXY and NO_PROXY.';
const proxySignInHint =
  'The proxy requires a user name and a password: HTTPS_PROXY=http://user:password@host:port';
const proxyRefusedHint =
  'The proxy refused the user name and the password in HTTPS_PROXY: correct them.';
const tlsHint = 'To trust a private certificate authority, set NODE_EXTRA_CA_CERTS=FILE.';
const otherHostHint =
  'The certificate is for a different host. Check the base URL: adreport whoami shows it.';
const timeout = {
  code: 'TIMEOUT',
  hint: 'If the service is slow, raise the limit with --timeout, for example --timeout 2m.',
};
const tls = { code: 'TLS', hint: tlsHint, isTemporary: false };

/** Error codes of Node and undici; absent members have the default for unknown codes. */
const knownCodes: readonly (Partial<Diagnosis> & { readonly codes: RegExp })[] = [
  { codes: /^ECONNREFUSED$/, sentence: 'connection refused' },
  { codes: /^ENOTFOUND$/, sentence: 'unknown host', isTemporary: false },
  { codes: /^EAI_AGAIN$/, sentence: 'the host name could not be looked up' },
  { codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, sentence: 'the connection was cut' },
  {
    codes: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    sentence: 'no connection in time',
    ...timeout,
  },
  { codes: /^UND_ERR_HEADERS_TIMEOUT$/, sentence: 'no response in time', ...timeout },
  { codes: /^UND_ERR_BODY_TIMEOUT$/, sentence: 'the response stalled', ...timeout },
  { codes: /^ANSWER_TIMEOUT$/, ...timeout },
  { codes: /^EPROTO$/, sentence: 'the server does not support TLS', ...tls },
  { codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, ...tls, hint: otherHostHint },
  {
    codes: /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/,
    ...tls,
  },
  // undici asserts some properties of a response instead of checking them.
  {
    codes: /^(HPE_|HTTPParserError$|ERR_ASSERTION$)/,
    sentence: 'the response is not HTTP',
    isTemporary: false,
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
      isTemporary: !refusedStatus.startsWith('4'),
    };
  }

  const code = codeOf(error) ?? '';
  const known = knownCodes.find(({ codes }) => codes.test(code || name));
  const sentence = known?.sentence ?? reasonOf(error, message);
  return {
    sentence: sentence.includes(code) ? sentence : `${sentence} (${code})`,
    code: known?.code ?? 'UNREACHABLE',
    hint: known?.hint ?? networkHint(code, host),
    isTemporary: known?.isTemporary ?? true,
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

/** Formats an error on one line; for OpenSSL errors, only the reason. */
function reasonOf(error: unknown, message: string): string {
  // Node adds both to errors of OpenSSL, whose messages have source lines.
  const { library, reason } = (error ?? {}) as {
    readonly library?: unknown;
    readonly reason?: unknown;
  };
  const isOpenSsl = typeof library === 'string' && typeof reason === 'string';
  const text = isOpenSsl ? `TLS failed: ${reason}` : message;
  return printable(shortened(text));
}

function networkHint(code: string, host: string): string {
  const isThisMachine = /^(localhost|127\.|\[::1\])/.test(host);
  if (code === 'ECONNREFUSED' && isThisMachine) {
    return 'Start the local server with adreport local-server, or add --local to this command.';
  }
  return 'Check the network and the base URL: adreport whoami shows it.';
}
