import { UsageError } from '../errors.ts';
import { quoted } from '../text/printable.ts';

// The values of settings: how each is read from a text, and how it is shown.

/** The word for every stored account. */
export const allAccounts = 'all';

/** Whether a text means several accounts. */
export function namesSeveral(text: string): boolean {
  return text.includes(',') || text.trim() === allAccounts;
}

/** One account name. Throws `UsageError` for a text that means several. */
export function readOneAccount(text: string): string {
  refuseSeveralAccounts(text);
  return checkAccountName(text);
}

/** Throws `UsageError` for a text that means several accounts, which no command but `run` takes. */
export function refuseSeveralAccounts(text: string): void {
  if (!namesSeveral(text)) return;
  throw new UsageError(
    `“${text}” names several accounts, and only adreport run takes more than one.`,
    {
      hint: 'Name one of them with --account.',
    },
  );
}

/** An account name as it may be stored and typed. Throws `UsageError`. */
export function checkAccountName(text: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u.test(text.trim())) return text.trim();
  throw new UsageError(
    'An account name begins with a letter or digit, and holds only letters, digits and . _ @ + -.',
  );
}

/** Reads one of some words, in any case. Throws `UsageError`, naming them and what they are for. */
export function readSettingWord<Word extends string>(
  noun: string,
  words: readonly Word[],
  text: string,
): Word {
  const word = words.find((candidate) => candidate === text.trim().toLowerCase());
  if (word) return word;
  throw new UsageError(`${quoted(text)} is no ${noun}; there are ${words.join(' and ')}.`);
}

/**
 * Reads a base URL: https, or http to this machine; no credentials, query or fragment; its path
 * kept. Throws `UsageError`.
 */
export function checkBaseUrl(text: string): URL {
  const address = text.trim();
  // `localhost:8787` is a URL too, with the scheme `localhost:`.
  const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address);
  if (!isWeb) {
    // Not quoted: what cannot be parsed may hold a password.
    const guess = guessBaseUrl(address);
    const hint =
      guess === undefined ? `It looks like ${exampleBaseUrl}.` : `Did you mean ${guess}?`;
    throw new UsageError('The base URL is no http or https address.', { hint });
  }

  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    const hint = 'Sign in with adreport login, or set ADREPORT_TOKEN.';
    throw new UsageError('The base URL must not hold a user name or password.', { hint });
  }
  if (/[?#]/.test(address)) {
    throw new UsageError(
      `The base URL “${address}” must end with its path: no query, no fragment.`,
    );
  }
  // `URL` writes every spelling of an IPv4 address (`127.1`, `0x7f000001`) as four decimal numbers.
  const isLoopback = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) {
    const hint = 'Plain http is for this machine alone: localhost, 127.0.0.1, [::1].';
    const why = 'or the token would travel readable for everyone on the way';
    throw new UsageError(`The base URL “${address}” must begin with https://, ${why}.`, { hint });
  }
  url.pathname = withoutSlashesAtEnd(url.pathname);
  return url;
}

/** What a base URL looks like. */
export const exampleBaseUrl = 'https://reports.example.com';

/**
 * The address with the scheme that was left out; `undefined` where nothing suggests that one was.
 */
export function guessBaseUrl(address: string): string | undefined {
  if (address === '' || address.includes('://') || address.includes('@')) return undefined;
  const scheme = /^(localhost|127\.|\[::1\])/i.test(address) ? 'http' : 'https';
  const guess = `${scheme}://${address}`;
  return URL.canParse(guess) && !/\s/.test(address) ? guess : undefined;
}

function withoutSlashesAtEnd(path: string): string {
  let length = path.length;
  while (path[length - 1] === '/') length -= 1;
  return path.slice(0, length);
}

export function formatBaseUrl(url: URL): string {
  return url.href.replace(/\/$/, '');
}

/**
 * The origin of a stored base URL, which somebody may have edited since it was checked; `undefined`
 * if it is no URL.
 */
export function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/**
 * A token without blanks around it. Throws `UsageError` for one that no header can hold (RFC 9110,
 * 5.5), or with a scheme.
 */
export function checkToken(text: string): string {
  const token = bounded('token', text.trim());
  if (token === '') throw new UsageError('The token is empty.');
  if (/^bearer\s/i.test(token)) {
    throw new UsageError('The token must stand alone, without the word "Bearer" in front of it.');
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const hint = 'Copy it again, on one line.';
  throw new UsageError('The token holds blanks or other characters that no token has.', { hint });
}

/** A password as it is: blanks may belong to it. Throws `UsageError` for one that is too long. */
/** A command that prints a password. Throws `UsageError` for an empty one. */
export function readCommand(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new UsageError('The password command is empty.', {
    hint: "For example: 'pass show ads/b'",
  });
}

export function readPassword(text: string): string {
  return bounded('password', text);
}

/** No secret is longer: a longer one is something else, such as a file in the place of its name. */
function bounded(what: string, text: string): string {
  if (text.length <= 4_096) return text;
  throw new UsageError(`The ${what} is longer than 4096 characters.`);
}

/**
 * A token as it may be shown: its ends, so that two can be told apart, but never more than a
 * quarter of it.
 */
export function maskToken(token: string): string {
  const endLength = Math.min(4, Math.floor(token.length / 8));
  if (endLength === 0) return '…';
  return `${token.slice(0, endLength)}…${token.slice(-endLength)}`;
}
