import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ComparisonName,
  comparableWindow,
  earlierWindow,
  endAfterUnits,
  formatDate,
  formatInstant,
  splitUnits,
  unitContaining,
  unitNumber,
  unitsIn,
} from '../../src/query/calendar.ts';
import { resolvePeriod } from '../../src/query/period.ts';
import { anyInstant, anyZone, units } from '../support/second-calendar.ts';

const anyUnit = fc.constantFrom(...splitUnits);

test('the units of a window follow each other, and are those of a second calendar', () => {
  fc.assert(
    fc.property(anyZone, anyInstant, anyUnit, fc.nat(90), (zone, since, unit, count) => {
      const until = since + count * 86_400;
      const found = [...unitsIn({ since, until, zone }, unit)];
      // Until 2010, clocks in St John's went back at 00:01, so one minute belongs to no day.
      const isCovered = (found[0]?.since ?? 0) <= since && until < (found.at(-1)?.end ?? 0);
      fc.pre(isCovered || zone !== 'America/St_Johns');

      expect(isCovered).toBe(true);
      for (const [index, one] of found.entries()) {
        const { firstDay, lastDay } = units[unit]?.(formatDate(one.since, zone)) ?? {};
        expect(one).toMatchObject({ firstDay, lastDay });
        expect(unitContaining(one.lastDay, unit, zone)).toEqual(one);
        if (index > 0) expect(one.since).toBe(found[index - 1]?.end);
      }
    }),
    { numRuns: 80 },
  );
});

test('a day that the calendar of a zone skipped is no unit', () => {
  const zone = 'Pacific/Apia';
  const window = resolvePeriod({ period: '2011-12-29..2011-12-31' }, { zone, nowMs: 0 });
  const days = [...unitsIn(window, 'day')].map(({ firstDay }) => firstDay);
  expect(days).toEqual(['2011-12-29', '2011-12-31']);
});

test('units are counted without gaps, and over after the units that follow', () => {
  fc.assert(
    fc.property(anyZone, anyInstant, anyUnit, fc.nat(20), (zone, since, unit, count) => {
      const until = since + 800 * 86_400;
      const days = [...unitsIn({ since, until, zone }, unit)];
      const [first] = days;
      const later = days[count];
      // A zone may have skipped a day.
      fc.pre(first !== undefined && later !== undefined && zone !== 'Pacific/Apia');
      expect(unitNumber(later?.firstDay ?? '', unit)).toBe(
        unitNumber(first?.firstDay ?? '', unit) + count,
      );
      expect(endAfterUnits(first ?? { lastDay: '' }, count, { unit, zone })).toBe(later?.end);
    }),
    { numRuns: 40 },
  );
});

const longAfter = Date.parse('2040-01-01T00:00:00Z');

function windowOf(period: string, zone: string, nowMs = longAfter) {
  return resolvePeriod({ period }, { zone, nowMs });
}

const ends = ({ since, until }: { readonly since: number; readonly until: number }) => ({
  since,
  until,
});

function compared(period: string, which: ComparisonName, zone = 'Europe/Paris', nowMs = longAfter) {
  const window = comparableWindow(windowOf(period, zone, nowMs), Math.floor(nowMs / 1_000));
  return { now: ends(window), before: ends(earlierWindow(window, which)) };
}

test('a calendar unit is compared with the one before, and with the same one a year earlier', () => {
  const anyDay = fc.integer({ min: 7_400, max: 23_700 }).map((day) => day * 86_400_000);
  const anyName = fc.constantFrom(...Object.keys(units));
  fc.assert(
    fc.property(anyZone, anyDay, anyName, (zone, dayMs, kind) => {
      const unitOf = (day: string) => units[kind]?.(day) ?? { name: '', firstDay: '', lastDay: '' };
      const unit = unitOf(new Date(dayMs).toISOString().slice(0, 10));
      const dayBefore = new Date(Date.parse(unit.firstDay) - 86_400_000).toISOString().slice(0, 10);
      const year = Number(unit.name.slice(0, 4));
      // The year before has neither a week 53 nor the day that Samoa skipped.
      fc.pre(!/W53$|-02-29$/.test(unit.name) && zone !== 'Pacific/Apia');

      const before = ends(windowOf(unitOf(dayBefore).name, zone));
      expect(compared(unit.name, 'previous', zone).before).toEqual(before);
      const yearBefore = ends(windowOf(`${year - 1}${unit.name.slice(4)}`, zone));
      expect(compared(unit.name, 'last-year', zone).before).toEqual(yearBefore);
    }),
    { numRuns: 80 },
  );
});

test.each([
  ['2026-11-11..2026-11-20', 'previous', '2026-11-01..2026-11-10'],
  ['2028-02', 'last-year', '2027-02'],
  ['2028-02-29', 'last-year', '2027-02-28'],
  ['2029-02-20..2029-02-28', 'last-year', '2028-02-20..2028-02-28'],
  ['2026-W53', 'last-year', '2025-12-29..2026-01-04'],
] as const)('%s with %s is %s', (period, which, before) => {
  expect(compared(period, which).before).toEqual(ends(windowOf(before, 'Europe/Paris')));
});

test.each([
  ['this-month', '2026-11-01..2026-11-21', '2026-10-01..2026-10-21'],
  ['this-week', '2026-11-16..2026-11-21', '2026-11-09..2026-11-14'],
  ['last-7d', '2026-11-15..2026-11-21', '2026-11-08..2026-11-14'],
])('%s is compared up to its last whole day, %s', (period, now, before) => {
  const zone = 'Europe/Paris';
  const found = compared(period, 'previous', zone, Date.parse('2026-11-22T18:10:00+01:00'));
  expect(found.now).toEqual(ends(windowOf(now, zone)));
  expect(found.before).toEqual(ends(windowOf(before, zone)));
});

test('today is compared up to its last whole hour', () => {
  const zone = 'Europe/Paris';
  const { before } = compared('today', 'previous', zone, Date.parse('2026-11-22T18:10:00+01:00'));
  expect([before.since, before.until].map((end) => formatInstant(end, zone))).toEqual([
    '2026-11-21T00:00:00+0100',
    '2026-11-21T17:59:59+0100',
  ]);
});
