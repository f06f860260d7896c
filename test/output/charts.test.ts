import fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { expect, it } from 'vitest';
import { barChart, lineChart, sparkline } from '../../src/output/table/text-charts.ts';

it('a sparkline runs from the lowest to the highest, and draws the mean of what does not fit', () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe('▁▂▃▄▅▆▇█');
  expect(sparkline([100, 101, 102, 103, 104, 105, 106, 107], 8, false)).toBe('_.-:=+*#');
  expect(sparkline([0, 0, 8, 8, 4, 4], 3)).toBe('▁█▅');
  expect(sparkline([7, 7], 5)).toBe('▅▅');
  expect(sparkline([], 5)).toBe('');
});

it('charts keep within the width, whatever the values are, and the longest bar is that of the greatest', () => {
  const label = fc
    .string({ unit: 'grapheme' })
    .map((text) => text.replace(/\p{C}|\p{Z}|[█-▏]/gu, ''));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(label, fc.integer({ min: 0, max: 1e6 })), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 30, max: 120 }),
      fc.boolean(),
      (given, width, unicode) => {
        const values = given.map(([, value]) => value);
        const bars = barChart(
          given.map(([name, value]) => ({ label: name, value, text: String(value) })),
          { width, unicode },
        );
        const line = lineChart(
          { values, from: '2026-10-01', to: '2026-10-31', textOf: String },
          { width, unicode },
        );
        expect(line).toHaveLength(12);
        for (const text of [...bars, ...line, sparkline(values, width)]) {
          expect(stringWidth(text)).toBeLessThanOrEqual(width);
        }
        const lengths = bars.map((text) => [...text].filter((cell) => /[█-▏]/.test(cell)).length);
        if (unicode)
          expect(lengths[values.indexOf(Math.max(...values))]).toBe(Math.max(...lengths));
      },
    ),
  );
});
