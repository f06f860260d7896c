import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesWildcard } from '../../src/text/wildcard.ts';

test('a star is any text, a question mark one character, in any case', () => {
  const signs = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '😀', '.', '\n', '*', '?') });
  const names = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'É', '😀', '.', '\n') });
  fc.assert(
    fc.property(signs, names, (pattern, name) => {
      const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
      const form = new RegExp(`^${source}$`, 'isu');
      expect(matchesWildcard(pattern, name)).toBe(form.test(name));
    }),
    { numRuns: 500 },
  );
});

test('a pattern with many stars is fast, even for a long name', () => {
  const name = 'a'.repeat(1_000_000);
  expect(matchesWildcard('*a*a*a*a*a*a*b', name)).toBe(false);
  expect(matchesWildcard('*a*a*a*a*a*a*a', name)).toBe(true);
});
