import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalServer } from '../../src/server/start.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { launcher } from '../support/spawn-cli.ts';

const kills = 200;
const lanes = 2;
const oldText = 'the old file';

test(`${kills} kill -9 at random moments: the target is the old file or the new one`, async () => {
  const server = await startLocalServer({ delayMs: 0, faults: ['download:slow:rate=500kb'] });
  onTestFinished(() => server.close());
  const running = new Set<ReturnType<typeof spawn>>();
  onTestFinished(() => {
    for (const child of running) child.kill('SIGKILL');
  });
  const seen = { old: 0, new: 0, halfWritten: 0 };

  function start(folder: string) {
    const argv = ['run', '--fresh', '--period', '2026-10', '--by', 'HOURLY,CAMPAIGN,COUNTRY', '-o', 'report.csv', '-q'];
    const env = { PATH: process.env.PATH, ADREPORT_CONFIG_DIR: join(folder, '.config') };
    const child = spawn(process.execPath, [launcher, ...argv], {
      cwd: folder,
      env: { ...env, ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: server.accounts[0]?.token },
      stdio: 'ignore',
    });
    running.add(child);
    child.on('exit', () => running.delete(child));
    return child;
  }

  const read = (folder: string): string => readFileSync(join(folder, 'report.csv'), 'utf8');
  const filesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name !== '.config');

  const first = temporaryFolder();
  const startedMs = performance.now();
  expect(await once(start(first), 'exit')).toEqual([0, null]);
  const runMs = performance.now() - startedMs;
  const whole = read(first);
  expect(whole.length).toBeGreaterThan(1_000_000);

  let left = kills;
  async function lane(): Promise<void> {
    const folder = temporaryFolder();
    while (left > 0) {
      left -= 1;
      writeFileSync(join(folder, 'report.csv'), oldText);
      const child = start(folder);
      const exit = once(child, 'exit');
      const timer = setTimeout(() => child.kill('SIGKILL'), runMs * (0.2 + 1.1 * Math.random()));
      const [, signal] = await exit;
      clearTimeout(timer);
      // One that was quicker does not count.
      if (signal !== 'SIGKILL') left += 1;
      const text = read(folder);
      expect([oldText, whole]).toContain(text);
      seen[text === oldText ? 'old' : 'new'] += 1;
      // What the killed run before has left is gone with this one: at most this one's own is there.
      const leftovers = filesIn(folder).filter((name) => name !== 'report.csv');
      expect(leftovers.length).toBeLessThanOrEqual(2);
      seen.halfWritten += leftovers.length;
    }
    await once(start(folder), 'exit');
    expect(filesIn(folder)).toEqual(['report.csv']);
    expect(read(folder)).toBe(whole);
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  console.log(`After ${kills} kills: ${JSON.stringify(seen)}`);
  expect(seen.halfWritten).toBeGreaterThan(kills / 20);
});
