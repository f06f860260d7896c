import { expect, test } from 'vitest';
import { breakdowns } from '../../src/contract/vocabulary.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { accountOf, reportRows, seconds, total } from './reports.ts';

const fixtures = builtInFixtures({ seed: 1, scale: 1 });
const steady = ['requests', 'displays', 'clicks', 'eyesTrackings'];
const restated = ['downloads', 'leads', 'landings', 'revenueEuro', 'valueDollar'];
const metrics = [...steady, ...restated].map((field) => field.replace('valueDollar', 'revenueDollar'));
const day = { since: seconds('2026-10-25T00:00:00+02:00'), until: seconds('2026-10-25T23:59:59+01:00') };

/** The sums of a report as it is known at a time. */
async function totals(now: string, request: object = {}, restateDays = 4): Promise<number[]> {
  const moment = { nowMs: seconds(now) * 1_000, restateDays };
  const rows = await reportRows(
    fixtures,
    accountOf(fixtures, 'admin'),
    { ...day, metrics, breakdowns: [], ...request },
    moment,
  );
  return [...steady, ...restated].map((field) => total(rows, field));
}

test('conversions and revenue of a day become known over four Paris days; the other metrics do not change', async () => {
  const complete = await totals('2027-01-01T00:00:00Z', {}, 0);
  const daily: number[][] = [];
  for (let date = 25; date <= 29; date++) daily.push(await totals(`2026-10-${date}T12:00:00+01:00`));
  for (const [index, field] of [...steady, ...restated].entries()) {
    const known = daily.map((list) => list[index] ?? Number.NaN);
    expect(
      [...known].sort((a, b) => a - b),
      field,
    ).toEqual(known);
    expect(new Set(known).size, field).toBe(steady.includes(field) ? 1 : 5);
    if (restated.includes(field)) expect(known[0], field).toBeLessThan(0.7 * (complete[index] ?? 0));
  }
  expect(daily[4]).toEqual(complete);
  expect(await totals('2026-10-26T00:00:00+01:00')).toEqual(await totals('2026-10-26T23:59:59+01:00'));
  expect(await totals('2026-10-27T00:00:00+01:00')).not.toEqual(await totals('2026-10-26T23:59:59+01:00'));
});

test('every breakdown adds up to the unbroken total', async () => {
  const week = { since: seconds('2026-10-19T00:00:00+02:00') };
  const now = '2026-10-23T15:00:00Z';
  const unbroken = await totals(now, week);
  expect(unbroken).not.toEqual(await totals(now, week, 0));
  for (const { name } of breakdowns) expect(await totals(now, { ...week, breakdowns: [name] }), name).toEqual(unbroken);
});
