import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../src/text/printable.ts';
import { Secrets } from '../../src/ui/secrets.ts';

const secret = fc
  .string({ minLength: 4, maxLength: 40, unit: 'grapheme' })
  .filter((text) => text.trim().length >= 4);

test('a secret is found in every spelling in which a request could carry it', () => {
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

test('a secret that begins with another one leaves nothing behind', () => {
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
  {
    secretText: 'pa"ss word',
    text: JSON.stringify({ message: JSON.stringify({ p: 'pa"ss word' }) }),
    expected: '{"message":"{\\"p\\":\\"[hidden]\\"}"}',
  },
])('of $secretText in $text is left $expected', ({ secretText, text, expected }) => {
  const secrets = new Secrets();
  secrets.hide(secretText);

  expect(secrets.redact(text)).toBe(expected);
});

const token = fc.string({
  minLength: 16,
  maxLength: 80,
  unit: fc.constantFrom(...'ABCDEFabcdef0123456789._~+/=-'),
});

test('a piece of 12 characters or more is hidden, in any case, wherever it stands and however it was cut', () => {
  fc.assert(
    fc.property(
      token,
      fc.nat(),
      fc.nat(),
      fc.string(),
      fc.string(),
      (value, a, b, before, after) => {
        const secrets = new Secrets();
        secrets.hide(value);
        const length = 12 + (a % (value.length - 11));
        const start = b % (value.length - length + 1);
        const piece = value.slice(start, start + length);
        for (const text of [piece, piece.toUpperCase(), piece.toLowerCase()]) {
          const redacted = secrets.redact(before + text + after);
          expect(redacted).toContain('[hidden]');
          for (let at = 0; at + 12 <= length; at += 1) {
            expect(redacted.toLowerCase()).not.toContain(text.slice(at, at + 12).toLowerCase());
          }
        }
      },
    ),
  );
});

test('an address is hidden as a whole: its host may be named', () => {
  const secrets = new Secrets();
  secrets.hideWhole('someone@reports.example.com');
  const text = 'Someone@reports.example.com at https://reports.example.com';
  expect(secrets.redact(text)).toBe('[hidden] at https://reports.example.com');
});
