import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { widthOf, wrap, wrapLines } from '../../src/text/cell-width.ts';

const words = fc.array(fc.constantFrom('a', 'Été', '広告', '🦊', '👍🏽', 'longer-word', '–'), {
  minLength: 1,
  maxLength: 30,
});

describe('wrap', () => {
  test('keeps all words in their order, and each line of several within the width', () => {
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
  test('breaks between words, below where the line began', () => {
    expect(wrapLines('One two three\n  four five six', 9)).toBe(
      'One two\nthree\n  four\n  five\n  six',
    );
  });

  test('leaves a line with a command whole, so that it can be copied', () => {
    const text = 'To go on:\n  adreport download 07bf --wait -o report.csv';
    expect(wrapLines(text, 20)).toBe(text);
  });
});
