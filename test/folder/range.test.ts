import { describe, expect, test } from 'vitest';
import { type FolderSpec, type History, specLine } from '../../src/folder/history.ts';
import { unitsInRange } from '../../src/folder/range.ts';
import { seriesOf } from '../../src/folder/series.ts';
import { windowOf } from '../../src/folder/spec-window.ts';

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

/** The range at a time after these runs, as spans of days, and its last expected day. */
function rangeAt(now: string, specs: readonly ReturnType<typeof line>[]) {
  const sources = [{ name: '_adreport.ndjson', skippedLines: [], specs }];
  const history: History = { folder: '/data', sources, files: new Map() };
  const [series] = seriesOf(history, secondsOf(now));
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

test('the range of an open period begins at its first day, and that of another zone is another job', () => {
  const open = [job('2026-11-01', { period: '2026-11-01..today' })];
  expect(rangeAt('2026-11-25', open).stretches).toEqual(['2026-11-01..2026-11-25']);

  const lines = [
    job('2026-08-01', { period: 'last-7d', timezone: 'Europe/Berlin' }),
    job('2026-11-20', { period: 'last-7d' }),
  ];
  expect(rangeAt('2026-11-25', lines).stretches).toEqual(['2026-11-13..2026-11-24']);
});

test('a spec of a clock that was ahead counts as of now', () => {
  const lines = [job('2027-03-01', { period: 'last-3d' })];
  expect(rangeAt('2026-11-25', lines).stretches).toEqual(['2026-11-22..2026-11-24']);
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
