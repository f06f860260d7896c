import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ComparedWindow,
  comparableWindow,
  earlierWindow,
} from '../../src/query/compared-window.ts';
import { formatInstant } from '../../src/query/window.ts';
import { resolveWindow } from '../../src/query/window-flags.ts';

/** Zones whose clocks change at different hours, one at midnight, and one without changes. */
const zones = ['Europe/Paris', 'America/Sao_Paulo', 'America/St_Johns', 'Asia/Kolkata', 'UTC'];

const longAfter = Date.parse('2040-01-01T00:00:00Z');

function windowOf(period: string, zone: string, nowMs = longAfter) {
  const { since, until } = resolveWindow({ period, zone, nowMs });
  return { since, until };
}

function earlierOf(period: string, which: ComparedWindow, zone: string, nowMs = longAfter) {
  const window = resolveWindow({ period, zone, nowMs });
  const { since, until } = earlierWindow(window, which, Math.floor(nowMs / 1_000));
  return { since, until };
}

const two = (number: number) => String(number).padStart(2, '0');
const formatDay = (day: Date) => day.toISOString().slice(0, 10);
const daysAfter = (day: Date, count: number) => new Date(day.getTime() + count * 86_400_000);

/** A calendar unit, the previous one and the same one a year earlier, as `--period` texts. */
const neighbours = fc
  .record({
    year: fc.integer({ min: 1990, max: 2035 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
    unit: fc.constantFrom('year', 'quarter', 'month', 'week', 'day'),
  })
  .map(({ year, month, day, unit }) => {
    if (unit === 'year') return [String(year), String(year - 1), String(year - 1)];
    if (unit === 'quarter') {
      const quarter = Math.ceil(month / 3);
      const previous = quarter === 1 ? `${year - 1}-Q4` : `${year}-Q${quarter - 1}`;
      return [`${year}-Q${quarter}`, previous, `${year - 1}-Q${quarter}`];
    }
    if (unit === 'month') {
      const previous = month === 1 ? `${year - 1}-12` : `${year}-${two(month - 1)}`;
      return [`${year}-${two(month)}`, previous, `${year - 1}-${two(month)}`];
    }
    if (unit === 'week') {
      const week = (month - 1) * 4 + Math.ceil(day / 7);
      // 4 January is in the first week of every year.
      const fourth = new Date(Date.UTC(year, 0, 4));
      const monday = daysAfter(fourth, 7 * (week - 1) - ((fourth.getUTCDay() + 6) % 7));
      const previous = `${formatDay(daysAfter(monday, -7))}..${formatDay(daysAfter(monday, -1))}`;
      return [`${year}-W${two(week)}`, previous, `${year - 1}-W${two(week)}`];
    }
    const date = new Date(Date.UTC(year, month - 1, day));
    const previous = formatDay(daysAfter(date, -1));
    return [formatDay(date), previous, `${year - 1}${formatDay(date).slice(4)}`];
  });

test('a calendar unit is compared with the previous one or the same one a year earlier, in any zone', () => {
  fc.assert(
    fc.property(neighbours, fc.constantFrom(...zones), ([unit, before, lastYear], zone) => {
      expect(earlierOf(unit ?? '', 'previous', zone)).toEqual(windowOf(before ?? '', zone));
      expect(earlierOf(unit ?? '', 'last-year', zone)).toEqual(windowOf(lastYear ?? '', zone));
    }),
    { numRuns: 40 },
  );
});

test.each([
  ['ten days', '2026-11-11..2026-11-20', 'previous', '2026-11-01..2026-11-10'],
  ['a leap month', '2028-02', 'last-year', '2027-02'],
  ['a leap day', '2028-02-29', 'last-year', '2027-02-28'],
  ['the day before one that was a leap day', '2029-02-28', 'last-year', '2028-02-28'],
  [
    'days that end one day before a leap day',
    '2029-02-20..2029-02-28',
    'last-year',
    '2028-02-20..2028-02-28',
  ],
  ['a week 53 that the year before lacks', '2026-W53', 'last-year', '2025-12-29..2026-01-04'],
] as const)('%s', (_, period, which, before) => {
  expect(earlierOf(period, which, 'Europe/Paris')).toEqual(windowOf(before, 'Europe/Paris'));
});

test.each([
  ['this-month', 'previous', '2026-11-01..2026-11-21', '2026-10-01..2026-10-21'],
  ['this-week', 'previous', '2026-11-16..2026-11-21', '2026-11-09..2026-11-14'],
  ['2026-11-16..today', 'previous', '2026-11-16..2026-11-21', '2026-11-09..2026-11-14'],
  ['last-7d', 'previous', '2026-11-15..2026-11-21', '2026-11-08..2026-11-14'],
] as const)('%s is compared up to its last whole day, %s', (period, which, daysNow, daysBefore) => {
  const zone = 'Europe/Paris';
  const nowMs = Date.parse('2026-11-22T18:10:00+01:00');
  const now = nowMs / 1_000;

  const window = comparableWindow(resolveWindow({ period, zone, nowMs }), now);
  const before = earlierWindow(window, which, now);

  expect({ since: window.since, until: window.until }).toEqual(windowOf(daysNow, zone));
  expect({ since: before.since, until: before.until }).toEqual(windowOf(daysBefore, zone));
});

test.each([
  ['this-month', 'previous', '2026-11-22T18:10', '2026-10-01T00:00', '2026-10-22T17:59'],
  ['this-month', 'previous', '2026-03-30T18:10', '2026-02-01T00:00', '2026-02-28T23:59'],
  ['this-week', 'previous', '2026-11-18T09:30', '2026-11-09T00:00', '2026-11-11T08:59'],
  ['today', 'previous', '2026-11-22T00:10', '2026-11-21T00:00', '2026-11-21T00:59'],
  ['2026-11-16..today', 'previous', '2026-11-22T18:10', '2026-11-09T00:00', '2026-11-15T17:59'],
] as const)(
  '%s compared with %s at %s: the same days up to the same hour',
  (period, which, now, since, until) => {
    const zone = 'Europe/Paris';
    const summer = now < '2026-10-25' && now > '2026-03-29';
    const nowMs = Date.parse(`${now}:00${summer ? '+02:00' : '+01:00'}`);

    const before = earlierOf(period, which, zone, nowMs);

    expect(formatInstant(before.since, zone).slice(0, 16)).toBe(since);
    expect(formatInstant(before.until, zone).slice(0, 16)).toBe(until);
  },
);
