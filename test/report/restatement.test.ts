import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import type { BookLine } from '../../src/report/book-line.ts';
import { ageOf, RestatementHistory } from '../../src/report/restatement.ts';

const zone = 'Europe/Paris';

interface Fetch {
  readonly day: string;
  readonly ageDays: number;
  readonly downloads: number;
  readonly file?: string;
}

/** The line of a day's report that was created at six in the morning, so many days after it. */
function lineOf({ day, ageDays, downloads, file = `${day}.csv` }: Fetch): BookLine {
  const since = DateTime.fromISO(day, { zone });
  const createdAt = since.plus({ days: ageDays, hours: 6 }).toUTC().toISO() ?? '';
  return {
    file,
    window: {
      since: since.toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ"),
      until: since.endOf('day').toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ"),
      timezone: zone,
    },
    request: {
      profile: 'buyer',
      metrics: ['downloads'],
      breakdowns: ['DAILY'],
      filters: {},
      account: 'work',
      baseUrl: 'https://reports.example.com',
      windowClock: 'instant',
    },
    requestHash: 'a',
    key: ['date'],
    reportId: null,
    createdAt,
    fetchedAt: createdAt,
    rows: 1,
    bytes: 1,
    sha256: '',
    totals: { downloads: String(downloads) },
    warnings: [],
    format: { name: 'csv' },
    adreport: '0.3.0',
  };
}

/** A daily cron line with a lookback, over days whose figures grow until `settledAfter` days after them. */
function simulate({ settledAfter, lookback }: { settledAfter: number; lookback: number }) {
  const history = new RestatementHistory();
  for (let index = 0; index < 60; index++) {
    const day = DateTime.fromISO('2026-03-01').plus({ days: index }).toISODate() ?? '';
    for (let ageDays = 1; ageDays <= lookback; ageDays++) {
      const downloads = 1_000 + 20 * Math.min(ageDays, settledAfter);
      history.observe(lineOf({ day, ageDays, downloads }));
    }
  }
  return history;
}

for (let settledAfter = 2; settledAfter <= 9; settledAfter++) {
  test(`figures that move for ${settledAfter} days are advised a lookback of ${settledAfter}`, () => {
    const { advice } = simulate({ settledAfter, lookback: 12 });

    expect(advice.lookback).toBe(settledAfter);
    expect(advice.settledAfterDays).toBe(settledAfter);
    expect(advice.sentence).toContain(`--lookback ${settledAfter} is enough`);
  });

  test(`nothing is advised where figures that move for ${settledAfter} days were fetched no longer`, () => {
    const { advice } = simulate({ settledAfter, lookback: settledAfter });

    expect(advice.lookback).toBeUndefined();
    expect(advice.sentence).toContain('Nothing can be said');
  });
}

test('what was never fetched again tells nothing', () => {
  const history = new RestatementHistory();
  history.observe(lineOf({ day: '2026-03-01', ageDays: 1, downloads: 5 }));

  expect(history.ages).toEqual([]);
  expect(history.advice.lookback).toBeUndefined();
});

test('few files tell nothing for sure, whether they moved or not', () => {
  const history = new RestatementHistory();
  history.observe(lineOf({ day: '2026-03-01', ageDays: 1, downloads: 100 }));
  history.observe(lineOf({ day: '2026-03-01', ageDays: 2, downloads: 100 }));
  expect(history.advice.sentence).toContain('because only 1 file was fetched again. Use a longer');

  history.observe(lineOf({ day: '2026-03-02', ageDays: 1, downloads: 100 }));
  history.observe(lineOf({ day: '2026-03-02', ageDays: 2, downloads: 120 }));
  expect(history.advice.sentence).toContain('still moved at the greatest age');

  history.observe(lineOf({ day: '2026-03-02', ageDays: 5, downloads: 120 }));
  expect(history.advice.sentence).toContain('only 1 file was fetched again more than 2 days later');
});

test('a day that was not over yet is no earlier state of the whole day', () => {
  const history = new RestatementHistory();
  history.observe(lineOf({ day: '2026-03-01', ageDays: 0, downloads: 5 }));
  history.observe(lineOf({ day: '2026-03-01', ageDays: 1, downloads: 50 }));

  expect(history.ages).toEqual([]);
});

test('the mean and the most of each age are told', () => {
  const history = new RestatementHistory();
  const days = [
    { day: '2026-03-01', after: 1_010 },
    { day: '2026-03-02', after: 1_030 },
  ];
  for (const { day, after } of days) {
    history.observe(lineOf({ day, ageDays: 1, downloads: 1_000 }));
    history.observe(lineOf({ day, ageDays: 2, downloads: after }));
  }

  const [age] = history.ages;
  expect(age?.ageDays).toBe(2);
  expect(age?.refetched).toBe(2);
  expect(age?.movements.downloads?.mean).toBeCloseTo(0.02);
  expect(age?.movements.downloads?.most).toBeCloseTo(0.03);
});

test('an age counts days of the report, over a clock change too', () => {
  expect(ageOf(lineOf({ day: '2026-10-24', ageDays: 1, downloads: 1 }))).toBe(1);
  expect(ageOf(lineOf({ day: '2026-10-25', ageDays: 1, downloads: 1 }))).toBe(1);
  expect(ageOf(lineOf({ day: '2026-03-28', ageDays: 3, downloads: 1 }))).toBe(3);
});
