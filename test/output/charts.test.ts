import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { barChart, lineChart, sparkline } from '../../src/output/table/text-charts.ts';

describe('sparkline', () => {
  it('runs from the lowest to the highest, and draws the mean of what does not fit', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe('▁▂▃▄▅▆▇█');
    expect(sparkline([100, 101, 102, 103, 104, 105, 106, 107], 8, false)).toBe('_.-:=+*#');
    expect(sparkline([100, 100, 99], 8)).toBe('██▁');
    expect(sparkline([0, 0, 8, 8, 4, 4], 3)).toBe('▁█▅');
    expect(sparkline([7, 7], 5)).toBe('▅▅');
    expect(sparkline([-3, 7], 5)).toBe('▁█');
    expect(sparkline([], 5)).toBe('');
  });

  it('is never wider than it may be', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 1e9 })), fc.integer({ min: 1, max: 50 }), (values, width) => {
        expect([...sparkline(values, width)]).toHaveLength(Math.min(width, values.length));
      }),
    );
  });
});

describe('barChart', () => {
  it('keeps within the width, with bars as long as their values', () => {
    const value = fc.integer({ min: 0, max: 1e6 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), value), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 30, max: 120 }),
        (given, columns) => {
          const safe = given.map(([label, number]) => ({
            label: label.replace(/\p{C}|\p{Z}|[█-▏]/gu, ''),
            value: number,
            text: String(number),
          }));
          const lines = barChart(safe, { columns });
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          const lengths = lines.map((line) => [...line].filter((cell) => /[█-▏]/.test(cell)).length);
          const longest = safe.findIndex((bar) => bar.value === Math.max(...safe.map((other) => other.value)));
          expect(lengths[longest]).toBe(Math.max(...lengths));
        },
      ),
    );
  });
});

describe('lineChart', () => {
  const values = Array.from({ length: 31 }, (_, day) => 1000 + Math.round(600 * Math.sin(day / 4)));
  const line = { values, from: '2026-10-01', to: '2026-10-31', text: (value: number) => String(Math.round(value)) };

  it('keeps within the width, whatever the values are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer()),
        fc.integer({ min: 24, max: 120 }),
        fc.boolean(),
        (given, columns, unicode) => {
          const lines = lineChart({ ...line, values: given }, { columns, unicode });
          expect(lines).toHaveLength(12);
          for (const text of lines) expect(stringWidth(text)).toBeLessThanOrEqual(columns);
        },
      ),
      { numRuns: 50 },
    );
  });
});
