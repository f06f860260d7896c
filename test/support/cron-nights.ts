import { expect } from 'vitest';
import type { FileLine } from '../../src/archive/forms.ts';
import { serveForTest } from './service.ts';

/** A daily cron line, and how the days that it fetches are restated. */
interface CronNights {
  readonly nights: number;

  /** The figures of a day are complete after so many days. */
  readonly restateDays: number;
  readonly lookback: number;
}

const dayMs = 86_400_000;

/**
 * Runs one cron line night after night, at five in the morning in Paris, and tells what became of
 * its folder.
 */
async function runNights({ nights, restateDays, lookback }: CronNights) {
  const firstNight = Date.UTC(2026, 8, 1, 3);
  const lastNight = firstNight + (nights - 1) * dayMs;
  const windowDays = restateDays + 4;
  let nowMs = firstNight;
  const { run } = await serveForTest({
    delayMs: 0,
    // The server counts from the end of the day.
    restateDays: Math.max(0, restateDays - 1),
    clock: () => nowMs,
  });
  const request = '--by CAMPAIGN --metrics displays,downloads,revenueEuro --split day -q';

  for (let night = 0; night < nights; night += 1) {
    nowMs = firstNight + night * dayMs;
    const line = `run --period last-${windowDays}d ${request} --missing --lookback ${lookback} -o data/{date}.csv`;
    const { exitCode, stderr } = await run(line, { now: nowMs });
    expect(exitCode, stderr).toBe(0);
  }

  const { exitCode, stdout, files, books } = await run('check data --json', { now: nowMs });
  expect(exitCode, stdout).toBe(0);
  const [series] = JSON.parse(stdout).series;

  const bookLines: FileLine[] = [];
  for (const text of (books['data/_adreport.ndjson'] ?? '').trimEnd().split('\n')) {
    const line = JSON.parse(text);
    if ('file' in line) bookLines.push(line);
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
    const settledUntil = localDay(lastNight - (restateDays + 1) * dayMs);
    const wrongDays: string[] = [];
    for (const [name, text] of Object.entries(files)) {
      const day = /(\d{4}-\d\d-\d\d)\.csv$/.exec(name)?.[1] ?? '';
      const isSame = fresh.files[`fresh/${day}.csv`] === text;
      if (day <= settledUntil && !isSame) wrongDays.push(day);
    }
    return wrongDays;
  }

  return { lines: bookLines, advised: series.advisedLookback, findWrongDays };
}

/** The date in Paris of a time at night, which is that of UTC. */
function localDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Holds a cron line to what it promises: an advice that is enough and no more than that. */
export async function expectGoodAdvice(nights: number, restateDays: number): Promise<void> {
  const { lines, advised } = await runNights({ nights, restateDays, lookback: restateDays + 3 });
  expect(lines.length).toBeGreaterThan(nights);
  expect(advised).toBeGreaterThanOrEqual(0);

  const kept = await runNights({ nights, restateDays, lookback: advised });
  expect(await kept.findWrongDays()).toEqual([]);
  if (advised === 0) return;

  const less = await runNights({ nights, restateDays, lookback: advised - 1 });
  expect(await less.findWrongDays()).not.toEqual([]);
}
