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
  ['abc', 'abc', 'abc'],
  ['.*[x]', 'anything [x]', 'anything [x]'],
  ['.*[x]', 'abc.*[x]', 'abc[hidden]'],
  ['pass', 'the password is pass, pass; bypass', 'the password is [hidden], [hidden]; bypass'],
  ['pa"ss\\word', '{"error":"no pa\\"ss\\\\word"}', '{"error":"no [hidden]"}'],
  [
    'pa"ss word',
    JSON.stringify({ message: JSON.stringify({ p: 'pa"ss word' }) }),
    '{"message":"{\\"p\\":\\"[hidden]\\"}"}',
  ],
])('of %j in %j is left %j', (secretText, text, expected) => {
  const secrets = createSecrets();
  secrets.hide(secretText);
  expect(secrets.redact(text)).toBe(expected);
});
