import { expect, test } from 'vitest';
import { printable } from '../../src/text/printable.ts';

test.each([
  { text: '\u001b[31mred', shown: '␛[31mred' },
  { text: 'a\r\n\tb\u007f', shown: 'a␍␊␉b␡' },
  { text: '\u009b31m', shown: '\\u009b31m' },
  { text: 'abc\u202etxt', shown: 'abc\\u202etxt' },
  { text: '\u2066x\u2069\ufeff', shown: '\\u2066x\\u2069\\ufeff' },
  { text: '\ud83d', shown: '\\ud83d' },
  { text: 'é 日本 👨‍👩‍👧', shown: 'é 日本 👨‍👩‍👧' },
])('$text is shown as $shown', ({ text, shown }) => {
  expect(printable(text)).toBe(shown);
});
