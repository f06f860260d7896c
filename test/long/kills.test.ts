import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/config/store.ts';
import { startLocalServer } from '../../src/server/start.ts';
import { bundleScript } from '../support/bundle.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { launcher } from '../support/spawn-cli.ts';

const kills = 100;
const running = new Set<ChildProcess>();

/** Starts a program of Node, which does not outlive its test. */
function start(argv: readonly string[], cwd: string, env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout?.resume();
  running.add(child.on('exit', () => running.delete(child)));
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Whether a program was killed at a moment within so many milliseconds; otherwise it was quicker. */
async function killWithin(child: ChildProcess, firstMs: number, lastMs: number): Promise<boolean> {
  const exit = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), firstMs + (lastMs - firstMs) * Math.random());
  const [, signal] = await exit;
  clearTimeout(timer);
  return signal === 'SIGKILL';
}

test(`${kills} kill -9 at random moments: the target is the old file or the new one`, async () => {
  const server = await startLocalServer({ delayMs: 0, faults: ['download:slow:rate=500kb'] });
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  const env = {
    PATH: process.env.PATH,
    ADREPORT_CONFIG_DIR: join(folder, '.config'),
    ADREPORT_BASE_URL: server.url,
    ADREPORT_TOKEN: server.accounts[0]?.token,
  };
  const argv = ['run', '--fresh', '--period', '2026-10', '--by', 'HOURLY,CAMPAIGN,COUNTRY', '-o', 'report.csv', '-q'];
  const run = (): ChildProcess => start([launcher, ...argv], folder, env);
  const read = (): string => readFileSync(join(folder, 'report.csv'), 'utf8');
  const others = (): string[] => readdirSync(folder).filter((name) => !['.config', 'report.csv'].includes(name));

  const startedMs = performance.now();
  expect(await once(run(), 'exit')).toEqual([0, null]);
  const runMs = performance.now() - startedMs;
  const whole = read();
  expect(whole.length).toBeGreaterThan(500_000);
  let halfWritten = 0;
  for (let left = kills; left > 0; ) {
    writeFileSync(join(folder, 'report.csv'), 'the old file');
    if (await killWithin(run(), 0.2 * runMs, 1.3 * runMs)) left -= 1;
    expect(['the old file', whole]).toContain(read());
    // What the killed run before has left is gone with this one.
    expect(others().length).toBeLessThanOrEqual(2);
    halfWritten += others().length;
  }
  await once(run(), 'exit');
  expect([read(), others()]).toEqual([whole, []]);
  expect(halfWritten).toBeGreaterThan(kills / 20);
});

test(`${kills} writers of settings killed: the file is always whole, and what was stored stays`, async () => {
  const env = { ...process.env, ADREPORT_CONFIG_DIR: join(temporaryFolder(), 'settings') };
  const script = bundleScript(`
    import { writeSync } from 'node:fs';
    import { openStore, withAccount } from './src/config/store.ts';
    const store = openStore(process.env, () => {});
    for (let i = 0; i < 1_000; i += 1) {
      await store.update((settings) => withAccount(settings, process.pid + '-' + i, { baseUrl: 'https://x.example' }));
      writeSync(1, process.pid + '-' + i + '\\n');
    }
  `);
  onTestFinished(script.remove);
  let stored = '';
  for (let left = kills; left > 0; left -= 1) {
    const child = start([script.file], process.cwd(), env);
    child.stdout?.on('data', (piece) => {
      stored += piece;
    });
    // Killed after some of its lines, at a moment that differs each time.
    if (child.stdout) await once(child.stdout, 'data');
    expect(await killWithin(child, 0, 30)).toBe(true);
    const { accounts } = await openStore(env, () => {}).read();
    const names = stored.split('\n').filter((name) => /^\d+-\d+$/.test(name));
    expect(names.filter((name) => !Object.hasOwn(accounts, name))).toEqual([]);
  }
  expect(stored.length).toBeGreaterThan(kills);
});
