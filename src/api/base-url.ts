import { trimTrailingSlashes } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { isLoopback } from '../text/loopback.ts';

/** Hosts for which plain http is allowed, in addition to loopback. */
export interface PlainHttpHosts {
  /** Host names without ports. */
  readonly hosts: readonly string[];

  /** The variable or option that sets the hosts, for hints. */
  readonly option: 'ADREPORT_ALLOW_HTTP' | 'allowHttp';
}

/**
 * Accepts https URLs, and http URLs on loopback and allowed hosts. A path is allowed; credentials,
 * a query and a fragment are not. Throws `UsageError` for any other base URL.
 */
export function checkBaseUrl(text: string, allowed: PlainHttpHosts): URL {
  const trimmed = text.trim();
  // URL.canParse accepts `localhost:8787`, with the scheme `localhost:`.
  const isWeb = /^https?:\/\//i.test(trimmed) && URL.canParse(trimmed);
  if (!isWeb) {
    // An invalid URL is not quoted, because it may contain a password.
    const guess = guessBaseUrl(trimmed);
    const hint = guess === undefined ? `Example: ${exampleBaseUrl}` : `Did you mean ${guess}?`;
    throw new UsageError('The base URL is not an http or https URL.', { hint });
  }

  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') {
    const hint = 'Sign in with adreport login, or set ADREPORT_TOKEN.';
    throw new UsageError('The base URL must not contain a user name or password.', { hint });
  }
  if (/[?#]/.test(trimmed)) {
    throw new UsageError(`The base URL “${trimmed}” must not have a query or fragment.`);
  }

  if (
    url.protocol === 'http:' &&
    !isLoopback(url.hostname) &&
    !allowed.hosts.includes(url.hostname)
  ) {
    const why = 'otherwise the token would be sent unencrypted';
    throw new UsageError(`The base URL “${trimmed}” must start with https://; ${why}.`, {
      hint: `Plain http works on this machine only. For a local server in a container, add ${url.hostname} to ${allowed.option}.`,
    });
  }
  url.pathname = trimTrailingSlashes(url.pathname);
  return url;
}

export const exampleBaseUrl = 'https://reports.example.com';

/** Adds the missing scheme to a base URL. Returns `undefined` if the result would not be a URL. */
export function guessBaseUrl(input: string): string | undefined {
  const guess = `https://${input}`;
  if (/:\/\/|@|\s/.test(input) || !URL.canParse(guess)) return undefined;
  return isLoopback(new URL(guess).hostname) ? `http://${input}` : guess;
}
