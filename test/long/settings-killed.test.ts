import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/config/store.ts';
import { bundleScript } from '../support/bundle.ts';

const kills = 200;
const writersAtATime = 4;

/** Stores one account after the other, and says the name of each that is stored. */
const writer = `
  import { writeSync } from 'node:fs';
  import { openStore } from './src/config/store.ts';
  const store = openStore({ env: process.env, warn: () => {}, wallClock: Date.now });
  for (let i = 0; i < 1_000; i += 1) {
    const name = process.pid + '-' + i;
    await store.saveAccount(name, { baseUrl: 'https://x.example' });
    writeSync(1, name + '\\n');
  }
`;

test(`${kills} writers killed at random moments: the file is always whole, and what was stored stays`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'adreport-killed-'));
  const env = { ...process.env, ADREPORT_CONFIG_DIR: join(folder, 'settings') };
  const script = bundleScript(writer);
  const writers = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of writers) child.kill('SIGKILL');
    script.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const store = openStore({ env, warn: () => {}, wallClock: Date.now });
  const stored = new Set<string>();

  const runOne = async (): Promise<void> => {
    const child = spawn(process.execPath, [script.file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    writers.add(child);
    const exit = once(child, 'exit');
    // Killed after some of its lines, at a moment that differs each time.
    let left = 1 + Math.floor(Math.random() * 4);
    for await (const name of createInterface({ input: child.stdout })) {
      stored.add(name);
      left -= 1;
      if (left === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 10);
      expect(store.read().accounts[name]).toBeDefined();
    }
    expect((await exit)[1]).toBe('SIGKILL');
    writers.delete(child);
  };

  let started = 0;
  const lane = async (): Promise<void> => {
    while (started < kills) {
      started += 1;
      await runOne();
    }
  };
  await Promise.all(Array.from({ length: writersAtATime }, lane));

  await store.saveAccount('last', { baseUrl: 'https://x.example' });
  const { accounts } = store.read();
  for (const name of stored) expect(accounts[name]).toBeDefined();
  expect(stored.size).toBeGreaterThanOrEqual(kills);
  expect(readdirSync(store.directory)).toEqual(['settings.json']);
});
