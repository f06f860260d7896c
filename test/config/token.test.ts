import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkToken, maskToken } from '../../src/config/token.ts';
import { UsageError } from '../../src/errors.ts';

const forty = '0123456789abcdef0123456789abcdef89abcdef';

test.each([
  [forty, '0123…cdef'],
  ['0123456789abcdef', '01…ef'],
  ['12345678', '1…8'],
  ['1234567', '…'],
  ['', '…'],
])('%s is shown as %s', (token, expected) => {
  expect(maskToken(token)).toBe(expected);
});

test('no more than a quarter of a token is shown, and never more than eight characters', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (token) => {
      const shown = maskToken(token).length - 1;
      expect(shown).toBeLessThanOrEqual(Math.min(8, token.length / 4));
    }),
  );
});

test('a token is taken without the blanks around it', () => {
  expect(checkToken(` ${forty}\n`)).toBe(forty);
});

test.each([
  ['', 'empty'],
  ['  ', 'empty'],
  [`Bearer ${forty}`, 'without the word "Bearer"'],
  ['two words', 'blanks'],
  ['line\nbreak', 'blanks'],
  ['tökén', 'other characters'],
  ['a\u0000b', 'other characters'],
])('%j is refused', (text, expected) => {
  expect(() => checkToken(text)).toThrow(UsageError);
  expect(() => checkToken(text)).toThrow(expected);
});
