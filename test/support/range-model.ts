import * as fc from 'fast-check';
import { expect } from 'vitest';
import {
  type FolderSpec,
  type History,
  type SpecLine,
  specLine,
} from '../../src/folder/history.ts';
import { unitsInRange } from '../../src/folder/range.ts';
import { seriesOf } from '../../src/folder/series.ts';
import { windowOf } from '../../src/folder/spec-window.ts';

// Which days a folder should have, as day numbers, without the program's code, for random runs.

interface Run {
  /** The first three are repeated with `--missing`; `rolling` is `last` without it. */
  readonly kind: 'since' | 'ago' | 'last' | 'rolling' | 'dates';

  /** Dates are those of a resumed run with `--missing`, or of a single day. */
  readonly missing: boolean;
  readonly at: number;

  /** Days before `at` with which the window begins; for `dates`, `length` limits it. */
  readonly back: number;
  readonly length: number;
  readonly content: 'displays' | 'clicks';

  /** Account that took the folder over; absent if the run did not know it. */
  readonly account?: 'own' | 'other' | undefined;

  /** Which of two machines ran: each downloads every other day. Absent for a single one. */
  readonly shard?: 0 | 1 | undefined;

  /** How many days of its window were downloaded before the service was down. */
  readonly downloads: number;
}

const run = fc.record({
  kind: fc.constantFrom<Run['kind']>('since', 'ago', 'last', 'rolling', 'dates', 'dates'),
  missing: fc.boolean(),
  back: fc.integer({ min: 2, max: 40 }),
  length: fc.constantFrom(0, 0, 1, 2, 5, 10, 20),
  content: fc.constantFrom<Run['content']>('displays', 'displays', 'displays', 'clicks'),
  account: fc.constantFrom<Run['account']>('own', 'own', 'other', undefined),
  shard: fc.constantFrom<Run['shard']>(undefined, undefined, 0, 1),
  downloads: fc.constantFrom(0, 0, 1, 3, 100, 100),
  nights: fc.integer({ min: 0, max: 15 }),
});

/** Random runs in time order, and the days from the last one to the check. */
export const runsOfFolder = fc.record({
  runs: fc.array(run, { minLength: 1, maxLength: 12 }).map((all): Run[] => {
    let at = 20_000;
    return all.map(({ nights, ...rest }) => {
      at += nights;
      return { ...rest, at };
    });
  }),
  silentDays: fc.integer({ min: 0, max: 60 }),
});

/** Returns the first and last day of a window when it runs. */
function windowDays({ kind, at, back, length }: Run): readonly [first: number, last: number] {
  return [at - back, kind === 'dates' ? Math.min(at - 1, at - back + length) : at - 1];
}

function downloadedDays(run: Run): number[] {
  const days = daysBetween(windowDays(run));
  const own = days.filter((day) => run.shard === undefined || day % 2 === run.shard);
  return own.slice(0, run.downloads);
}

function daysBetween([first, last]: readonly [number, number]): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Combines the days of the standing job and the days that other runs downloaded. */
function expectedDays(runs: readonly Run[], today: number): number[] {
  const files = runs.flatMap(downloadedDays);
  const days = new Set<number>();

  const standing = runs.filter(({ kind }) => kind !== 'rolling' && kind !== 'dates');
  const job = standing.at(-1);
  const first = standing.find((run) => job && isSameJob(run, job));
  if (job && first) {
    const counted = { since: job.at, ago: today, last: first.at };
    const begin = counted[job.kind as keyof typeof counted] - job.back;
    for (const day of daysBetween([begin, today - 1])) days.add(day);
  }

  for (const other of runs.filter((run) => !standing.includes(run))) {
    const [from, to] = windowDays(other);
    const hasFile = files.some((day) => from <= day && day <= to);
    if (!hasFile && other !== runs.at(-1)) continue;
    for (const day of daysBetween([from, to])) days.add(day);
  }
  return [...days].sort((one, other) => one - other);
}

function isSameJob(one: Run, other: Run): boolean {
  const areKnown = one.account !== undefined && other.account !== undefined;
  return one.content === other.content && (!areKnown || one.account === other.account);
}

/** Expects that the program and the rule agree on the days that a folder should have. */
export function expectSameRange(runs: readonly Run[], silentDays: number): void {
  const today = (runs.at(-1)?.at ?? 0) + silentDays;
  const now = today * 86_400 + 6 * 3_600;
  const [series] = seriesOf(historyAfter(runs), now);
  const units = series ? unitsInRange(series, now) : [];

  const days = expectedDays(runs, today);
  expect(units.map(({ since }) => since)).toEqual(days.map(formatDay));
  // A day is due once it has been over for one more day.
  const due = days.filter((day) => day <= today - 2);
  const dueUnits = units.filter(({ isExpected }) => isExpected);
  expect(dueUnits.map(({ since }) => since)).toEqual(due.map(formatDay));
}

/** Builds the history of these runs: a file for each machine. */
function historyAfter(runs: readonly Run[]): History {
  const specs = new Map<string, SpecLine[]>();
  const files = new Map<string, unknown>();
  for (const [index, run] of runs.entries()) {
    const line = lineOf(run, index);
    const source =
      run.shard === undefined ? '_adreport.ndjson' : `_adreport-${run.shard + 1}-of-2.ndjson`;
    specs.set(source, [...(specs.get(source) ?? []), line]);
    for (const day of downloadedDays(run).map(formatDay)) {
      files.set(`${day}.csv`, [{ line: { since: `${day}T00:00:00Z` }, own: line, source }]);
    }
  }

  const sources = [...specs].map(([name, specs]) => ({ name, skippedLines: [], specs }));
  return { folder: '/data', sources, files } as unknown as History;
}

/** Builds the spec line of a run some minutes after five in the morning. */
function lineOf(run: Run, minutes: number): SpecLine {
  const { kind, back, content, account } = run;
  const [first, last] = windowDays(run).map(formatDay);
  const windows = {
    since: { since: `${first}`, until: 'yesterday', missing: true },
    ago: { since: `-${back}d`, until: 'yesterday', missing: true },
    last: { period: `last-${back}d`, missing: true },
    rolling: { period: `last-${back}d` },
    dates: { period: `${first}..${last}`, ...(run.missing && { missing: true }) },
  };
  const spec: FolderSpec = {
    request: { profile: 'dsp', metrics: [content], breakdowns: [] },
    format: { name: 'csv' },
    timezone: 'UTC',
    output: '{date}.csv',
    split: 'day',
    ...(account !== undefined && { account }),
    ...windows[kind],
  };
  const at = run.at * 86_400 + 5 * 3_600 + minutes * 60;
  const window = windowOf(spec, at * 1_000);
  if (!window) throw new Error('The window is invalid.');
  return specLine(spec, { at, window });
}

function formatDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
