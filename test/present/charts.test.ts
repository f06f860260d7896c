import fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { expect, it } from 'vitest';
import { drawBars, drawLineChart } from '../../src/present/terminal/text-charts.ts';

const rising = {
  values: [0, 100, undefined, 300, 400],
  ticks: [
    { index: 1, text: '2 Oct' },
    { index: 3, text: '4 Oct' },
  ],
  formatValue: (value: number) => String(value),
};

it('a chart over time is a line with gaps for missing values and a scale of round numbers from zero', () => {
  expect(drawLineChart(rising, { width: 40 }).join('\n')).toMatchInlineSnapshot(`
    "400 ┤                             ⢀⡠⠔
        │                          ⣀⠤⠊⠁
    300 ┤                        ⠐⠉
        │
    200 ┤
        │
    100 ┤        ⢀⡠⠔
        │     ⣀⠤⠊⠁
      0 ┤   ⠐⠉
        └──────────┬─────────────┬──────────
                 2 Oct         4 Oct"
  `);
});

it('charts fit the width for any values, and the largest value has the longest bar', () => {
  const label = fc
    .string({ unit: 'grapheme' })
    .map((text) => text.replace(/\p{C}|\p{Z}|[━╸]/gu, ''));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(label, fc.integer({ min: 0, max: 1e6 })), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 30, max: 120 }),
      (given, width) => {
        const values = given.map(([, value]) => value);
        const bars = drawBars(
          given.map(([name, value]) => ({ label: name, value, text: String(value) })),
          { width },
        );
        const line = drawLineChart(
          {
            values,
            ticks: values.map((value, index) => ({ index, text: `d${value}` })),
            formatValue: String,
          },
          { width },
        );
        for (const text of [...bars, ...line]) {
          const visible = text.replaceAll(/[\u2068\u2069]/g, '');
          expect(stringWidth(visible)).toBeLessThanOrEqual(width);
        }
        const lengths = bars.map((text) => [...text].filter((cell) => /━/.test(cell)).length);
        expect(lengths[values.indexOf(Math.max(...values))]).toBe(Math.max(...lengths));
      },
    ),
  );
});
