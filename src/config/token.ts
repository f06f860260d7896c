import { UsageError } from '../errors.ts';

/** No secret is longer, in characters: a longer one is a mistake, such as a file in the place of its name. */
const secretLengthAtMost = 4_096;

/** What a token is made of: what the value of a header can hold (RFC 9110, 5.5), without blanks. */
const tokenPattern = /^[\x21-\x7e]+$/;

/**
 * A token as it may be shown: its ends, so that two tokens can be told apart; of a short one less, never more than a
 * quarter in all.
 */
export function maskToken(token: string): string {
  const shown = Math.min(4, Math.floor(token.length / 8));
  return shown === 0 ? '…' : `${token.slice(0, shown)}…${token.slice(-shown)}`;
}

/**
 * A token as it was given, without blanks around it. Throws `UsageError` for one that could not stand in a header, or
 * that still has the scheme word which the service does not take (service specification, Authentication 1).
 */
export function checkToken(text: string): string {
  const token = text.trim();
  if (token === '') throw new UsageError('The token is empty.');
  if (token.length > secretLengthAtMost) throw tooLong('token');
  if (/^bearer\s/i.test(token)) {
    throw new UsageError('The token must stand alone, without the word "Bearer" in front of it.');
  }
  if (!tokenPattern.test(token)) {
    throw new UsageError('The token holds blanks or other characters that no token has.', {
      hint: 'Copy it again, on one line.',
    });
  }
  return token;
}

/** A password as it was given. Throws `UsageError` for one that is too long to be one. */
export function checkPassword(text: string): string {
  if (text.length > secretLengthAtMost) throw tooLong('password');
  return text;
}

function tooLong(what: string): UsageError {
  return new UsageError(`The ${what} is longer than ${secretLengthAtMost} characters.`);
}
