import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalServer } from '../../src/server/start.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

/** A month of one cron line, through all that can happen to it. */

const hourMs = 3_600_000;
const firstNightMs = Date.UTC(2025, 9, 11, 4);
const nights = 32;

const line = 'run --period last-10d --by CAMPAIGN --split day --missing --lookback 3 -o data/date={date}/part.csv';

/** What goes wrong, by night. */
const troubles: Readonly<Record<number, readonly string[]>> = {
  3: ['buyer:503:times=2'],
  // Longer than the lookback, over the days that are still being restated.
  6: ['*:503'],
  7: ['*:reset'],
  8: ['auth:500', '*:unauthorized'],
  9: ['*:503'],
  12: ['status:failed:times=1', 'status:expired:times=1:after=2'],
  // The night after the clocks went back.
  16: ['download:truncate:bytes=200:times=1'],
  17: ['download:garbage:times=9'],
  20: ['status:stuck:times=1'],
  23: ['buyer:unauthorized:times=1'],
  26: ['buyer:429:retry-after=2:times=1'],
};

test('a month of nightly runs, with outages, restated days and a clock change, ends with every file as fetched anew', async () => {
  let nowMs = firstNightMs;
  const server = await startLocalServer({ clock: () => nowMs, delayMs: 5_000, restateDays: 3, tokenTtlMs: 2 * hourMs });
  onTestFinished(() => server.close());
  const cwd = temporaryFolder();
  const [account] = server.accounts;
  const { email, password } = account ?? {};
  const env = { ADREPORT_BASE_URL: server.url, ADREPORT_EMAIL: email, ADREPORT_PASSWORD: password };
  const writtenAtMs = new Map<string, number>();
  const run = (argv: string) =>
    runCli(argv, { cwd, env, now: nowMs, onSleep: (durationMs) => void server.advance(durationMs) });

  const exitCodes: number[] = [];
  for (let night = 0; night < nights; night++) {
    for (const fault of troubles[night] ?? []) server.fault(fault);
    exitCodes.push((await run(line)).exitCode);
    server.clearFaults();
    dateNewFiles(join(cwd, 'data'), writtenAtMs, nowMs);
    nowMs += 24 * hourMs;
  }
  expect(exitCodes.filter((code) => code !== 0).length).toBeGreaterThanOrEqual(6);
  expect(exitCodes.slice(-4)).toEqual([0, 0, 0, 0]);

  nowMs -= 24 * hourMs;
  const kept = filesUnder(join(cwd, 'data'));
  expect(kept).toHaveLength(nights + 9);
  const fresh = await run('run --period 2025-10-01..2025-11-10 --by CAMPAIGN --split day --fresh -o fresh/{date}.csv');
  expect(fresh.exitCode).toBe(0);
  for (const name of kept) {
    const day = /date=(.*)\//.exec(name)?.[1];
    expect(fresh.files[join('data', name)], `${day}`).toBe(fresh.files[`fresh/${day}.csv`]);
  }
  // The day of 25 hours among them.
  expect(kept).toContain('date=2025-10-26/part.csv');
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.csv'));
}

/** Dates the files that were written this night by the clock of the test. */
function dateNewFiles(folder: string, writtenAtMs: Map<string, number>, nowMs: number): void {
  for (const name of filesUnder(folder)) {
    const path = join(folder, name);
    if (statSync(path).mtimeMs === writtenAtMs.get(name)) continue;
    utimesSync(path, nowMs / 1_000, nowMs / 1_000);
    writtenAtMs.set(name, statSync(path).mtimeMs);
  }
}
