import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutPage, wrap } from '../../src/ui/page.ts';
import { plainStyle } from '../../src/ui/style.ts';

const word = fc.stringMatching(/^[!-~]{1,30}$/);

test('a wrapped text keeps its words, and no line is too long but for one long word', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 1, max: 60 }), (words, width) => {
      const lines = wrap(words.join(' '), width);
      expect(lines.join(' ')).toBe(words.join(' '));
      for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true);
      // No line ends early: the first word of the next would not have fitted.
      for (const [index, line] of lines.slice(1).entries()) {
        expect((lines[index] ?? '').length + 1 + (line.split(' ')[0] ?? '').length).toBeGreaterThan(width);
      }
    }),
  );
});

test('paragraphs, headings, terms and command lines', () => {
  const blocks = [
    'A first paragraph that is too long for its line.',
    { heading: 'Terms' },
    {
      terms: [
        ['a', 'the meaning of a, which goes on and on'],
        ['a-name-beyond-its-column', 'below it'],
      ],
    },
    { heading: 'Examples' },
    {
      examples: [
        ['adreport run', 'one'],
        ['adreport', 'another'],
      ],
    },
  ] as const;
  expect(
    layOutPage([{ examples: [['adreport run --all', 'as wide as this']] }], { columns: 30, style: plainStyle }),
  ).toBe('  # as wide as this\n  adreport run --all\n');
  expect(layOutPage(blocks, { columns: 40, style: plainStyle })).toMatchInlineSnapshot(`
    "A first paragraph that is too long for
    its line.

    Terms:
      a                     the meaning of
                            a, which goes on
                            and on
      a-name-beyond-its-column
                            below it

    Examples:
      adreport run   # one
      adreport       # another
    "
  `);
});
