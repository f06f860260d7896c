import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDate, formatEnds, formatInstant } from '../../src/query/calendar.ts';
import { type PeriodInput, resolvePeriod } from '../../src/query/period.ts';
import { anyInstant, anyZone, unitByDate } from '../support/second-calendar.ts';

/** Wednesday 2026-11-18, 15:20:37 in Paris; in the 47th ISO week. */
const nowMs = Date.parse('2026-11-18T14:20:37.250Z');

function read(typed: PeriodInput, { zone = 'Europe/Paris', unit = undefined, now = nowMs } = {}) {
  const { since, until } = formatEnds(resolvePeriod(typed, { zone, nowMs: now, unit }));
  return `${since} .. ${until}`;
}

/** A period of whole days, as its first and last day. */
const days = (period: string, now = nowMs) =>
  read({ period }, { now }).replaceAll(/T00:00:00\S+|T23:59:59\S+/g, '');

test.each([
  ['today', '2026-11-18 .. 2026-11-18'],
  ['yesterday', '2026-11-17 .. 2026-11-17'],
  ['last-7d', '2026-11-11 .. 2026-11-17'],
  ['last-4w', '2026-10-19 .. 2026-11-15'],
  ['this-week', '2026-11-16 .. 2026-11-22'],
  ['Last-Week', '2026-11-09 .. 2026-11-15'],
  ['last-month', '2026-10-01 .. 2026-10-31'],
  ['this-quarter', '2026-10-01 .. 2026-12-31'],
  ['last-year', '2025-01-01 .. 2025-12-31'],
  ['2026-w53', '2026-12-28 .. 2027-01-03'],
  [' 2025-Q4..2026-W01 ', '2025-10-01 .. 2026-01-04'],
  ['2026-11-10..yesterday', '2026-11-10 .. 2026-11-17'],
])('--period %s is %s', (period, expected) => {
  expect(days(period)).toBe(expected);
});

test('relative periods on the first day of a year, and in the last second of a week', () => {
  expect(days('this-week', Date.parse('2027-01-01T08:00:00Z'))).toBe('2026-12-28 .. 2027-01-03');
  expect(days('last-month', Date.parse('2027-01-01T08:00:00Z'))).toBe('2026-12-01 .. 2026-12-31');
  expect(days('this-week', Date.parse('2026-11-15T22:59:59Z'))).toBe('2026-11-09 .. 2026-11-15');
});

test('a named day, week, month, quarter or year has exactly its local days, in any zone', () => {
  fc.assert(
    fc.property(anyZone, anyInstant, unitByDate, (zone, instant, unitOf) => {
      const { name, firstDay, lastDay } = unitOf(formatDate(instant, zone));
      const { since, until } = resolvePeriod({ period: name }, { zone, nowMs: 0 });
      expect([since, until].map((end) => localDate(end, zone))).toEqual([firstDay, lastDay]);
      expect(localDate(since - 1, zone) < firstDay).toBe(true);
      expect(localDate(until + 1, zone) > lastDay).toBe(true);
    }),
    { numRuns: 150 },
  );
});

/** The local date as the platform formats it. */
function localDate(instant: number, zone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  return format.format(instant * 1_000);
}

test('a wall time without an offset means its first and its last instant, in any zone', () => {
  fc.assert(
    fc.property(anyZone, anyInstant, (zone, instant) => {
      const text = formatInstant(instant, zone).slice(0, 19);
      const window = resolvePeriod({ since: text, until: text }, { zone, nowMs: 0 });
      expect(window.since <= instant && instant <= window.until).toBe(true);
      const ends = [window.since, window.until];
      expect(ends.map((end) => formatInstant(end, zone).slice(0, 19))).toEqual([text, text]);
    }),
    { numRuns: 60 },
  );
});

test.each<[typed: PeriodInput, expected: string]>([
  [{ since: '2026-11-01' }, '2026-11-01T00:00:00+01:00 .. 2026-11-18T15:20:37+01:00'],
  [
    { since: 'yesterday', until: 'today' },
    '2026-11-17T00:00:00+01:00 .. 2026-11-18T23:59:59+01:00',
  ],
  [{ since: '-36h' }, '2026-11-17T03:20:37+01:00 .. 2026-11-18T15:20:37+01:00'],
  [{ since: '-7d', until: '-1d' }, '2026-11-11T15:20:37+01:00 .. 2026-11-17T15:20:37+01:00'],
  [{ period: 'last-24h' }, '2026-11-17T15:20:38+01:00 .. 2026-11-18T15:20:37+01:00'],
  [
    { since: '1417392000', until: '1420070399' },
    '2014-12-01T01:00:00+01:00 .. 2015-01-01T00:59:59+01:00',
  ],
  [
    { since: '2026-11-01T14', until: '2026-11-01 15:30:15' },
    '2026-11-01T14:00:00+01:00 .. 2026-11-01T15:30:15+01:00',
  ],
  [
    { since: '2026-11-01T14:30:00+05:45', until: '2026-11-01T14:30Z' },
    '2026-11-01T09:45:00+01:00 .. 2026-11-01T15:30:00+01:00',
  ],
  // Skipped, and repeated.
  [
    { since: '2026-03-28T02:30', until: '2026-03-29T02:30' },
    '2026-03-28T02:30:00+01:00 .. 2026-03-29T01:59:59+01:00',
  ],
  [
    { since: '2026-10-25T02:30', until: '2026-10-25T02:30' },
    '2026-10-25T02:30:00+02:00 .. 2026-10-25T02:30:00+01:00',
  ],
])('%o', (typed, expected) => {
  expect(read(typed)).toBe(expected);
});

test('-7d keeps the time of day across a clock change, -36h does not', () => {
  const now = Date.parse('2026-10-26T11:00:00Z');
  expect(read({ since: '-2d' }, { now })).toMatch('2026-10-24T12:00:00+02:00');
  expect(read({ since: '-48h' }, { now })).toMatch('2026-10-24T13:00:00+02:00');
});

test.each<[typed: PeriodInput, message: string, hint: string]>([
  [{ period: '2026-11-01..2026-11-40' }, 'Invalid date “2026-11-40”.', 'a range such as'],
  [{ period: '2025-W53' }, 'Invalid date “2025-W53”.', '2026-W45'],
  [{ period: '2026-10-01-2026-10-31' }, 'Unknown', 'Did you mean 2026-10-01..2026-10-31?'],
  [{ period: 'last-30' }, 'Unknown', 'Did you mean last-30d?'],
  [{ period: 'last-3m' }, 'Unknown', 'Use today'],
  [{ period: 'monday' }, 'Unknown', 'Use today'],
  [{ period: '2026-11-15..2026-11-01' }, 'ends before it begins', 'Write the earlier day first'],
  [{ period: '2026-11-01..' }, 'Unknown period “2026-11-01..”.', 'a range such as'],
  [{ period: 'last-weak' }, 'Unknown period “last-weak”.', 'Did you mean last-week?'],
  [{ period: 'last mnth' }, 'Unknown period', 'Did you mean last-month?'],
  [{ period: ' '.repeat(19_000) }, 'Unknown period', 'Use today'],
  [{ since: '2026-11-01T10:60' }, 'Invalid date “2026-11-01T10:60”.', 'Use a day'],
  [{ since: '1764547200000' }, 'Unknown time “1764547200000”.', 'unix seconds'],
  [{ since: '01/11/2026' }, 'Unknown time', 'Use a day (2026-11-01'],
  [{ since: 'yesterdya' }, 'Unknown time “yesterdya”.', 'Did you mean yesterday?'],
  [{ since: '1960-01-01' }, 'The period begins before 1970', 'Choose a later day.'],
  [{ since: '2030-01-01' }, '--since (2030-01-01) is in the future.', 'earlier'],
  [
    { since: '2026-11-10', until: '2026-11-01' },
    '--since (2026-11-10) is after --until (2026-11-01).',
    'earlier',
  ],
  [{ until: 'now' }, 'No period given.', '--period yesterday'],
  [{ since: 'last-2w' }, 'Unknown time “last-2w”.', 'such as last-week, need --period.'],
  [{ period: 'today', since: 'today' }, '--period cannot be used with --since.', 'Use either'],
])('%o is refused', (typed, message, hint) => {
  expect(() => read(typed)).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }),
  );
});

test('a day that the calendar of a zone skipped, and zones that do not exist', () => {
  const skipped = () => read({ period: '2011-12-30' }, { zone: 'Pacific/Apia' });
  expect(skipped).toThrow('Unknown period “2011-12-30”.');
  for (const zone of ['paris', 'Europe/Pariss', '+02:00']) {
    expect(() => read({ since: 'today' }, { zone })).toThrow(`Unknown time zone “${zone}”.`);
  }
});

describe('the machine’s zone', () => {
  test('makes no difference', () => {
    const before = process.env.TZ;
    const found = ['Pacific/Auckland', 'America/Los_Angeles', 'UTC'].map((zone) => {
      process.env.TZ = zone;
      return read({ since: 'today', until: '2026-11-19T10:00' });
    });
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
    expect(new Set(found).size).toBe(1);
  });
});
