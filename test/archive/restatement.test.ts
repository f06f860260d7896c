import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import type { FileLine } from '../../src/archive/forms.ts';
import { orderLine } from '../../src/archive/line.ts';
import { RestatementHistory } from '../../src/archive/restatement.ts';

const zone = 'Europe/Paris';

interface Fetch {
  readonly day: string;
  readonly ageDays: number;
  readonly downloads: number;
  readonly file?: string;
}

const order = orderLine(
  {
    request: {
      profile: 'buyer',
      metrics: ['downloads'],
      breakdowns: ['DAILY'],
      filters: {},
      columns: null,
    },
    format: { name: 'csv' },
    timezone: zone,
    account: 'work',
    service: 'https://reports.example.com/',
    windowClock: 'instant',
  },
  { output: '{date}.csv', split: 'day', period: 'yesterday', lookback: 0 },
  { atMs: 0, version: '0.3.0' },
);

/** The line of a day's report that was created at six in the morning, so many days after it. */
function lineOf({ day, ageDays, downloads, file = `${day}.csv` }: Fetch): FileLine {
  const since = DateTime.fromISO(day, { zone });
  const created = since.plus({ days: ageDays, hours: 6 }).toUTC().toISO() ?? '';
  return {
    order: order.order,
    file,
    since: since.toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ"),
    until: since.endOf('day').toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ"),
    created,
    fetched: created,
    report: null,
    rows: 1,
    bytes: 1,
    sha256: '',
    totals: { downloads: String(downloads) },
    warnings: [],
  };
}

/**
 * A daily cron line with a lookback, over days whose figures grow until `settledAfter` days after
 * them.
 */
function simulate({ settledAfter, lookback }: { settledAfter: number; lookback: number }) {
  const history = new RestatementHistory();
  for (let index = 0; index < 60; index++) {
    const day = DateTime.fromISO('2026-03-01').plus({ days: index }).toISODate() ?? '';
    for (let ageDays = 1; ageDays <= lookback; ageDays++) {
      const downloads = 1_000 + 20 * Math.min(ageDays, settledAfter);
      history.observe(lineOf({ day, ageDays, downloads }), order);
    }
  }
  return history;
}

for (let settledAfter = 2; settledAfter <= 9; settledAfter++) {
  test(`figures that move for ${settledAfter} days are advised a lookback of ${settledAfter - 1}`, () => {
    const { advice } = simulate({ settledAfter, lookback: 12 });

    // Yesterday's report has the age 1, and is created before a day more is over.
    expect(advice.lookback).toBe(settledAfter - 1);
    expect(advice.settledAfterDays).toBe(settledAfter);
    expect(advice.sentence).toContain(`--lookback ${settledAfter - 1} is enough`);
  });

  test(`nothing is advised where figures that move for ${settledAfter} days were fetched no longer`, () => {
    const { advice } = simulate({ settledAfter, lookback: settledAfter });

    expect(advice).toEqual({});
  });
}

test('what was never fetched again tells nothing', () => {
  const history = new RestatementHistory();
  history.observe(lineOf({ day: '2026-03-01', ageDays: 1, downloads: 5 }), order);

  expect(history.ages).toEqual([]);
  expect(history.advice.lookback).toBeUndefined();
});

test('few files tell nothing for sure, whether they moved or not', () => {
  const history = new RestatementHistory();
  history.observe(lineOf({ day: '2026-03-01', ageDays: 1, downloads: 100 }), order);
  history.observe(lineOf({ day: '2026-03-01', ageDays: 2, downloads: 100 }), order);
  expect(history.advice).toEqual({});

  history.observe(lineOf({ day: '2026-03-02', ageDays: 1, downloads: 100 }), order);
  history.observe(lineOf({ day: '2026-03-02', ageDays: 2, downloads: 120 }), order);
  expect(history.advice).toEqual({});
});

test('a day that was not over yet is no earlier state of the whole day', () => {
  const history = new RestatementHistory();
  history.observe(lineOf({ day: '2026-03-01', ageDays: 0, downloads: 5 }), order);
  history.observe(lineOf({ day: '2026-03-01', ageDays: 1, downloads: 50 }), order);

  expect(history.ages).toEqual([]);
});

test('the mean and the most of each age are told', () => {
  const history = new RestatementHistory();
  const days = [
    { day: '2026-03-01', after: 1_010 },
    { day: '2026-03-02', after: 1_030 },
  ];
  for (const { day, after } of days) {
    history.observe(lineOf({ day, ageDays: 1, downloads: 1_000 }), order);
    history.observe(lineOf({ day, ageDays: 2, downloads: after }), order);
  }

  const [age] = history.ages;
  expect(age?.ageDays).toBe(2);
  expect(age?.refetched).toBe(2);
  expect(age?.movements.downloads?.mean).toBeCloseTo(0.02);
  expect(age?.movements.downloads?.most).toBeCloseTo(0.03);
});

test('an age counts days of the report, over a clock change too', () => {
  for (const { day, ageDays } of [
    { day: '2026-10-24', ageDays: 2 },
    { day: '2026-10-25', ageDays: 2 },
    { day: '2026-03-28', ageDays: 3 },
  ]) {
    const history = new RestatementHistory();
    history.observe(lineOf({ day, ageDays: 1, downloads: 1 }), order);
    history.observe(lineOf({ day, ageDays, downloads: 2 }), order);
    expect(history.ages.map((age) => age.ageDays)).toEqual([ageDays]);
  }
});
