import { withoutSlashesAtEnd } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';

/**
 * Accepts https, or http on loopback; with a path, but without credentials, query or fragment.
 * Throws `UsageError` for any other base URL.
 */
export function checkBaseUrl(text: string): URL {
  const address = text.trim();
  // `localhost:8787` is a URL too, with the scheme `localhost:`.
  const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address);
  if (!isWeb) {
    // Not quoted, because an invalid URL may contain a password.
    const guess = guessBaseUrl(address);
    const hint = guess === undefined ? `Example: ${exampleBaseUrl}` : `Did you mean ${guess}?`;
    throw new UsageError('The base URL is not an http or https URL.', { hint });
  }

  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    const hint = 'Sign in with adreport login, or set ADREPORT_TOKEN.';
    throw new UsageError('The base URL must not contain a user name or password.', { hint });
  }
  if (/[?#]/.test(address)) {
    throw new UsageError(`The base URL “${address}” must not have a query or fragment.`);
  }
  // `URL` normalizes every spelling of an IPv4 address (`127.1`, `0x7f000001`).
  const isLoopback = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) {
    const hint = 'Plain http is allowed only on this machine: localhost, 127.0.0.1, [::1].';
    const why = 'otherwise the token would be sent unencrypted';
    throw new UsageError(`The base URL “${address}” must start with https://; ${why}.`, { hint });
  }
  url.pathname = withoutSlashesAtEnd(url.pathname);
  return url;
}

export const exampleBaseUrl = 'https://reports.example.com';

/** Adds a missing scheme; returns `undefined` if the result would not be a URL. */
export function guessBaseUrl(address: string): string | undefined {
  if (address === '' || address.includes('://') || address.includes('@')) return undefined;
  const scheme = /^(localhost|127\.|\[::1\])/i.test(address) ? 'http' : 'https';
  const guess = `${scheme}://${address}`;
  return URL.canParse(guess) && !/\s/.test(address) ? guess : undefined;
}
