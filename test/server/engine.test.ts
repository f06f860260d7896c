import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakdowns, filters, metrics } from '../../src/contract/vocabulary.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { type PlainRequest, referenceRows } from './reference-report.ts';
import { accountOf, reportRows, seconds, total } from './reports.ts';

const fixtures = builtInFixtures({ seed: 1, scale: 1 });
const buyer = accountOf(fixtures, 'buyer');
const admin = accountOf(fixtures, 'admin');
const dsp = accountOf(fixtures, 'dsp');

const allMetrics = metrics.map(({ name }) => name);
const dspMetrics = ['displays', 'revenueEuro', 'revenueDollar'];
const timeNames = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];
const dimensions = breakdowns.map(({ name }) => name as string).filter((name) => !timeNames.includes(name));

/** A part of a list, in its order, seldom long. */
const some = (names: readonly string[], maxLength: number) => fc.subarray([...names], { maxLength });

/** Windows around what is awkward: clock changes, leap day, ends of years, campaigns of a day, seconds within an hour. */
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
    ),
    before: fc.integer({ min: 0, max: 30 * 3600 }),
    after: fc.integer({ min: 0, max: 30 * 3600 }),
  })
  .map(({ around, before, after }) => ({ since: seconds(around) - before, until: seconds(around) + after }));

const time = fc.constantFrom([], ...timeNames.map((name) => [name]));

/** For each filter a few values that occur in the data, and one that does not. */
const filterValues: Readonly<Record<string, fc.Arbitrary<string[]>>> = Object.fromEntries(
  filters.map(({ name, on, compare }) => {
    const known = fixtures.facts.members[on].flatMap(({ id, values }) => (compare === 'id' ? id : values[0]) ?? []);
    return [name, fc.uniqueArray(fc.constantFrom(...known, '404'), { minLength: 1, maxLength: 8 })];
  }),
);

const buyerRequest = fc.record({
  window,
  metrics: fc.shuffledSubarray([...allMetrics], { minLength: 1 }),
  breakdowns: fc.tuple(time, some(dimensions, 6)).map((names) => names.flat()),
  filters: fc
    .subarray(Object.keys(filterValues), { maxLength: 2 })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, filterValues[name] ?? fc.constant([])]))),
    ),
});

const dspRequest = fc.record({
  window,
  metrics: fc.shuffledSubarray(dspMetrics, { minLength: 1 }),
  breakdowns: fc.tuple(time, some(['FORMAT', 'BUNDLEID'], 2)).map((names) => names.flat()),
  timezone: fc.constantFrom(
    'Europe/Paris',
    'Asia/Kolkata',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'UTC',
    'Pacific/Chatham',
  ),
});

describe('a report says what plain counting says', () => {
  test('for a buyer and an admin', async () => {
    await fc.assert(
      fc.asyncProperty(buyerRequest, fc.boolean(), async ({ window: { since, until }, ...rest }, isAdmin) => {
        const account = isAdmin ? admin : buyer;
        const request = { since, until, ...rest };
        expect(await reportRows(fixtures, account, request)).toEqual(referenceRows(fixtures, account, request));
      }),
      { numRuns: 25 },
    );
  });

  test('for each filter', async () => {
    const hours = { since: seconds('2026-10-25T00:00:00Z'), until: seconds('2026-10-25T02:59:59Z') };
    for (const { name, on, compare } of filters) {
      const values = fixtures.facts.members[on].map((member) => (compare === 'id' ? member.id : member.values[0]));
      const accepted = values.filter((value) => value != null).slice(0, 3);
      const request = { ...hours, metrics: ['displays'], breakdowns: [on], filters: { [name]: accepted } };
      const rows = await reportRows(fixtures, admin, request);
      expect(rows, name).toEqual(referenceRows(fixtures, admin, request));
      expect(rows.length, name).toBeLessThanOrEqual(3);
    }
  });

  test('for a DSP, in any time zone', async () => {
    await fc.assert(
      fc.asyncProperty(dspRequest, async ({ window: { since, until }, ...rest }) => {
        const request = { since, until, ...rest };
        expect(await reportRows(fixtures, dsp, request)).toEqual(referenceRows(fixtures, dsp, request));
      }),
      { numRuns: 25 },
    );
  });
});

describe('sums are exact', () => {
  const fieldOf = (metric: string): string => (metric === 'revenueDollar' ? 'valueDollar' : metric);
  const week = { since: seconds('2026-10-19T00:00:00+02:00'), until: seconds('2026-10-25T23:59:59+01:00') };
  const totals = async (request: Partial<PlainRequest>): Promise<number[]> => {
    const rows = await reportRows(fixtures, buyer, { ...week, metrics: allMetrics, breakdowns: [], ...request });
    return allMetrics.map((metric) => total(rows, fieldOf(metric)));
  };

  test.each([...timeNames, ...dimensions])('broken down by %s', async (name) => {
    const unbroken = await totals({});
    expect(Math.min(...unbroken)).toBeGreaterThan(0);
    expect(await totals({ breakdowns: [name] })).toEqual(unbroken);
  });
});

describe('what a report is of', () => {
  const hour = { since: seconds('2026-10-25T12:00:00Z'), until: seconds('2026-10-25T12:00:00Z') };

  test('no breakdown is one row, and none where nothing is selected', async () => {
    const request = { ...hour, metrics: ['displays'], breakdowns: [] };
    expect(await reportRows(fixtures, buyer, request)).toHaveLength(1);
    expect(await reportRows(fixtures, buyer, { ...request, filters: { campaignId: ['404'] } })).toEqual([]);
    expect(await reportRows(fixtures, { ...buyer, advertiserIds: [] }, request)).toEqual([]);
  });

  test('an hour belongs to a window by its first second', async () => {
    const request = { metrics: ['displays'], breakdowns: [] };
    const start = hour.since;
    expect(await reportRows(fixtures, buyer, { ...request, since: start, until: start })).toHaveLength(1);
    expect(await reportRows(fixtures, buyer, { ...request, since: start + 1, until: start + 3_599 })).toEqual([]);
    expect(await reportRows(fixtures, buyer, { ...request, since: start + 1, until: start + 3_600 })).toHaveLength(1);
  });
});
