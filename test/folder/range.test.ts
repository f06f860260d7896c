import { describe, expect, test } from 'vitest';
import { type FolderSpec, type History, specLine } from '../../src/folder/history.ts';
import { unitsInRange } from '../../src/folder/range.ts';
import { seriesOf } from '../../src/folder/series.ts';
import { windowOf } from '../../src/report/spec-window.ts';

const base: FolderSpec = {
  request: { profile: 'buyer', metrics: ['displays'], breakdowns: [] },
  format: { name: 'csv' },
  timezone: 'Europe/Paris',
  output: '{date}.csv',
  split: 'day',
  account: 'own',
};

/** The spec line of a run in the morning, Paris time. */
function line(at: string, more: Partial<FolderSpec>) {
  const spec = { ...base, ...more };
  const window = windowOf(spec, secondsOf(at) * 1_000) ?? { since: 1, until: 0 };
  return specLine(spec, { at: secondsOf(at), window });
}

/** The spec line of a run with `--missing`. */
function job(at: string, more: Partial<FolderSpec>) {
  return line(at, { missing: true, ...more });
}

function secondsOf(day: string): number {
  return Date.parse(day.includes('T') ? day : `${day}T05:00:00Z`) / 1_000;
}

type Line = ReturnType<typeof line>;

/** A folder with these spec lines in order, and files of some days. */
function folderOf(specs: readonly Line[], days: readonly string[] = []): History {
  const own = specs.at(-1);
  const files = days.map((day) => {
    const since = `${day}T00:00:00+01:00`;
    const entry = { line: { since }, own, source: '_adreport.ndjson' };
    return [`${day}.csv`, [entry]] as const;
  });
  const sources = [{ name: '_adreport.ndjson', skippedLines: [], specs }];
  return { folder: '/data', sources, files: new Map(files) } as unknown as History;
}

/** The range at a time, as spans of days, and its last expected day. */
function rangeAt(now: string, specs: readonly Line[], days: readonly string[] = []) {
  const [series] = seriesOf(folderOf(specs, days), secondsOf(now));
  if (!series) throw new Error('There is no series.');
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

describe('the range of a standing job', () => {
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
      name: 'from the first day of an open period',
      window: { period: '2026-11-01..today' },
      stretches: ['2026-11-01..2026-11-25'],
      expected: '2026-11-23',
    },
    {
      name: 'everything that a rolling window has covered',
      window: { period: 'last-7d' },
      stretches: ['2026-10-25..2026-11-24'],
      expected: '2026-11-23',
    },
  ])('is $name', ({ window, stretches, expected }) => {
    expect(rangeAt('2026-11-25', [job('2026-11-01', window)])).toEqual({ stretches, expected });
  });

  test('remembers all lines of its content and account if it rolls, without gaps', () => {
    const lines = [
      job('2026-08-01', { period: 'last-7d', timezone: 'Europe/Berlin' }),
      job('2026-11-01', { period: 'last-3d', account: 'other' }),
      job('2026-11-10', { period: 'last-3d', lookback: 1 }),
      job('2026-11-20', { period: 'last-7d' }),
    ];
    expect(rangeAt('2026-11-25', lines).stretches).toEqual(['2026-11-03..2026-11-24']);
  });

  test('lets go of what lies before a typed beginning', () => {
    const lines = [job('2026-11-01', { period: 'last-30d' }), job('2026-11-20', { since: '-5d' })];
    expect(rangeAt('2026-11-25', lines).stretches).toEqual(['2026-11-20..2026-11-25']);
  });

  test('begins with the current window if the spec was written by a clock that was ahead', () => {
    const lines = [job('2027-03-01', { period: 'last-3d' })];
    expect(rangeAt('2026-11-25', lines).stretches).toEqual(['2026-11-22..2026-11-24']);
  });

  test('stays after a run with a fixed window', () => {
    const lines = [
      job('2026-11-01', { since: '2026-11-01', until: 'yesterday' }),
      job('2026-11-10', { period: '2026-11-02..2026-11-03' }),
    ];
    expect(rangeAt('2026-11-25', lines).stretches).toEqual(['2026-11-01..2026-11-24']);
  });
});

describe('the range of other runs', () => {
  const january = line('2026-11-02', { period: '2026-01' });
  const march = line('2026-11-03', { period: '2026-03' });

  test('has those that brought a file, and always the last', () => {
    const lines = [january, march, line('2026-11-04', { period: '2026-05' })];
    expect(rangeAt('2026-11-25', lines, ['2026-03-31']).stretches).toEqual([
      '2026-03-01..2026-03-31',
      '2026-05-01..2026-05-31',
    ]);
  });

  test('forgets a mistyped period with the next run', () => {
    const mistyped = job('2026-11-09', { period: '2016-11-08' });
    const nightly = job('2026-11-10', { period: 'last-3d' });
    expect(rangeAt('2026-11-10', [mistyped, nightly]).stretches).toEqual([
      '2026-11-07..2026-11-09',
    ]);
  });

  test('grows day by day with one run per day', () => {
    const days = ['2026-11-05', '2026-11-06', '2026-11-07'];
    const lines = days.map((day) => job(day, { period: day }));
    expect(rangeAt('2026-11-08', lines, days).stretches).toEqual(['2026-11-05..2026-11-07']);
  });

  test('is that of the time of the run, if its window moves and it had no --missing', () => {
    const lines = [line('2026-11-10', { period: 'last-3d' })];
    expect(rangeAt('2026-11-25', lines)).toEqual({
      stretches: ['2026-11-07..2026-11-09'],
      expected: '2026-11-09',
    });
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
    const since = job('2026-03-01', { since: '2026-03-01', until: 'yesterday' });
    const rolling = job('2026-03-01', { period: 'last-7d' });
    expect(rangeAt(now, [since]).expected).toBe(expected);
    expect(rangeAt(now, [rolling]).expected).toBe(expected);
  });

  test('with a window that moves by weeks: one day after the end of the week', () => {
    const weekly = [job('2026-11-02', { period: 'last-week' })];
    expect(rangeAt('2026-11-08', weekly).expected).toBe('2026-11-01');
    expect(rangeAt('2026-11-09', weekly).expected).toBe('2026-11-01');
    expect(rangeAt('2026-11-10', weekly).expected).toBe('2026-11-08');
  });

  test('after the first run: immediately', () => {
    const weekly = [job('2026-11-09', { period: 'last-week' })];
    expect(rangeAt('2026-11-09', weekly).expected).toBe('2026-11-07');
  });
});
