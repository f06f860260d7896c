import { UsageError } from '../errors.ts';

/**
 * Reads a base URL: https, or http to this machine; without credentials, query or fragment; its path kept, without a
 * slash at the end. Throws `UsageError` that says what is wrong (`cli.md`, Settings).
 */
export function checkBaseUrl(text: string): URL {
  const url = parseUrl(text.trim());
  if (url.username !== '' || url.password !== '') {
    throw wrong('must not hold a user name or password', 'Sign in with adreport login, or set ADREPORT_TOKEN.');
  }
  const shown = `"${text.trim()}"`;
  if (url.search !== '' || url.hash !== '' || /[?#]$/.test(text.trim())) {
    throw wrong(`${shown} must end with its path: no query, no fragment`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw wrong(
      `${shown} must begin with https://, or the token would travel readable for everyone on the way`,
      'Plain http is for this machine alone: localhost, 127.0.0.1, [::1].',
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** A base URL as people write it: no slash at the end. */
export function formatBaseUrl(url: URL): string {
  return url.href.replace(/\/$/, '');
}

/** The origin of a stored base URL, which somebody may have edited since it was checked; `undefined` if it is no URL. */
export function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

function parseUrl(text: string): URL {
  if (text === '') throw wrong('is empty');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // `localhost:8787` parses, with the scheme `localhost:`.
  if (url && /^https?:$/.test(url.protocol) && /^https?:\/\//i.test(text)) return url;
  const guess = `${/^(localhost|127\.|\[::1\])/i.test(text) ? 'http' : 'https'}://${text}`;
  const isGuess = !text.includes('://') && !text.includes('@') && URL.canParse(guess);
  // Not quoted: what cannot be parsed may hold a password.
  throw wrong('is no http or https address', isGuess ? `Did you mean ${guess}?` : undefined);
}

/** `URL` writes every spelling of an IPv4 address (`127.1`, `0x7f000001`) as four decimal numbers. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function wrong(what: string, hint?: string): UsageError {
  return new UsageError(`The base URL ${what}.`, hint === undefined ? {} : { hint });
}
