import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../src/text/printable.ts';
import { createSecrets } from '../../src/ui/secrets.ts';

const secret = fc.string({ minLength: 4, maxLength: 40, unit: 'grapheme' }).filter((text) => text.trim().length >= 4);

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

test('text without secrets, and a value too short to be told from a word, stay', () => {
  const secrets = createSecrets();
  secrets.hide('abc');
  expect(secrets.redact('abc.*[x]')).toBe('abc.*[x]');
  secrets.hide('.*[x]');
  expect(secrets.redact('anything [x]')).toBe('anything [x]');
  expect(secrets.redact('abc.*[x]')).toBe('abc[hidden]');
});
