import { codeOf } from '../errors.ts';
import { isLoopback } from '../text/loopback.ts';
import { printable, truncate } from '../text/printable.ts';
import type { HintName } from './hints.ts';

/** A proxy failure. The message is the URL of the proxy. */
export class ProxyError extends Error {}

export function isDecompressionError(error: unknown): boolean {
  return /^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test(codeOf(error) ?? '');
}

interface NetworkFailure {
  /** Reason without a full stop: `connection refused`. */
  readonly reason: string;
  readonly code: string;
  readonly hint: HintName;

  /** Whether the same call may soon succeed. */
  readonly isTemporary: boolean;
}

const timeout = { code: 'TIMEOUT', hint: 'timeout' } as const;
const tls = { code: 'TLS', hint: 'privateAuthority', isTemporary: false } as const;

/** Error codes of Node and undici. Missing fields default to those for unknown codes. */
const knownCodes: readonly (Partial<NetworkFailure> & { readonly codes: RegExp })[] = [
  { codes: /^ECONNREFUSED$/, reason: 'connection refused' },
  { codes: /^ENOTFOUND$/, reason: 'unknown host', isTemporary: false },
  { codes: /^EAI_AGAIN$/, reason: 'the host name could not be looked up' },
  { codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, reason: 'the connection was cut' },
  { codes: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, reason: 'no connection in time', ...timeout },
  { codes: /^UND_ERR_HEADERS_TIMEOUT$/, reason: 'no response in time', ...timeout },
  { codes: /^UND_ERR_BODY_TIMEOUT$/, reason: 'the response stalled', ...timeout },
  { codes: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, ...tls, hint: 'certificateTime' },
  { codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, ...tls, hint: 'otherHost' },
  {
    codes: /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/,
    reason: 'the server does not support TLS',
    ...tls,
    hint: 'httpPort',
  },
  {
    codes: /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/,
    ...tls,
  },
  // undici asserts some properties of a response, so an invalid response ends in an AssertionError.
  {
    codes: /^(HPE_|HTTPParserError$|ERR_ASSERTION$)/,
    reason: 'the response is not HTTP',
    isTemporary: false,
  },
];

/** Explains an error of Node or undici. */
export function explainNetworkFailure(error: unknown, host: string): NetworkFailure {
  if (error instanceof ProxyError) return explainProxyFailure(error, host);

  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const refusedStatus = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refusedStatus) {
    return {
      reason: `the proxy responded with ${refusedStatus} instead of connecting`,
      code: 'UNREACHABLE',
      hint: refusedStatus === '407' ? 'proxySignIn' : 'proxy',
      isTemporary: !refusedStatus.startsWith('4'),
    };
  }

  const code = codeOf(error) ?? '';
  const known = knownCodes.find(({ codes }) => codes.test(code || name));
  const reason = known?.reason ?? describeError(error, message);
  return {
    reason: reason.includes(code) ? reason : `${reason} (${code})`,
    code: known?.code ?? 'UNREACHABLE',
    hint: known?.hint ?? chooseNetworkHint(code, host),
    isTemporary: known?.isTemporary ?? true,
  };
}

const proxyHints: Partial<Record<HintName, HintName>> = {
  hostName: 'proxy',
  localServer: 'proxy',
  httpPort: 'proxyScheme',
};

function explainProxyFailure(error: ProxyError, host: string): NetworkFailure {
  const cause = explainNetworkFailure(error.cause, host);
  return {
    ...cause,
    reason: `at the proxy ${error.message}: ${cause.reason}`,
    hint: proxyHints[cause.hint] ?? cause.hint,
  };
}

/** Formats an error on one line. Only the reason of an OpenSSL error is kept. */
function describeError(error: unknown, message: string): string {
  // Node adds both members to OpenSSL errors, whose messages contain source lines.
  const { library, reason } = (error ?? {}) as {
    readonly library?: unknown;
    readonly reason?: unknown;
  };
  const isOpenSsl = typeof library === 'string' && typeof reason === 'string';
  const text = isOpenSsl ? `TLS failed: ${reason}` : message;
  return printable(truncate(text));
}

function chooseNetworkHint(code: string, host: string): HintName {
  return code === 'ECONNREFUSED' && isLoopback(host) ? 'localServer' : 'hostName';
}
