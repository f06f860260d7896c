import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileState } from '../../src/folder/disk.ts';
import { finality } from '../../src/folder/finality.ts';
import { checkFiles } from '../../src/folder/folder-check.ts';
import {
  type FileEntry,
  type FolderSpec,
  type History,
  type SpecLine,
  specLine,
} from '../../src/folder/history.ts';
import { FileNames, seriesOf } from '../../src/folder/series.ts';
import { windowOf } from '../../src/folder/spec-window.ts';
import { folderUnitsIn } from '../../src/folder/units.ts';
import { formatInstant } from '../../src/query/calendar.ts';

const daySeconds = 86_400;
const sha256 = 'a'.repeat(64);

/** Cron jobs whose window covers all days since the last run; `longest` is the maximum lookback. */
const jobs = [
  { split: 'day', window: { period: 'last-7d' }, everyDays: 1, longest: 5 },
  { split: 'day', window: { period: 'yesterday' }, everyDays: 1, longest: 0 },
  { split: 'day', window: { since: '-30d', until: 'yesterday' }, everyDays: 1, longest: 5 },
  { split: 'day', window: { since: '2025-01-01' }, everyDays: 1, longest: 5 },
  { split: 'day', window: { period: 'last-7d' }, everyDays: 5, longest: 0 },
  { split: 'week', window: { period: 'last-4w' }, everyDays: 1, longest: 3 },
  { split: 'week', window: { period: 'last-4w' }, everyDays: 7, longest: 2 },
  { split: 'month', window: { period: 'last-quarter' }, everyDays: 1, longest: 2 },
] as const;

const stories = fc.record({
  job: fc.constantFrom(...jobs),
  zone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
  lookback: fc.integer({ min: 0, max: 5 }),
  // Any minute in three years.
  first: fc.integer({ min: 0, max: 3 * 365 * 1_440 }),
  runs: fc.integer({ min: 1, max: 15 }),
  // A job may start a little late.
  delays: fc.array(fc.integer({ min: 0, max: 1_200 }), { minLength: 40, maxLength: 40 }),

  /** The time of the check, as a fraction of the time between runs. */
  checkedAt: fc.double({ min: 0, max: 0.99, noNaN: true }),
});

/** A folder in memory, with a history as runs write it. */
function emptyFolder(spec: FolderSpec, at: number) {
  const begin = windowOf(spec, at * 1_000);
  if (!begin) throw new Error('The window is invalid.');
  const line: SpecLine = specLine(spec, { at, window: begin });
  const names = new FileNames(spec.output);
  const files = new Map<string, FileEntry[]>();
  const source = { name: '_adreport.ndjson', skippedLines: [], specs: [line] };
  const history: History = { folder: '/data', sources: [source], files };

  /** Downloads the units of the window that are not final, like `--missing`. */
  function run(now: number): void {
    const window = windowOf(spec, now * 1_000);
    if (!window) throw new Error('The window is invalid.');

    for (const unit of folderUnitsIn(window, spec.split)) {
      const file = names.nameFor(unit);
      const entries = files.get(file) ?? [];
      const last = entries.at(-1);
      const isDue = !last || finality(last, unit, { spec, now }).state !== 'final';
      if (unit.start > now || !isDue) continue;

      const created = new Date(now * 1_000).toISOString();
      const until = Math.min(unit.over - 1, window.until);
      const entry: FileEntry = {
        line: {
          spec: line.id,
          file,
          since: formatInstant(unit.start, spec.timezone),
          until: formatInstant(until, spec.timezone),
          created,
          fetched: created,
          report: null,
          rows: 1,
          bytes: 1,
          sha256,
          totals: {},
          warnings: [],
        },
        own: line,
        source: source.name,
      };
      files.set(file, [...entries, entry]);
    }
  }

  function check(now: number): string[] {
    const onDisk = new Map<string, FileState>();
    for (const name of files.keys()) onDisk.set(name, { kind: 'file', bytes: 1, sha256 });
    const listing = { names: [...files.keys()], closed: new Map() };
    const allSeries = seriesOf(history, now);
    const facts = { history, allSeries, onDisk, listing, windowOf: () => undefined, now };
    const { problems } = checkFiles(facts);
    return problems.map(({ message }) => message);
  }
  return { run, check };
}

test('a folder filled by a cron job has no problems, in any time zone, at any time', () => {
  fc.assert(
    fc.property(stories, ({ job, zone, lookback, first, runs, delays, checkedAt }) => {
      const { split, window, everyDays, longest } = job;
      const spec: FolderSpec = {
        request: { profile: 'dsp', metrics: ['displays'], breakdowns: [] },
        format: { name: 'csv' },
        timezone: zone,
        output: '{date}.csv',
        split,
        ...window,
        missing: true,
        lookback: Math.min(lookback, longest),
      };
      let now = Date.UTC(2025, 0, 3) / 1_000 + first * 60;
      // A run delayed past midnight would download another day.
      const hour = Number(formatInstant(now, zone).slice(11, 13));
      fc.pre(hour >= 2 && hour < 22);

      const folder = emptyFolder(spec, now);
      for (let index = 0; index < runs; index += 1) {
        if (index > 0) now += everyDays * daySeconds;
        folder.run(now + (delays[index] ?? 0));
      }

      const last = now + (delays[runs - 1] ?? 0);
      const checkedTime = Math.floor(last + checkedAt * everyDays * daySeconds);
      // A job that does not run every day leaves problems between its runs.
      const isQuiet = split !== 'day' || everyDays === 1;
      if (isQuiet) expect(folder.check(checkedTime)).toEqual([]);
      expect(folder.check(last)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
