import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Store } from '../../src/account/store.ts';
import { readSheet } from '../present/xlsx-reader.ts';
import { bundleScript } from '../support/bundle.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { start, startCli } from '../support/spawn.ts';

const kills = 100;

/** Kills a program at a random moment; returns false if it ended before. */
async function killWithin(
  { child, ended }: ReturnType<typeof start>,
  firstMs: number,
  lastMs: number,
) {
  const timer = setTimeout(
    () => child.kill('SIGKILL'),
    firstMs + (lastMs - firstMs) * Math.random(),
  );
  const { signal } = await ended;
  clearTimeout(timer);
  return signal === 'SIGKILL';
}

test(`${kills} kill -9 at random moments: the target is the old file or the new one`, async () => {
  const { cwd, env } = await serveForTest({ delayMs: 0, faults: ['download:slow:rate=500kb'] });
  const target = join(cwd, 'report.csv');
  const line = 'run --fresh --period 2026-10 --by HOURLY,CAMPAIGN,COUNTRY -o report.csv -q';
  const run = () => startCli(line, { cwd, env });
  const others = (): string[] =>
    readdirSync(cwd).filter((name) => !['.config', 'report.csv'].includes(name));

  const startedMs = performance.now();

  expect(await run().ended).toMatchObject({ exitCode: 0 });

  const runMs = performance.now() - startedMs;

  const whole = readFileSync(target, 'utf8');

  expect(whole.length).toBeGreaterThan(500_000);

  let halfWritten = 0;
  for (let left = kills; left > 0; ) {
    writeFileSync(target, 'the old file');
    if (await killWithin(run(), 0.2 * runMs, 1.3 * runMs)) left -= 1;
    expect(['the old file', whole]).toContain(readFileSync(target, 'utf8'));
    // This run removed the files of the killed run before it.
    expect(others().length).toBeLessThanOrEqual(2);
    halfWritten += others().length;
  }

  await run().ended;

  expect([readFileSync(target, 'utf8'), others()]).toEqual([whole, []]);
  expect(halfWritten).toBeGreaterThan(kills / 20);
});

test('kill -9 before, within and after each commit of three files: no half file, and the next run mends it', async () => {
  const { cwd, env } = await serveForTest({ delayMs: 0 });
  const names = ['a.csv', 'a.json', 'a.xlsx'];
  const line = `run --fresh --period 2026-11-09 --by HOURLY,CAMPAIGN ${names.map((name) => `-o ${name}`).join(' ')} -q`;
  const read = () => names.map((name) => readFileSync(join(cwd, name)));
  const others = () => readdirSync(cwd).filter((name) => ![...names, '.config'].includes(name));
  expect(await startCli(line, { cwd, env }).ended).toMatchObject({ exitCode: 0 });
  const [csv, json] = read();

  // The nth rename or removal of the program kills it, before or after it is done.
  const seen = new Set<string>();
  for (let n = 1; n <= 3; n += 1) {
    for (const moment of ['before', 'after']) {
      for (const name of names) writeFileSync(join(cwd, name), 'the old file');
      const preload = killAtRename(n, moment);
      const killed = startCli(line, { cwd, env: { ...env, NODE_OPTIONS: `--import ${preload}` } });
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });

      const isNew = read().map((bytes) => bytes.toString() !== 'the old file');
      seen.add(isNew.join());
      for (const [index, whole] of [csv, json].entries()) {
        if (isNew[index]) expect(read()[index]).toEqual(whole);
      }

      expect(await startCli(line, { cwd, env }).ended).toMatchObject({ exitCode: 0 });
      expect(read().slice(0, 2)).toEqual([csv, json]);
      expect(readSheet(read()[2] ?? Buffer.alloc(0)).length).toBeGreaterThan(100);
      expect(others()).toEqual([]);
    }
  }
  // None, the first, the first two, and all of them were in place.
  expect(seen.size).toBe(4);
});

/** Writes a module that kills its process at the nth rename of a file of the report. */
function killAtRename(n: number, moment: string): string {
  const path = join(temporaryFolder(), 'kill.mjs');
  const kill = `if (count === ${n}) process.kill(process.pid, 'SIGKILL');`;
  const [before, after] = moment === 'before' ? [kill, ''] : ['', kill];
  writeFileSync(
    path,
    `import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const { rename } = fs;
let count = 0;
fs.rename = async (from, to) => {
  if (/[/]a[.]\\w+$/.test(to)) count += 1;
  ${before}
  await rename(from, to);
  ${after}
};
syncBuiltinESMExports();
`,
  );
  return pathToFileURL(path).href;
}

test(`${kills} writers of settings killed: the file is always complete, and keeps what was stored`, async () => {
  const script = bundleScript(`
    import { writeSync } from 'node:fs';
    import { Store, withAccount } from './src/account/store.ts';
    const store = new Store(process.env);
    for (let i = 0; i < 1_000; i += 1) {
      await store.update((settings) => withAccount(settings, process.pid + '-' + i, { baseUrl: 'https://x.example' }));
      writeSync(1, process.pid + '-' + i + '\\n');
    }
  `);
  onTestFinished(script.remove);

  // A writer waits until the lock of a killed one is stale, so several settings files are tested
  // concurrently.
  const files = 10;
  const rounds = Array.from({ length: files }, () => killWriters(script.file, kills / files));
  const stored = await Promise.all(rounds);
  expect(stored.flat().length).toBeGreaterThanOrEqual(kills);
});

/** Kills successive writers of a settings file, and returns the names of everything they stored. */
async function killWriters(script: string, count: number): Promise<string[]> {
  const env = { ADREPORT_CONFIG_DIR: join(temporaryFolder(), 'settings') };
  const stored: string[] = [];

  for (let left = count; left > 0; left -= 1) {
    const writer = start(process.execPath, [script], { env });
    // Killed after some of its lines, at a random moment.
    await writer.printed(/\n/);
    expect(await killWithin(writer, 0, 30)).toBe(true);
    stored.push(...((await writer.ended).stdout.match(/^\d+-\d+$/gm) ?? []));
    const { accounts } = await new Store(env).read();
    expect(stored.filter((name) => !Object.hasOwn(accounts, name))).toEqual([]);
  }
  return stored;
}
