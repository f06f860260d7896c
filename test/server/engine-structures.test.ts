import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PairIndex } from '../../src/server/engine/pair-index.ts';
import { orderOf } from '../../src/server/engine/radix-order.ts';
import { SumTable } from '../../src/server/engine/sum-table.ts';

/** Few values so that many are equal, and the ends of the range. */
const word = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, -1), fc.integer());

test('a pair index numbers equal pairs alike, in the order of their first appearance', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word, fc.boolean()), { maxLength: 3_000 }), (rows) => {
      const index = new PairIndex();
      const numbers = new Int32Array(rows.length);
      const columns = [0, 1].map((position) => Int32Array.from(rows, (row) => Number(row[position])));
      const excluded = Uint8Array.from(rows, ([, , isExcluded]) => Number(isExcluded));
      const count = (from: number, to: number): void => {
        const [firsts, seconds] = columns.map((column) => column.subarray(from, to));
        index.number(
          firsts ?? numbers,
          seconds ?? numbers,
          excluded.subarray(from, to),
          numbers.subarray(from, to),
          to - from,
        );
      };
      // In two goes, as chunks come.
      count(0, Math.floor(rows.length / 3));
      count(Math.floor(rows.length / 3), rows.length);

      const expected = new Map<string, number>();
      const expectedNumbers = rows.map(([first, second, isExcluded]) => {
        if (isExcluded) return 0;
        const key = `${first} ${second}`;
        expected.set(key, expected.get(key) ?? expected.size + 1);
        return expected.get(key);
      });
      expect([...numbers]).toEqual(expectedNumbers);
      expect(index.size).toBe(expected.size);
      const seconds = index.integers(1);
      expect(Array.from(index.integers(0), (first, position) => `${first} ${seconds[position]}`)).toEqual([
        ...expected.keys(),
      ]);
      index.clear();
      expect(index.size).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('a pair index survives growing past a hundred thousand pairs', () => {
  const index = new PairIndex();
  const count = 150_000;
  const firsts = Int32Array.from({ length: count }, (_, row) => Math.imul(row, 0x9e3779b1));
  const numbers = new Int32Array(count);
  index.number(firsts, new Int32Array(count), undefined, numbers, count);
  expect(numbers.every((number, row) => number === row + 1)).toBe(true);
  expect(index.integers(0)).toEqual(firsts);
});

test('the order of keys is that of their unsigned words, and equal keys keep theirs', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word), { maxLength: 400 }), fc.constantFrom(32, 9, 1), (rows, bits) => {
      const mask = bits === 32 ? -1 : 2 ** bits - 1;
      const keys = rows.map(([high, low]) => [high, low & mask] as const);
      const words = [0, 1].map((position) => Int32Array.from(keys, (key) => key[position] ?? 0));
      const expected = keys
        .map(([high, low], position) => ({ high: high >>> 0, low: low >>> 0, position }))
        .sort((a, b) => a.high - b.high || a.low - b.low || a.position - b.position)
        .map(({ position }) => position);
      expect([...orderOf(words, [32, bits], keys.length)]).toEqual(expected);
    }),
  );
});

test.each([1, 2, 3, 4, 9])('sums of %i metrics are kept apart, and are zero again once taken', (metricCount) => {
  const table = new SumTable(metricCount);
  const numbers = Int32Array.from({ length: 5_000 }, (_, row) => row % 2_500);
  const columns = Array.from({ length: metricCount }, (_, metric) => Float64Array.from(numbers, () => metric + 1));
  const order = Int32Array.from({ length: 2_499 }, (_, position) => 2_498 - position);
  for (const _ of [1, 2]) {
    table.add(numbers, 2_499, columns, 5_000);
    expect(table.take(order).map((sums) => [...new Set(sums)])).toEqual(columns.map((_, metric) => [2 * (metric + 1)]));
  }
});
