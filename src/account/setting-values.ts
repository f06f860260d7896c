import type { PlainHttpHosts } from '../api/base-url.ts';
import { tokenPattern, trimTrailingSlashes } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { quoted } from '../text/printable.ts';

/** Value of `--account` for every stored account. */
export const allAccounts = 'all';

export function isAccountList(value: string): boolean {
  return value.includes(',') || value.trim() === allAccounts;
}

/** Throws `UsageError` for an invalid name, and for several names, which only `run` accepts. */
export function parseAccountName(name: string): string {
  if (!isAccountList(name)) return checkAccountName(name);
  throw new UsageError(`“${name}” names several accounts.`, {
    hint: 'Pass one account. Only adreport run accepts several: --account a,b or --account all.',
  });
}

/** Trims an account name. Throws `UsageError` if it is invalid. */
export function checkAccountName(text: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u.test(text.trim())) return text.trim();
  throw new UsageError(
    'An account name starts with a letter or digit and has only letters, digits and . _ @ + -.',
  );
}

/** Matches a value against a list, ignoring case. Throws `UsageError` if it is not in the list. */
export function parseSettingChoice<Choice extends string>(
  noun: string,
  choices: readonly Choice[],
  value: string,
): Choice {
  const choice = choices.find((candidate) => candidate === value.trim().toLowerCase());
  if (choice) return choice;
  throw new UsageError(`Unknown ${noun} ${quoted(value)}.`, {
    hint: `Choose from ${choices.join(', ')}.`,
  });
}

/** Parses the comma-separated hosts in `ADREPORT_ALLOW_HTTP`. */
export function allowedHttpHosts(
  env: Readonly<Record<string, string | undefined>>,
): PlainHttpHosts {
  const list = env.ADREPORT_ALLOW_HTTP ?? '';
  const hosts = list.split(',').map((host) => host.trim().toLowerCase());
  return { hosts, option: 'ADREPORT_ALLOW_HTTP' };
}

export function formatBaseUrl(url: URL): string {
  return trimTrailingSlashes(url.href);
}

/** Returns the origin of a URL, or `undefined` for any other string. */
export function parseOrigin(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}

/**
 * Trims a token. Throws `UsageError` if it begins with a scheme such as `Bearer`, or contains
 * characters that are not allowed in a header (RFC 9110, 5.5).
 */
export function checkToken(input: string): string {
  const token = input.trim();
  if (token === '') throw new UsageError('The token is empty.');
  if (/^bearer\s/i.test(token)) {
    throw new UsageError('The token starts with “Bearer”.', { hint: 'Remove that word.' });
  }
  if (tokenPattern.test(token)) return token;
  const hint = 'Copy it again, on one line.';
  throw new UsageError('The token has spaces or other invalid characters.', { hint });
}

/** Throws `UsageError` if the command is empty. */
export function parseCommand(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new UsageError('The password command is empty.', {
    hint: "Example: 'pass show ads/b'",
  });
}

/** Masks a token. At most a quarter of the characters stay visible. */
export function maskToken(token: string): string {
  const endLength = Math.min(4, Math.floor(token.length / 8));
  if (endLength === 0) return '…';
  return `${token.slice(0, endLength)}…${token.slice(-endLength)}`;
}
