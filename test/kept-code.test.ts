import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/run-cli.ts';
import { launcher } from './support/spawn-cli.ts';

/** The compiled code that the launcher keeps between runs: it makes them faster, and nothing depends on it. */

const isWindows = process.platform === 'win32';

function fields(cache: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, 'fields', '--profile', 'dsp'], {
    env: {
      PATH: process.env.PATH,
      ADREPORT_CONFIG_DIR: join(cache, 'config'),
      XDG_CACHE_HOME: cache,
      LOCALAPPDATA: cache,
      ...env,
    },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Name, time and size of what is kept. */
function kept(cache: string) {
  const folder = join(cache, 'adreport');
  return readdirSync(folder).map((name) => {
    const { mtimeMs, size } = statSync(join(folder, name));
    return { name, mtimeMs, size };
  });
}

// The place is another one on macOS, under the home folder.
test.skipIf(process.platform === 'darwin')('it is kept once, for its user alone, and used again', () => {
  const cache = temporaryFolder();
  const first = fields(cache);
  expect(first).toMatchObject({ status: 0, stderr: '' });
  const files = kept(cache);
  expect(files.length).toBeGreaterThan(1);
  const folder = join(cache, 'adreport');
  if (!isWindows) {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const { name } of files) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  }
  expect(fields(cache)).toEqual(first);
  expect(kept(cache)).toEqual(files);
});

test.skipIf(process.platform === 'darwin')('what is damaged is replaced, what is a month old is removed', () => {
  const cache = temporaryFolder();
  const first = fields(cache);
  const files = kept(cache);
  const [cut, mixed] = files.map(({ name }) => join(cache, 'adreport', name));
  if (!cut || !mixed) throw new Error('Two files at least are kept.');
  writeFileSync(cut, readFileSync(cut).subarray(0, 100));
  writeFileSync(mixed, 'This is no code.');
  const old = join(cache, 'adreport', 'start-00000000.js.1.x64');
  writeFileSync(old, '');
  utimesSync(old, 0, 0);
  expect(fields(cache)).toEqual(first);
  expect(kept(cache).map(({ name, size }) => ({ name, isWhole: size > 1000 }))).toEqual(
    files.map(({ name }) => ({ name, isWhole: true })),
  );
});

test('a cache that cannot be kept is no matter', () => {
  const cache = temporaryFolder();
  const asked = fields(cache, { NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(asked).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(cache)).toEqual([]);
  const file = join(cache, 'file');
  writeFileSync(file, '');
  expect(fields(file)).toEqual(asked);
  if (!isWindows) chmodSync(cache, 0o500);
  expect(fields(cache)).toEqual(asked);
  chmodSync(cache, 0o700);
});
