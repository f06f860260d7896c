import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bucket, createCalendar } from '../../src/server/engine/calendar.ts';
import { localTime } from './reference-report.ts';
import { seconds } from './reports.ts';

const everything = { firstHour: Number.NEGATIVE_INFINITY, lastHour: Number.POSITIVE_INFINITY };

function buckets(zone: string, breakdown: 'DAILY' | 'HOURLY' | 'MONTHLY', since: string, until: string): Bucket[] {
  const window = { since: seconds(since), until: seconds(until) };
  return [...createCalendar(zone).buckets(breakdown, window, everything)];
}

/** The label of each bucket, and how many hours it has. */
function lengths(list: readonly Bucket[]): [label: string | undefined, hours: number][] {
  return list.map(({ labels, firstHour, lastHour }) => [labels.at(-1), lastHour - firstHour + 1]);
}

describe('clock changes', () => {
  test('the day on which clocks go forward has 23 hours, the day they go back 25', () => {
    expect(lengths(buckets('Europe/Paris', 'DAILY', '2026-03-28T00:00:00+01:00', '2026-03-30T23:59:59+02:00'))).toEqual(
      [
        ['2026-03-28', 24],
        ['2026-03-29', 23],
        ['2026-03-30', 24],
      ],
    );
    expect(lengths(buckets('Europe/Paris', 'DAILY', '2026-10-24T00:00:00+02:00', '2026-10-26T23:59:59+01:00'))).toEqual(
      [
        ['2026-10-24', 24],
        ['2026-10-25', 25],
        ['2026-10-26', 24],
      ],
    );
  });

  test('the doubled hour is two, the skipped hour none', () => {
    const autumn = buckets('Europe/Paris', 'HOURLY', '2026-10-25T01:00:00+02:00', '2026-10-25T03:00:00+01:00');
    expect(autumn.map(({ labels }) => labels)).toEqual([
      ['2026-10-25', '2026-10-25T01:00:00+0200'],
      ['2026-10-25', '2026-10-25T02:00:00+0200'],
      ['2026-10-25', '2026-10-25T02:00:00+0100'],
      ['2026-10-25', '2026-10-25T03:00:00+0100'],
    ]);
    const spring = buckets('Europe/Paris', 'HOURLY', '2026-03-29T01:00:00+01:00', '2026-03-29T03:00:00+02:00');
    expect(spring.map(({ labels }) => labels[1])).toEqual(['2026-03-29T01:00:00+0100', '2026-03-29T03:00:00+0200']);
  });

  test('a change of half an hour keeps the hours apart', () => {
    const labels = buckets('Australia/Lord_Howe', 'HOURLY', '2026-04-04T13:00:00Z', '2026-04-04T16:00:00Z').map(
      (bucket) => bucket.labels[1],
    );
    expect(labels).toEqual([
      '2026-04-05T00:00:00+1100',
      '2026-04-05T01:00:00+1100',
      '2026-04-05T01:00:00+1030',
      '2026-04-05T02:00:00+1030',
    ]);
  });

  test('a day that a zone never had is no day', () => {
    const days = buckets('Pacific/Apia', 'DAILY', '2011-12-29T12:00:00Z', '2011-12-31T12:00:00Z');
    expect(days.map(({ labels }) => labels[0])).toEqual(['2011-12-29', '2011-12-31', '2012-01-01']);
  });

  test('months are whole, with the leap day and the clock changes in them', () => {
    expect(lengths(buckets('Europe/Paris', 'MONTHLY', '2024-01-31T12:00:00Z', '2024-03-31T21:59:59Z'))).toEqual([
      ['2024-01-01', 11],
      ['2024-02-01', 29 * 24],
      ['2024-03-01', 31 * 24 - 1],
    ]);
    expect(lengths(buckets('Europe/Paris', 'MONTHLY', '2026-12-31T22:00:00Z', '2027-01-01T00:00:00Z'))).toEqual([
      ['2026-12-01', 1],
      ['2027-01-01', 2],
    ]);
  });
});

describe('any zone, any time', () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  // Before 1973 some zones had offsets with seconds, which neither side can write.
  const start = fc.integer({ min: seconds('1973-01-01T00:00:00Z'), max: seconds('2037-12-01T00:00:00Z') });

  test.each(['HOURLY', 'DAILY', 'MONTHLY'] as const)('%s agrees with Intl, hour by hour', (breakdown) => {
    const label = (hour: number, name: string): string => {
      const local = localTime(hour * 3600, name);
      if (breakdown === 'HOURLY') return `${local.slice(0, 13)}:00:00${local.slice(19)}`;
      return breakdown === 'DAILY' ? local.slice(0, 10) : `${local.slice(0, 7)}-01`;
    };
    fc.assert(
      fc.property(zone, start, fc.integer({ min: 0, max: 100 * 3600 }), (name, since, length) => {
        const window = { since, until: since + length };
        const found = [...createCalendar(name).buckets(breakdown, window, everything)].flatMap((bucket) =>
          Array.from({ length: bucket.lastHour - bucket.firstHour + 1 }, (_, index) => [
            bucket.firstHour + index,
            bucket.labels.at(-1),
          ]),
        );
        const first = Math.ceil(window.since / 3600);
        const hours = Array.from(
          { length: Math.max(0, Math.floor(window.until / 3600) - first + 1) },
          (_, i) => first + i,
        );
        expect(found).toEqual(hours.map((hour) => [hour, label(hour, name)]));
      }),
      { numRuns: 100 },
    );
  });

  test('an instant agrees with Intl', () => {
    fc.assert(
      fc.property(zone, start, (name, instant) => {
        expect(createCalendar(name).localTime(instant)).toBe(localTime(instant, name));
      }),
      { numRuns: 300 },
    );
  });
});

test('a window is one bucket without a time breakdown, and for RANGE, which is named by its first local day', () => {
  const window = { since: seconds('2026-10-24T22:30:00Z'), until: seconds('2026-10-26T00:00:00Z') };
  const calendar = createCalendar('Europe/Paris');
  const hours = { firstHour: window.since / 3600 + 0.5, lastHour: window.until / 3600 };
  expect([...calendar.buckets(undefined, window, everything)]).toEqual([{ ...hours, labels: [] }]);
  expect([...calendar.buckets('RANGE', window, everything)]).toEqual([{ ...hours, labels: ['2026-10-25'] }]);
  expect([...calendar.buckets('DAILY', { since: 1, until: 3_599 }, everything)]).toEqual([]);
});
