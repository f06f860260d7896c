import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { parseShard, takeShard } from '../../src/report/parts/parts.ts';

const parts = Array.from({ length: 23 }, (_, index) => index);

test('every fourth part', () => {
  expect(takeShard(parts, parseShard('2/4'))).toEqual([2, 6, 10, 14, 18, 22]);
});

test('the shards of any count share the parts out, counted from 0 or from 1', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.boolean(), (count, fromOne) => {
      const shards = Array.from({ length: count }, (_, index) => {
        return takeShard(parts, parseShard(`${fromOne ? index + 1 : index}/${count}`));
      });
      expect(shards.flat().sort((a, b) => a - b)).toEqual(parts);
      const sizes = shards.map((shard) => shard.length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});

test.each(['5/4', '1/0', '1', '1/2/3', '-1/4', 'a/b', '1/4 of it'])('%s is refused', (text) => {
  expect(() => parseShard(text)).toThrow(UsageError);
});
