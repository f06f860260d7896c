import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatPlural } from '../../src/text/quantity.ts';

test.each([
  { sizeBytes: 0, expected: '0 B' },
  { sizeBytes: 999, expected: '999 B' },
  { sizeBytes: 1_000, expected: '1.0 kB' },
  { sizeBytes: 99_950, expected: '100 kB' },
  { sizeBytes: 999_499, expected: '999 kB' },
  { sizeBytes: 999_500, expected: '1.0 MB' },
  { sizeBytes: 670_000_000, expected: '670 MB' },
  { sizeBytes: 12_345e12, expected: '12345 TB' },
])('$sizeBytes bytes: $expected', ({ sizeBytes, expected }) => {
  expect(formatBytes(sizeBytes)).toBe(expected);
});

test('counts', () => {
  expect([0, 999, 1_000, 1_234_567].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([0, 1, 1_204].map((count) => formatPlural(count, 'row'))).toEqual([
    '0 rows',
    '1 row',
    '1,204 rows',
  ]);
});
