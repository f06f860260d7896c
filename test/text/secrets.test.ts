import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../src/text/printable.ts';
import { Secrets } from '../../src/text/secrets.ts';

const secret = fc
  .string({ minLength: 4, maxLength: 40, unit: 'grapheme' })
  .filter((text) => text.trim().length >= 4);

test('a secret is found in every spelling that a request could contain', () => {
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      const secrets = new Secrets();
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

test('a secret that begins with another one is hidden completely', () => {
  const secrets = new Secrets();
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
])('$text with the secret $secretText is shown as $expected', ({ secretText, text, expected }) => {
  const secrets = new Secrets();
  secrets.hide(secretText);

  expect(secrets.redact(text)).toBe(expected);
});

test('a secret is hidden in any case', () => {
  const secrets = new Secrets();
  secrets.hide('Abc+def/0123456789');

  expect(secrets.redact('ABC+DEF/0123456789 abc%2bdef%2f0123456789')).toBe('[hidden] [hidden]');
});

test('an address is hidden, but not the name of its host', () => {
  const secrets = new Secrets();
  secrets.hide('someone@reports.example.com');
  const text = 'Someone@reports.example.com at https://reports.example.com';
  expect(secrets.redact(text)).toBe('[hidden] at https://reports.example.com');
});
