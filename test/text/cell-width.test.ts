import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureWidth, wrap } from '../../src/text/cell-width.ts';

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
        for (const line of lines)
          expect(measureWidth(line) <= width || !line.includes(' ')).toBe(true);
      }),
    );
  });
});
