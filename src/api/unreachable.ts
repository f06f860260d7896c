import { type AdreportError, codeOf, IncompleteDataError, UnreachableError } from '../errors.ts';
import type { TransportError } from './transport-error.ts';

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
