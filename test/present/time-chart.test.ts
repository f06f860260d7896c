import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderTimeChart } from '../../src/present/page/time-chart.ts';
import { defaultMetrics } from '../../src/query/metrics.ts';
import { GroupedTotals, type Sums } from '../../src/totals/grouped-totals.ts';
import { layOutTime } from '../../src/totals/time-axis.ts';

/** A chart of revenue by day, optionally with as many earlier days. */
function chartOf(values: readonly (number | undefined)[], before?: readonly number[]): string {
  const days = new GroupedTotals([{ field: 'date' }]);
  for (const i of values.keys()) {
    const date = new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10);
    days.add([date], { get: () => undefined });
  }
  const axis = layOutTime(days, 'day');
  const [metric] = defaultMetrics(['revenueEuro']);
  if (!axis || !metric) throw new Error('There is nothing to draw.');

  const sumsOf = (value: number | undefined): Sums => ({ get: () => value });
  const series = [{ name: '', sums: values.map(sumsOf) }];
  return renderTimeChart({
    metric,
    axis,
    caption: 'per day',
    series,
    ...(before && { before: { sums: before.map(sumsOf), labels: [] } }),
  });
}

/** The numbers in the paths of a drawing. */
function heightsIn(html: string): number[] {
  const paths = [...html.matchAll(/ d="([^"]*)"/g)].map((match) => match[1] ?? '');
  const points = paths.flatMap((path) => [...path.matchAll(/[ML][\d.-]+[ ,]([\d.-]+)/g)]);
  return points.map((match) => Number(match[1]));
}

/** Amounts in cents. */
const amount = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }).map((cents) => cents / 100),
  fc.integer({ min: -1000, max: 1000 }).map((cents) => cents / 100),
);

test('for any values, a chart stays within its edges, and its scale has round numbers', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(amount, { nil: undefined }), { minLength: 1, maxLength: 90 }),
      fc.array(amount, { maxLength: 90 }),
      (values, before) => {
        const shown = before.length === values.length ? before : [];
        const html = chartOf(values, shown.length > 0 ? shown : undefined);
        const isEmpty = values.every((value) => value === undefined);
        if (isEmpty || [...values, ...shown].every((value) => !value)) {
          expect(html).toBe('');
          return;
        }

        expect(html).not.toMatch(/NaN|Infinity|undefined/);
        for (const height of heightsIn(html)) {
          expect(height).toBeGreaterThanOrEqual(0);
          expect(height).toBeLessThanOrEqual(160);
        }
        const scale = [...html.matchAll(/<span>-?€([\d.,]+)[KMBT]?<\/span>/g)];
        expect(scale.length).toBeGreaterThanOrEqual(2);
        for (const [, number = ''] of scale)
          expect(number.replace(/[.,]/, '').replace(/^0+|0+$/g, '').length).toBeLessThanOrEqual(3);
      },
    ),
  );
});

test('zeros have no chart; a day without rows leaves a gap', () => {
  expect(chartOf([0, 0])).toBe('');
  const line = chartOf(Array.from({ length: 70 }, (_, i) => (i === 30 ? undefined : 5)));
  expect(/<path class="line" d="([^"]*)"/.exec(line)?.[1]?.match(/M/g)).toHaveLength(2);
});
