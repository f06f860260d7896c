import { expect } from 'vitest';
import type { BookLine } from '../../src/report/book-line.ts';
import { serveForTest } from './service.ts';

/** A daily cron line, and how the days that it fetches are restated. */
interface CronNights {
  readonly nights: number;
  /** The figures of a day are complete after so many days. */
  readonly restateDays: number;
  readonly lookback: number;
}

const dayMs = 86_400_000;

/** Runs one cron line night after night, at five in the morning in Paris, and tells what became of its folder. */
async function runNights({ nights, restateDays, lookback }: CronNights) {
  const firstNight = Date.UTC(2026, 8, 1, 3);
  const lastNight = firstNight + (nights - 1) * dayMs;
  const windowDays = restateDays + 4;
  let nowMs = firstNight;
  const { run } = await serveForTest({ delayMs: 0, restateDays, clock: () => nowMs });
  const request = '--by CAMPAIGN --metrics displays,downloads,revenueEuro --split day -q';

  for (let night = 0; night < nights; night += 1) {
    nowMs = firstNight + night * dayMs;
    const line = `run --period last-${windowDays}d ${request} --missing --lookback ${lookback} -o data/{date}.csv`;
    const { exitCode, stderr } = await run(line, { now: nowMs });
    expect(exitCode, stderr).toBe(0);
  }

  const { exitCode, stdout, files, books } = await run('check data --json', { now: nowMs });
  expect(exitCode, stdout).toBe(0);
  const { restatement } = JSON.parse(stdout);

  const bookLines: BookLine[] = [];
  for (const text of (books['data/_adreport.ndjson'] ?? '').trimEnd().split('\n')) {
    bookLines.push(JSON.parse(text));
  }
  /** The days that differ from what a fresh run fetches once nothing moves any more. */
  async function findWrongDays(): Promise<string[]> {
    const period = `${localDay(firstNight - windowDays * dayMs)}..${localDay(lastNight - dayMs)}`;
    nowMs = lastNight + 60 * dayMs;
    const fresh = await run(`run --period ${period} ${request} -o fresh/{date}.csv`, {
      now: nowMs,
    });
    expect(fresh.exitCode, fresh.stderr).toBe(0);

    // Days that were still moving on the last night are nobody's miss.
    const settledUntil = localDay(lastNight - Math.max(1, restateDays) * dayMs);
    const wrongDays: string[] = [];
    for (const [name, text] of Object.entries(files)) {
      const day = /(\d{4}-\d\d-\d\d)\.csv$/.exec(name)?.[1] ?? '';
      const isSame = fresh.files[`fresh/${day}.csv`] === text;
      if (day <= settledUntil && !isSame) wrongDays.push(day);
    }
    return wrongDays;
  }

  return { lines: bookLines, advice: restatement[0], findWrongDays };
}

/** The date in Paris of a time at night, which is that of UTC. */
function localDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** For each metric the sum of the first totals of all files, of what changed, and of the last totals: in hundredths. */
function sumsOf(lines: readonly BookLine[]) {
  const first = new Map<string, bigint>();
  const changed = new Map<string, bigint>();
  const last = new Map<string, bigint>();
  const totalsByFile = new Map<string, BookLine['totals']>();

  for (const { file, totals, changed: changes = {} } of lines) {
    for (const [metric, [before, after]] of Object.entries(changes)) {
      add(changed, metric, hundredths(after) - hundredths(before));
    }
    if (!totalsByFile.has(file)) addTotals(first, totals);
    totalsByFile.set(file, totals);
  }
  for (const totals of totalsByFile.values()) addTotals(last, totals);
  return { first, changed, last };
}

function addTotals(sums: Map<string, bigint>, totals: BookLine['totals']): void {
  for (const [metric, value] of Object.entries(totals)) add(sums, metric, hundredths(value));
}

function add(sums: Map<string, bigint>, metric: string, value: bigint): void {
  sums.set(metric, (sums.get(metric) ?? 0n) + value);
}

/** A decimal number of at most two digits behind the point, exactly. */
function hundredths(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  expect(fraction.length).toBeLessThanOrEqual(2);
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** Holds a cron line to what it promises: exact books, and an advice that is enough and no more than that. */
export async function expectGoodAdvice(nights: number, restateDays: number): Promise<void> {
  const { lines, advice } = await runNights({ nights, restateDays, lookback: restateDays + 3 });

  const { first, changed, last } = sumsOf(lines);
  expect([...last.keys()].sort()).toEqual(['displays', 'downloads', 'revenueEuro']);
  for (const [metric, sum] of last) {
    expect((first.get(metric) ?? 0n) + (changed.get(metric) ?? 0n), metric).toBe(sum);
  }
  expect(changed.has('downloads')).toBe(restateDays > 1);

  // What is restated for one day is complete when it is fetched for the first time, in the night after.
  const needed = restateDays > 1 ? restateDays : 0;
  expect(advice.lookback, advice.sentence).toBe(needed);
  const advised = await runNights({ nights, restateDays, lookback: needed });
  expect(await advised.findWrongDays()).toEqual([]);
  if (needed === 0) return;

  const less = await runNights({ nights, restateDays, lookback: needed - 1 });
  expect(await less.findWrongDays()).not.toEqual([]);
}
