import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutExamples, wrap } from '../../src/ui/page.ts';
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

test('command lines have their meanings beside them, or above where there is no room', () => {
  const look = { columns: 40, style: plainStyle };
  expect(
    layOutExamples(
      [
        ['adreport run', 'one'],
        ['adreport', 'another'],
      ],
      look,
    ),
  ).toBe('  adreport run   # one\n  adreport       # another');
  expect(layOutExamples([['adreport run --all', 'as wide as this']], { ...look, columns: 30 })).toBe(
    '  # as wide as this\n  adreport run --all',
  );
});
