import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BookedFile } from '../../src/archive/book.ts';
import { judgeFolder } from '../../src/archive/check.ts';
import type { FileLine } from '../../src/archive/forms.ts';
import { orderLine } from '../../src/archive/line.ts';
import { FileNames, timesOf, unitOfLine } from '../../src/archive/series.ts';
import type { Standing } from '../../src/archive/standing.ts';
import { formatInstant, splitWindow } from '../../src/report/window.ts';
import { resolveWindow } from '../../src/report/window-flags.ts';

const daySeconds = 86_400;
const hash = 'a'.repeat(64);

/** A cron line, each with the period that holds what came since its run before. */
const jobs = [
  { split: 'day', period: 'last-7d', everyDays: 1 },
  { split: 'day', period: 'yesterday', everyDays: 1 },
  { split: 'day', period: 'this-month', everyDays: 1 },
  { split: 'day', period: 'last-week', everyDays: 7 },
  { split: 'week', period: 'last-4w', everyDays: 1 },
  { split: 'week', period: 'last-4w', everyDays: 7 },
  { split: 'month', period: 'last-quarter', everyDays: 1 },
] as const;

const stories = fc.record({
  job: fc.constantFrom(...jobs),
  zone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
  lookback: fc.integer({ min: 0, max: 4 }),
  // Any minute of three years.
  first: fc.integer({ min: 0, max: 3 * 365 * 1_440 }),
  // One run alone tells no rhythm: the day that it had begun is early once that is over.
  runs: fc.integer({ min: 2, max: 15 }),
  // A job comes a little later at times.
  delays: fc.array(fc.integer({ min: 0, max: 1_200 }), { minLength: 40, maxLength: 40 }),

  /** When it is checked, as a share of the time to the next run. */
  checkedAt: fc.double({ min: 0, max: 0.99, noNaN: true }),
});

test('a folder that a cron line keeps is never complained of, in any zone, at any time of any month', () => {
  fc.assert(
    fc.property(stories, ({ job, zone, lookback, first, runs, delays, checkedAt }) => {
      const { split, period, everyDays } = job;
      const order = orderLine(
        {
          request: {
            profile: 'dsp',
            metrics: ['displays'],
            breakdowns: [],
            filters: {},
            columns: null,
          },
          format: { name: 'csv' },
          timezone: zone,
          account: 'work',
          service: 'https://reports.example.com/',
          windowClock: 'instant',
        },
        { output: '{date}.csv', split, period, lookback },
        { atMs: 0, version: '0.3.0' },
      );
      const names = new FileNames(order.output);
      const files = new Map<string, BookedFile[]>();

      /** Fetches what the window has and is not final, as `--missing` does. */
      function run(now: number): void {
        const window = resolveWindow({ period, zone, nowMs: now * 1_000 });
        const wanted = splitWindow(window, split).map(({ unitSince }) => unitSince);
        for (const lines of files.values()) {
          const line = lines.at(-1)?.line;
          if (line) wanted.push(Date.parse(line.since) / 1_000);
        }

        for (const since of new Set(wanted)) {
          const line: FileLine = {
            order: order.order,
            file: '',
            since: formatInstant(since, zone),
            until: formatInstant(since, zone),
            created: new Date(now * 1_000).toISOString(),
            fetched: new Date(now * 1_000).toISOString(),
            report: null,
            rows: 1,
            bytes: 1,
            sha256: hash,
            totals: {},
            warnings: [],
          };
          const unit = unitOfLine(line, order);
          if (!unit) throw new Error('Each file has a unit.');

          const file = names.of(unit);
          const lines = files.get(file) ?? [];
          const before = lines.at(-1)?.line;
          const { final } = timesOf(unit, order, { lookback });
          if (before && Date.parse(before.created) / 1_000 >= final) continue;
          files.set(file, [...lines, { line: { ...line, file }, book: '_adreport.ndjson' }]);
        }
      }

      let now = Date.UTC(2025, 0, 1) / 1_000 + first * 60;
      // A run that slips over midnight means another yesterday: that folder has a gap.
      const hour = Number(formatInstant(now, zone).slice(11, 13));
      fc.pre(hour >= 2 && hour < 22);
      for (let index = 0; index < runs; index += 1) {
        if (index > 0) now += everyDays * daySeconds;
        run(now + (delays[index] ?? 0));
      }

      const standings = new Map<string, Standing>();
      for (const file of files.keys())
        standings.set(file, { kind: 'file', bytes: 1, sha256: hash });
      const orders = new Map([[order.order, order]]);
      const byOutput = new Map([[order.output, order]]);
      const last = now + (delays[runs - 1] ?? 0);
      const { findings } = judgeFolder({
        books: {
          folder: '/data',
          facts: [],
          orders,
          newestOrders: byOutput,
          lastOrders: new Map(),
          files,
        },
        standings,
        closedFolders: new Map(),
        now: Math.floor(last + checkedAt * everyDays * daySeconds),
      });
      expect(findings.map(({ said }) => said)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
