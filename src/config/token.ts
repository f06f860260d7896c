import { UsageError } from '../errors.ts';

/** Most characters that a masked token shows at either end. */
const mostShown = 4;

/**
 * A token as it may be shown: its ends, so that two tokens can be told apart; of a short one less, never more than a
 * quarter in all.
 */
export function maskToken(token: string): string {
  const shown = Math.min(mostShown, Math.floor(token.length / 8));
  return shown === 0 ? '…' : `${token.slice(0, shown)}…${token.slice(-shown)}`;
}

/**
 * A token as it was given, without blanks around it. Throws `UsageError` for one that could not stand in a header, or
 * that still has the scheme word which the service does not take (service specification, Authentication 1).
 */
export function checkToken(text: string): string {
  const token = text.trim();
  if (token === '') throw new UsageError('The token is empty.');
  if (/^bearer\s/i.test(token)) {
    throw new UsageError('The token must stand alone, without the word "Bearer" in front of it.');
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError('The token holds blanks or other characters that no token has.', {
      hint: 'Copy it again, on one line.',
    });
  }
  return token;
}
