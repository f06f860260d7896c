import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakdowns, type DimensionName, filters, metrics } from '../../src/contract/vocabulary.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { plainFacts, referenceRows } from './reference-report.ts';
import { accountOf, reportRows, seconds, total } from './reports.ts';

const fixtures = builtInFixtures({ seed: 1, scale: 1 });
const buyer = accountOf(fixtures, 'buyer');
const admin = accountOf(fixtures, 'admin');
const dsp = accountOf(fixtures, 'dsp');

const allMetrics = metrics.map(({ name }) => name);
const timeNames = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];
const dimensions = breakdowns
  .map(({ name }) => name as string)
  .filter((name) => !timeNames.includes(name));

/** A short part of a list, in the same order. */
const some = (names: readonly string[], maxLength: number) =>
  fc.subarray([...names], { maxLength });

/**
 * Windows around difficult times: clock changes, leap day, ends of years, one-day campaigns,
 * seconds within an hour.
 */
const window = fc
  .record({
    around: fc.constantFrom(
      '2026-10-25T00:00:00Z',
      '2026-03-29T00:00:00Z',
      '2024-02-29T00:00:00Z',
      '2026-07-14T08:00:00Z',
      '2014-12-01T00:00:00Z',
      '2026-12-31T22:00:00Z',
      '1970-01-01T00:00:00Z',
      // Samoa skipped a day.
      '2011-12-30T00:00:00Z',
    ),
    before: fc.integer({ min: 0, max: 12 * 3600 }),
    after: fc.integer({ min: 0, max: 12 * 3600 }),
  })
  .map(({ around, before, after }) => ({
    since: seconds(around) - before,
    until: seconds(around) + after,
  }));

const time = fc.constantFrom([], ...timeNames.map((name) => [name]));

const factsOfDay = [
  ...plainFacts(fixtures, seconds('2026-10-25T00:00:00Z'), seconds('2026-10-25T23:59:59Z')),
];

/** The ids or texts of a dimension that occur on a day. */
function valuesOf(name: DimensionName): string[] {
  return [...new Set(factsOfDay.flatMap(({ dimensions: { [name]: value } }) => value ?? []))];
}

/** For each filter, a few values in the data, and one that is not. */
const filterValues: Readonly<Record<string, fc.Arbitrary<string[]>>> = Object.fromEntries(
  filters.map(({ name, on }) => {
    return [
      name,
      fc.uniqueArray(fc.constantFrom(...valuesOf(on), '404'), { minLength: 1, maxLength: 8 }),
    ];
  }),
);

const filtersOf = fc
  .subarray(Object.keys(filterValues), { maxLength: 2 })
  .chain((names) =>
    fc.record(
      Object.fromEntries(names.map((name) => [name, filterValues[name] ?? fc.constant([])])),
    ),
  );

const zonesWithClockChanges = ['Europe/Paris', 'America/St_Johns', 'Pacific/Apia'];
const zonesOfHalfHours = ['Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Chatham'];

const requests = {
  buyer: fc.record({
    window,
    metrics: fc.shuffledSubarray([...allMetrics], { minLength: 1 }),
    breakdowns: fc.tuple(time, some(dimensions, 6)).map((names) => names.flat()),
    filters: filtersOf,
  }),
  dsp: fc.record({
    window,
    metrics: fc.shuffledSubarray(['displays', 'revenueEuro', 'revenueDollar'], { minLength: 1 }),
    breakdowns: fc.tuple(time, some(['FORMAT', 'BUNDLEID'], 2)).map((names) => names.flat()),
    timezone: fc.constantFrom('UTC', ...zonesWithClockChanges, ...zonesOfHalfHours),
  }),
};

describe('a report equals the reference report', () => {
  test.each([
    { account: buyer, anyRequest: requests.buyer },
    { account: admin, anyRequest: requests.buyer },
    { account: dsp, anyRequest: requests.dsp },
  ] as const)('for $name', async ({ account, anyRequest }) => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ window: { since, until }, ...rest }) => {
        const request = { since, until, ...rest };
        expect(await reportRows(fixtures, account, request)).toEqual(
          referenceRows(fixtures, account, request),
        );
      }),
      { numRuns: 15 },
    );
  });
});

test('without breakdowns: one row, no row if nothing is selected; hours count by their first second', async () => {
  const start = seconds('2026-10-25T12:00:00Z');
  const rows = (since: number, until: number, more: object = {}, account = buyer) =>
    reportRows(fixtures, account, { since, until, metrics: ['displays'], breakdowns: [], ...more });

  expect(await rows(start, start)).toHaveLength(1);
  expect(await rows(start, start, { filters: { campaignId: ['404'] } })).toEqual([]);
  expect(await rows(start, start, {}, { ...buyer, advertiserIds: [] })).toEqual([]);
  expect(await rows(start + 1, start + 3_599)).toEqual([]);
  expect(await rows(start + 1, start + 3_600)).toHaveLength(1);
});

describe('restated figures', () => {
  const steady = ['requests', 'displays', 'clicks', 'eyesTrackings'];
  const restated = ['downloads', 'leads', 'landings', 'revenueEuro', 'valueDollar'];
  const october25 = {
    since: seconds('2026-10-25T00:00:00+02:00'),
    until: seconds('2026-10-25T23:59:59+01:00'),
  };

  /** The totals of a report at a time. */
  async function totals(now: string, request: object = {}, restateDays = 4): Promise<number[]> {
    const moment = { nowMs: seconds(now) * 1_000, restateDays };
    const whole = { ...october25, metrics: allMetrics, breakdowns: [], ...request };
    const rows = await reportRows(fixtures, admin, whole, moment);
    return [...steady, ...restated].map((field) => total(rows, field));
  }

  test('conversions and revenue grow for four days; other metrics do not change', async () => {
    const complete = await totals('2027-01-01T00:00:00Z', {}, 0);
    const daily: number[][] = [];

    for (let date = 25; date <= 30; date++)
      daily.push(await totals(`2026-10-${date}T12:00:00+01:00`));

    for (const [index, field] of [...steady, ...restated].entries()) {
      const known = daily.map((list) => list[index] ?? Number.NaN);
      expect(known, field).toEqual(known.toSorted((a, b) => a - b));
      expect(new Set(known).size, field).toBe(steady.includes(field) ? 1 : 6);
      if (restated.includes(field))
        expect(known[0], field).toBeLessThan(0.7 * (complete[index] ?? 0));
    }
    expect(daily[5]).toEqual(complete);

    const dayAfter = await totals('2026-10-26T23:59:59+01:00');

    expect(await totals('2026-10-26T00:00:00+01:00')).toEqual(dayAfter);
    expect(await totals('2026-10-27T00:00:00+01:00')).not.toEqual(dayAfter);
  });
});
