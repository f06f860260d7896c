import { describe, expect, test } from 'vitest';
import { type FolderSpec, specLine } from '../../src/folder/history.ts';
import { unitsInRange } from '../../src/folder/range.ts';
import { FileNames } from '../../src/folder/series.ts';

const base: FolderSpec = {
  request: { profile: 'buyer', metrics: ['displays'], breakdowns: [] },
  format: { name: 'csv' },
  timezone: 'Europe/Paris',
  output: '{date}.csv',
  split: 'day',
  account: 'own',
};

/** A spec line written in the morning, Paris time. */
function line(at: string, more: Partial<FolderSpec>, isBackfill = false) {
  return specLine({ ...base, ...more }, { at: secondsOf(at), isBackfill });
}

function secondsOf(day: string): number {
  return Date.parse(day.includes('T') ? day : `${day}T05:00:00Z`) / 1_000;
}

type Line = ReturnType<typeof line>;

/** The range at a time, as spans of days, and its last expected day. */
function rangeAt(now: string, current: Line, others: readonly Line[] = []) {
  const names = new FileNames(base.output);
  const series = { names, current, specs: [...others, current] };
  const units = unitsInRange(series, secondsOf(now));
  const stretches: string[] = [];
  let over = 0;
  for (const { since, until, start, over: end } of units) {
    const last = stretches.at(-1);
    if (last !== undefined && start === over)
      stretches.splice(-1, 1, `${last.slice(0, 12)}${until}`);
    else stretches.push(`${since}..${until}`);
    over = end;
  }
  return { stretches, expected: units.findLast((unit) => unit.isExpected)?.until };
}

describe('the range of a series', () => {
  test.each([
    {
      name: 'from --since until now',
      window: { since: '2026-11-01', until: 'yesterday' },
      stretches: ['2026-11-01..2026-11-24'],
      expected: '2026-11-23',
    },
    {
      name: 'from a number of whole days ago',
      window: { since: '-10d', until: 'yesterday' },
      stretches: ['2026-11-15..2026-11-24'],
      expected: '2026-11-23',
    },
    {
      name: 'the fixed dates, whatever the current time',
      window: { period: '2026-11-02..2026-11-05' },
      stretches: ['2026-11-02..2026-11-05'],
      expected: '2026-11-05',
    },
    {
      name: 'from the first day of an open period',
      window: { period: '2026-11-20..today' },
      stretches: ['2026-11-20..2026-11-25'],
      expected: '2026-11-23',
    },
    {
      name: 'everything that a rolling window has covered',
      window: { period: 'last-7d' },
      stretches: ['2026-10-25..2026-11-24'],
      expected: '2026-11-23',
    },
    {
      name: 'empty, if the window is now empty',
      window: { since: 'yesterday', until: '2026-11-01' },
      stretches: [],
      expected: undefined,
    },
  ])('is that $name', ({ window, stretches, expected }) => {
    const current = line('2026-11-01', window);
    expect(rangeAt('2026-11-25', current)).toEqual({ stretches, expected });
  });

  test('includes the windows of backfills and earlier specs of a rolling job, but not the gaps', () => {
    const current = line('2026-11-20', { period: 'last-3d', lookback: 1 });
    const others = [
      line('2026-11-10', { period: 'last-3d' }),
      line('2026-11-21', { period: '2026-01' }, true),
      line('2026-11-22', { period: '2026-03', timezone: 'Europe/Berlin' }, true),
      line('2026-11-22', { period: '2026-05', account: 'other' }, true),
    ];
    expect(rangeAt('2026-11-25', current, others).stretches).toEqual([
      '2026-01-01..2026-01-31',
      '2026-11-07..2026-11-24',
    ]);
  });

  test('is only the current window if that has a fixed beginning', () => {
    const current = line('2026-11-20', { since: '2026-11-15', until: 'yesterday' });
    const others = [
      line('2026-11-01', { period: 'last-7d' }),
      line('2026-11-21', { period: '2026-01' }, true),
    ];
    expect(rangeAt('2026-11-25', current, others).stretches).toEqual(['2026-11-15..2026-11-24']);
  });

  test('begins with the current window if the spec was written by a clock that was ahead', () => {
    const current = line('2027-03-01', { period: 'last-3d' });
    expect(rangeAt('2026-11-25', current).stretches).toEqual(['2026-11-22..2026-11-24']);
  });
});

describe('a unit is expected', () => {
  test.each([
    // The 25th has 25 hours.
    { now: '2026-10-25T22:59:59Z', expected: '2026-10-23' },
    { now: '2026-10-25T23:00:00Z', expected: '2026-10-24' },
    // The 29th has 23 hours.
    { now: '2026-03-29T21:59:59Z', expected: '2026-03-27' },
    { now: '2026-03-29T22:00:00Z', expected: '2026-03-28' },
  ])('from the second midnight on, at $now', ({ now, expected }) => {
    const since = line('2026-03-01', { since: '2026-03-01', until: 'yesterday' });
    const rolling = line('2026-03-01', { period: 'last-7d' });
    expect(rangeAt(now, since).expected).toBe(expected);
    expect(rangeAt(now, rolling).expected).toBe(expected);
  });

  test('with a window that moves by weeks: one day after the end of the week', () => {
    const job = line('2026-11-02', { period: 'last-week' });
    expect(rangeAt('2026-11-08', job).expected).toBe('2026-11-01');
    expect(rangeAt('2026-11-09', job).expected).toBe('2026-11-01');
    expect(rangeAt('2026-11-10', job).expected).toBe('2026-11-08');
  });

  test('after the first run: immediately', () => {
    const job = line('2026-11-09', { period: 'last-week' });
    expect(rangeAt('2026-11-09', job).expected).toBe('2026-11-07');
  });
});
