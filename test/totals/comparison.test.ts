import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findEndedGroups } from '../../src/present/ended-groups.ts';
import { formatHeadline } from '../../src/present/headline.ts';
import { defaultMetrics, type ReportMetric } from '../../src/query/metrics.ts';
import type { Comparison } from '../../src/totals/comparison.ts';
import { compareMetric } from '../../src/totals/report-metrics.ts';
import { ReportSums } from '../../src/totals/report-sums.ts';
import { batchesOf } from '../formats/encode.ts';
import { windows } from './compared-windows.ts';

const columns = ['campaignId', 'campaignName'].map((field) => ({ field, numeric: false }));

async function sumsOf(rows: readonly object[], of = columns): Promise<ReportSums> {
  const sums = new ReportSums();
  for await (const batch of batchesOf(rows)) sums.observe(batch, of);
  return sums;
}

async function compareWith(rows: readonly object[], of = columns): Promise<Comparison> {
  return { sums: await sumsOf(rows, of), ...windows };
}

function metricOf(name: string): ReportMetric {
  const all = defaultMetrics(['displays', 'clicks', 'revenueEuro']);
  const metric = all.find(({ field }) => field === name);
  if (!metric) throw new Error(`No metric ${name}.`);
  return metric;
}

interface SaleRow {
  readonly campaignId: number;
  readonly displays: number;
  readonly cents: number;
}

const saleRows = fc.array(
  fc.record({
    campaignId: fc.integer({ min: 1, max: 5 }),
    displays: fc.integer({ min: 0, max: 4000 }),
    cents: fc.integer({ min: 0, max: 9_999_999 }),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Rows in the format of a DSP. */
function bodyOf(rows: readonly SaleRow[]): object[] {
  return rows.map(({ cents, ...row }) => {
    const digits = String(cents).padStart(3, '0');
    return { ...row, revenueEuro: `${digits.slice(0, -2)},${digits.slice(-2)}` };
  });
}

function sumOf(rows: readonly SaleRow[], field: 'displays' | 'cents'): bigint {
  let sum = 0n;
  for (const row of rows) sum += BigInt(row[field]);
  return sum;
}

/** The change from one fraction to another, in tenths of a percent. */
function changeTextOf(now: bigint, before: bigint): string {
  if (before === 0n) return now === 0n ? '= 0.0%' : 'new';
  const size = now > before ? now - before : before - now;
  const tenths = (2n * size * 1000n + before) / (2n * before);
  if (tenths === 0n) return '= 0.0%';
  return `${now > before ? '▲' : '▼'} ${tenths / 10n}.${tenths % 10n}%`;
}

test('changes of sums and rates are exact, and campaigns without rows have ended', async () => {
  await fc.assert(
    fc.asyncProperty(saleRows, saleRows, async (now, before) => {
      const sums = await sumsOf(bodyOf(now));
      const comparison = await compareWith(bodyOf(before));
      const totals = sums.total.totals();
      const totalsBefore = comparison.sums.total.totals();
      const [cents, displays] = [sumOf(now, 'cents'), sumOf(now, 'displays')];
      const [centsBefore, displaysBefore] = [sumOf(before, 'cents'), sumOf(before, 'displays')];

      const change = compareMetric(metricOf('revenueEuro'), totals, totalsBefore);
      expect(change.text).toBe(changeTextOf(cents, centsBefore));
      if (displays > 0n && displaysBefore > 0n) {
        const ecpmChange = compareMetric(metricOf('ecpmEuro'), totals, totalsBefore);
        const expected = changeTextOf(cents * displaysBefore, centsBefore * displays);
        expect(ecpmChange.text).toBe(expected);
      }

      const [dimension] = sums.dimensions;
      const ended = dimension
        ? findEndedGroups(dimension, comparison, metricOf('revenueEuro'))
        : [];
      const idsNow = new Set(now.map(({ campaignId }) => campaignId));
      const gone = before.filter(({ campaignId, cents }) => cents > 0 && !idsNow.has(campaignId));
      const goneIds = new Set(gone.map(({ campaignId }) => String(campaignId)));
      expect(new Set(ended.map(({ key }) => key[0]))).toEqual(goneIds);
    }),
    { numRuns: 40 },
  );
});

test('a renamed campaign is one group with its latest name, and neither new nor ended', async () => {
  const rowsOf = (id: number | null, ...names: readonly (string | null)[]) =>
    names.map((campaignName) => ({ campaignId: id, campaignName, displays: 10 }));
  const sums = await sumsOf([
    ...rowsOf(1, 'Summer', 'Summer sale', null),
    ...rowsOf(null, 'Winter', 'Spring'),
  ]);
  const comparison = await compareWith(rowsOf(1, 'Sommer'));
  const [dimension] = sums.dimensions;
  if (!dimension?.groups) throw new Error('No campaigns.');

  const groups = [...dimension.groups];
  expect(groups.map(({ key }) => key)).toEqual([
    ['1', 'Summer sale'],
    [null, 'Winter'],
    [null, 'Spring'],
  ]);
  const changes = groups.map((group) => {
    return compareMetric(
      metricOf('displays'),
      group.sums,
      comparison.sums.findGroups(dimension)?.find(group.key)?.sums,
    ).text;
  });
  expect(changes).toEqual(['▲ 200.0%', 'new', 'new']);
  expect(findEndedGroups(dimension, comparison, metricOf('displays'))).toEqual([]);
});

const summer = { campaignId: 1, campaignName: 'Summer', displays: 10 };
const winter = { campaignId: 2, campaignName: 'Winter', displays: 10 };

test.each([
  {
    now: [
      { ...summer, revenueEuro: 6 },
      { ...winter, revenueEuro: 3 },
    ],
    before: [{ ...summer, revenueEuro: 5 }],
    headline: 'Revenue rose 80.0% to €9.00; the new campaign “Winter” added €3.00.',
  },
  {
    now: [{ ...summer, revenueEuro: 6 }],
    before: [
      { ...summer, revenueEuro: 5 },
      { ...winter, revenueEuro: 3 },
    ],
    headline: 'Revenue fell 25.0% to €6.00; the campaign “Winter”, which ended, had €3.00.',
  },
  {
    now: [
      { ...summer, revenueEuro: 7 },
      { ...winter, revenueEuro: 3 },
    ],
    before: [
      { ...summer, revenueEuro: 5 },
      { ...winter, revenueEuro: 3 },
    ],
    headline: 'Revenue rose 25.0% to €10.00; “Summer” has €2.00 more.',
  },
  {
    now: [{ ...summer, revenueEuro: 6 }],
    before: [{ ...summer, revenueEuro: 5 }],
    headline: 'Revenue rose 20.0% to €6.00.',
  },
  {
    now: [{ ...summer, revenueEuro: 5 }],
    before: [{ ...summer, revenueEuro: 5 }],
    headline: undefined,
  },
])('a headline names the campaign that changed most: $headline', async (reports) => {
  const { now, before, headline } = reports;
  const sums = await sumsOf(now);
  const comparison = await compareWith(before);

  expect(formatHeadline(sums, metricOf('revenueEuro'), comparison)).toBe(headline);
  expect(formatHeadline(sums, metricOf('displays'), comparison)).toBeUndefined();
});
