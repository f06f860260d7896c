import * as fc from 'fast-check';
import { expect } from 'vitest';
import { type FolderSpec, type History, specLine } from '../../src/folder/history.ts';
import { unitsInRange } from '../../src/folder/range.ts';
import { seriesOf } from '../../src/folder/series.ts';
import { windowOf } from '../../src/report/spec-window.ts';

// The rule of a folder on the numbers of days, without the program's code, on random runs.

/** A run on a day; `brings` is true if it downloads the days of its window. */
interface Run {
  readonly kind: 'since' | 'last' | 'once';
  readonly at: number;

  /** The days before `at` with which the window begins, and for `once` its length. */
  readonly back: number;
  readonly length: number;
  readonly content: 'displays' | 'clicks';
  readonly brings: boolean;
}

const run = fc.record({
  kind: fc.constantFrom<Run['kind']>('since', 'last', 'once'),
  back: fc.integer({ min: 2, max: 40 }),
  length: fc.integer({ min: 1, max: 20 }),
  content: fc.constantFrom<Run['content']>('displays', 'displays', 'clicks'),
  brings: fc.boolean(),
  nights: fc.integer({ min: 0, max: 15 }),
});

/** Random runs in time order, and the day of the check. */
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

type Days = readonly [first: number, last: number];

/** The days of a window when it runs. */
function daysOf({ kind, at, back, length }: Run): Days {
  return kind === 'once' ? [at - back, Math.min(at - 1, at - back + length)] : [at - back, at - 1];
}

/** The rule: what the standing job says, and what other runs brought. */
function expectedDays(runs: readonly Run[], today: number): number[] {
  const files = new Set<number>();
  for (const one of runs) if (one.brings) addDays(files, daysOf(one));

  const days = new Set<number>();
  const standing = runs.filter(({ kind }) => kind !== 'once');
  const job = standing.at(-1);
  const first = standing.find(({ content }) => content === job?.content);
  if (job && first) {
    const begin = job.kind === 'since' ? job.at - job.back : first.at - job.back;
    addDays(days, [begin, today - 1]);
  }
  for (const other of runs.filter(({ kind }) => kind === 'once')) {
    const [from, to] = daysOf(other);
    const hasFile = [...files].some((day) => from <= day && day <= to);
    if (hasFile || other === runs.at(-1)) addDays(days, [from, to]);
  }
  return [...days].sort((one, other) => one - other);
}

function addDays(days: Set<number>, [first, last]: Days): void {
  for (let day = first; day <= last; day += 1) days.add(day);
}

/** Expects that the program and the rule agree on the days that a folder should hold. */
export function expectSameRange(runs: readonly Run[], silentDays: number): void {
  const today = (runs.at(-1)?.at ?? 0) + silentDays;
  const specs = runs.map(lineOf);
  const files = new Map<string, unknown>();
  for (const [index, one] of runs.entries()) {
    const brought = new Set<number>();
    if (one.brings) addDays(brought, daysOf(one));
    for (const day of brought) {
      const since = `${dayText(day)}T00:00:00Z`;
      files.set(`${dayText(day)}.csv`, [{ line: { since }, own: specs[index] }]);
    }
  }

  const sources = [{ name: '_adreport.ndjson', skippedLines: [], specs }];
  const history = { folder: '/data', sources, files } as unknown as History;
  const now = today * 86_400 + 5 * 3_600;
  const [series] = seriesOf(history, now);
  const days = series ? unitsInRange(series, now).map(({ since }) => since) : [];
  expect(days).toEqual(expectedDays(runs, today).map(dayText));
}

/** The spec line of a run at five in the morning. */
function lineOf(one: Run) {
  const [first, last] = daysOf(one);
  const windows = {
    since: { since: dayText(first), until: 'yesterday', missing: true },
    last: { period: `last-${one.back}d`, missing: true },
    once: { period: `${dayText(first)}..${dayText(last)}` },
  };
  const spec: FolderSpec = {
    request: { profile: 'dsp', metrics: [one.content], breakdowns: [] },
    format: { name: 'csv' },
    timezone: 'UTC',
    output: '{date}.csv',
    split: 'day',
    ...windows[one.kind],
  };
  const at = one.at * 86_400 + 5 * 3_600;
  const window = windowOf(spec, at * 1_000);
  if (!window) throw new Error('The window is invalid.');
  return specLine(spec, { at, window });
}

function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
