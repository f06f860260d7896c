import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/config/store.ts';
import { bundleScript } from '../support/bundle.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const kills = 100;

/** Stores one account after the other, and says the name of each that is stored. */
const writer = `
  import { writeSync } from 'node:fs';
  import { openStore } from './src/config/store.ts';
  const store = await openStore({ env: process.env, warn: () => {}, wallClock: Date.now });
  for (let i = 0; i < 1_000; i += 1) {
    const name = process.pid + '-' + i;
    await store.saveAccount(name, { baseUrl: 'https://x.example' });
    writeSync(1, name + '\\n');
  }
`;

test(`${kills} writers killed at random moments: the file is always whole, and what was stored stays`, async () => {
  const env = { ...process.env, ADREPORT_CONFIG_DIR: temporaryFolder() };
  const script = bundleScript(writer);
  onTestFinished(script.remove);
  const stored = new Set<string>();
  for (let run = 0; run < kills; run += 1) {
    const child = spawn(process.execPath, [script.file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    // Killed after some of its lines, at a moment that differs each time.
    let left = 1 + Math.floor(Math.random() * 4);
    for await (const name of createInterface({ input: child.stdout })) {
      stored.add(name);
      left -= 1;
      if (left === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 10);
    }
    expect((await exit)[1]).toBe('SIGKILL');
    const { accounts } = (await openStore({ env, warn: () => {}, wallClock: Date.now })).read();
    expect([...stored].filter((name) => !Object.hasOwn(accounts, name))).toEqual([]);
  }
  expect(stored.size).toBeGreaterThanOrEqual(kills);
});
