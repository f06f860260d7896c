import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakdowns } from '../../src/contract/vocabulary.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { accountOf, reportRows, seconds, total } from './reports.ts';

const fixtures = builtInFixtures({ seed: 1, scale: 1 });
const admin = accountOf(fixtures, 'admin');
const fields = [
  'requests',
  'displays',
  'clicks',
  'eyesTrackings',
  'downloads',
  'leads',
  'landings',
  'revenueEuro',
  'valueDollar',
];
const metrics = fields.map((field) => field.replace('valueDollar', 'revenueDollar'));
const day = { since: seconds('2026-10-25T00:00:00+02:00'), until: seconds('2026-10-25T23:59:59+01:00') };
const week = { since: seconds('2026-10-19T00:00:00+02:00'), until: day.until };

async function totals(now: string, request: object = day, restateDays = 4): Promise<number[]> {
  const rows = await reportRows(
    fixtures,
    admin,
    { ...day, metrics, breakdowns: [], ...request },
    { nowMs: seconds(now) * 1_000, restateDays },
  );
  return fields.map((field) => total(rows, field));
}

describe('conversions and revenue of a day become known over four days', () => {
  test('they grow from day to day, and the other metrics do not change', async () => {
    const complete = await totals('2027-01-01T00:00:00Z', day, 0);
    const daily = [];
    for (const now of [
      '2026-10-25T12:00',
      '2026-10-26T12:00',
      '2026-10-27T12:00',
      '2026-10-28T12:00',
      '2026-10-29T12:00',
    ]) {
      daily.push(await totals(`${now}:00+01:00`));
    }
    for (const [index, field] of fields.entries()) {
      const known = daily.map((list) => list[index] ?? Number.NaN);
      if (index < 4) {
        expect(new Set(known), field).toEqual(new Set([complete[index]]));
        continue;
      }
      expect(new Set(known).size, field).toBe(5);
      expect(known, field).toEqual([...known].sort((a, b) => a - b));
      expect(known[0], field).toBeLessThan(0.7 * (complete[index] ?? 0));
    }
    expect(daily[4]).toEqual(complete);
  });

  test('the day changes at midnight in Paris, not elsewhere', async () => {
    const before = await totals('2026-10-26T23:59:59+01:00');
    expect(await totals('2026-10-26T00:00:00+01:00')).toEqual(before);
    expect(await totals('2026-10-27T00:00:00+01:00')).not.toEqual(before);
  });

  test('every breakdown and every split adds up to the unbroken total', async () => {
    const now = '2026-10-23T15:00:00Z';
    const unbroken = await totals(now, week);
    expect(unbroken).not.toEqual(await totals(now, week, 0));
    for (const { name } of breakdowns)
      expect(await totals(now, { ...week, breakdowns: [name] }), name).toEqual(unbroken);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: week.since, max: week.until - 1 }), async (cut) => {
        const first = await totals(now, { ...week, until: cut });
        const second = await totals(now, { ...week, since: cut + 1 });
        expect(fields.map((_, index) => (first[index] ?? 0) + (second[index] ?? 0))).toEqual(unbroken);
      }),
      { numRuns: 10 },
    );
  });
});
