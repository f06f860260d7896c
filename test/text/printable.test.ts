import { expect, test } from 'vitest';
import { printable } from '../../src/text/printable.ts';

test.each([
  ['\u001b[31mred', '␛[31mred'],
  ['a\r\n\tb\u007f', 'a␍␊␉b␡'],
  ['\u009b31m', '\\u009b31m'],
  ['abc\u202etxt', 'abc\\u202etxt'],
  ['\u2066x\u2069\ufeff', '\\u2066x\\u2069\\ufeff'],
  ['\ud83d', '\\ud83d'],
  ['é 日本 👨‍👩‍👧', 'é 日本 👨‍👩‍👧'],
])('%j is shown as %s', (text, shown) => {
  expect(printable(text)).toBe(shown);
});
