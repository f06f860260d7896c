import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal, exactDouble, exactInteger } from '../../src/text/decimal.ts';

test.each([
  { text: '0.1', double: 0.1 },
  { text: '1e21', double: 1e21 },
  { text: '0.30000000000000004', double: 0.30000000000000004 },
  { text: '1e-7', double: 1e-7 },
  { text: '100.00', double: 100 },
  { text: '0', double: 0 },
  { text: '0.000', double: 0 },
])('$text is a double without being rounded', ({ text, double }) => {
  expect(exactDouble(text)).toBe(double);
});

test.each(['9007199254740993', '0.1234567890123456789', '1e400', '1e-400', 'x', ''])(
  '%j would be rounded as a double, so it is not one',
  (text) => {
    expect(exactDouble(text)).toBeUndefined();
  },
);

test.each([
  { text: '1e3', integer: 1000n },
  { text: '7.0', integer: 7n },
  { text: '-9223372036854775808', integer: -(2n ** 63n) },
  { text: '0e99', integer: 0n },
])('$text is an integer of 64 bits', ({ text, integer }) => {
  expect(exactInteger(text)).toBe(integer);
});

test.each(['1.5', '9223372036854775808', '1e19', '1e999999999', '1e-1', 'x'])(
  '%j is not an integer of 64 bits',
  (text) => {
    expect(exactInteger(text)).toBeUndefined();
  },
);

test('numbers of a million digits are compared in one pass', () => {
  const text = `1${'0'.repeat(1_000_000)}1`;
  expect(exactInteger(text)).toBeUndefined();
  expect(exactDouble(text)).toBeUndefined();
  expect(exactDouble(`0.${text}`)).toBeUndefined();
});

test('sums, differences, products and quotients are exact', () => {
  const hundredths = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  const divisor = hundredths.filter((number) => number !== 0n);
  fc.assert(
    fc.property(hundredths, divisor, (a, b) => {
      const one = new Decimal(a, 2);
      const other = new Decimal(b, 2);

      expect(one.plus(other).minus(other).toString()).toBe(one.toString());
      expect(one.times(other).dividedBy(other, 2).toString()).toBe(one.toString());
      expect(Decimal.parse(one.toString())?.minus(one).sign).toBe(0);
    }),
  );
});
