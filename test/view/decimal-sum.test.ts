import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecimalSum } from '../../src/view/decimal-sum.ts';

const sumOf = (...numbers: string[]) => {
  const sum = new DecimalSum();
  for (const number of numbers) sum.add(number);
  return sum.toString();
};

describe('DecimalSum', () => {
  it('adds as on paper', () => {
    expect(sumOf('0.1', '0.2')).toBe('0.3');
    expect(sumOf('12345678901234567890', '1')).toBe('12345678901234567891');
    expect(sumOf('1.50', '-2')).toBe('-0.50');
    expect(sumOf('1e2', '5E-1', '1.5e+1')).toBe('115.5');
    expect(sumOf()).toBe('0');
  });

  it('passes over what is no number', () => {
    const sum = new DecimalSum();
    expect(['', 'x', '1,5', '1e9999', '.5'].map((text) => sum.add(text))).toEqual([false, false, false, false, false]);
    expect(sum.toString()).toBe('0');
  });

  it('stays exact past what a number can hold', () => {
    expect(sumOf(...Array.from({ length: 30 }, () => '999999999999999'))).toBe('29999999999999970');
    expect(sumOf('0.01', ...Array.from({ length: 300 }, () => '-99999999999.99'))).toBe('-29999999999996.99');
  });

  it('adds cents exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(-(10n ** 25n), 10n ** 25n)), (cents) => {
        const texts = cents.map(
          (value) =>
            `${value < 0n ? '-' : ''}${String(value < 0n ? -value : value)
              .padStart(3, '0')
              .replace(/(..)$/, '.$1')}`,
        );
        const total = cents.reduce((sum, value) => sum + value, 0n);
        expect(BigInt(sumOf('0.00', ...texts).replace('.', ''))).toBe(total);
      }),
    );
  });
});
