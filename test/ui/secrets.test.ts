import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../src/text/printable.ts';
import { createSecrets } from '../../src/ui/console.ts';

const secret = fc
  .string({ minLength: 4, maxLength: 40, unit: 'grapheme' })
  .filter((text) => text.trim().length >= 4);

test('a secret is found in every spelling in which a request could carry it', () => {
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      const secrets = createSecrets();
      secrets.hide(value);
      const spellings = [
        value,
        JSON.stringify(value).slice(1, -1),
        printable(value),
        encodeURIComponent(value),
        new URLSearchParams({ p: value }).toString().slice(2),
      ];
      for (const spelling of spellings) {
        expect(secrets.redact(`${before} ${spelling} ${after}`)).toContain('[hidden]');
        expect(secrets.redact(spelling)).toBe('[hidden]');
      }
    }),
  );
});

test('a secret that begins with another one leaves nothing behind', () => {
  const secrets = createSecrets();
  secrets.hide('abcd');
  secrets.hide('abcdefgh');

  expect(secrets.redact('abcdefgh abcd')).toBe('[hidden] [hidden]');
});

test.each([
  { secretText: 'abc', text: 'abc', expected: 'abc' },
  { secretText: '.*[x]', text: 'anything [x]', expected: 'anything [x]' },
  { secretText: '.*[x]', text: 'abc.*[x]', expected: 'abc[hidden]' },
  {
    secretText: 'pass',
    text: 'the password is pass, pass; bypass',
    expected: 'the password is [hidden], [hidden]; bypass',
  },
  {
    secretText: 'pa"ss\\word',
    text: '{"error":"no pa\\"ss\\\\word"}',
    expected: '{"error":"no [hidden]"}',
  },
  {
    secretText: 'pa"ss word',
    text: JSON.stringify({ message: JSON.stringify({ p: 'pa"ss word' }) }),
    expected: '{"message":"{\\"p\\":\\"[hidden]\\"}"}',
  },
])('of $secretText in $text is left $expected', ({ secretText, text, expected }) => {
  const secrets = createSecrets();
  secrets.hide(secretText);

  expect(secrets.redact(text)).toBe(expected);
});
