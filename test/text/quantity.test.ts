import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatPlural } from '../../src/text/quantity.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [99_950, '100 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [670_000_000, '670 MB'],
  [12_345e12, '12345 TB'],
])('%d bytes: %s', (sizeBytes, expected) => {
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
