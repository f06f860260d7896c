import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { widthOf, wrap, wrapLines } from '../../src/text/cell-width.ts';

const words = fc.array(fc.constantFrom('a', 'Été', '広告', '🦊', '👍🏽', 'longer-word', '–'), {
  minLength: 1,
  maxLength: 30,
});

describe('wrap', () => {
  test('keeps all words in order, and each line within the width', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 40 }), (texts, width) => {
        const lines = wrap(texts.join(' '), width);
        expect(lines.join(' ')).toBe(texts.join(' '));
        for (const line of lines) expect(widthOf(line) <= width || !line.includes(' ')).toBe(true);
      }),
    );
  });
});

describe('wrapLines', () => {
  test('breaks between words, and keeps the indentation', () => {
    expect(wrapLines('One two three\n  four five six', 9)).toBe(
      'One two\nthree\n  four\n  five\n  six',
    );
  });

  test('breaks a command so that a shell reads it as one, and never inside quotes', () => {
    const text = "To go on: adreport download 07bf --wait -o 'my report.csv'";
    expect(wrapLines(text, 28)).toBe(
      "To go on:\nadreport download 07bf \\\n  --wait -o \\\n  'my report.csv'",
    );
  });

  test('wraps a sentence that continues after a command as a sentence', () => {
    const text = 'Sign in with adreport login, or set ADREPORT_TOKEN.';
    expect(wrapLines(text, 30)).toBe('Sign in with adreport login,\nor set ADREPORT_TOKEN.');
  });

  test('does not break a command that fits', () => {
    const text = 'To go on, type this:\n  adreport download 07bf --wait';
    expect(wrapLines(text, 31)).toBe(text);
  });
});
