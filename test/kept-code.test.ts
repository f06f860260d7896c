import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  const [cut, ...others] = files.map(({ name }) => join(cache, 'adreport', name));
  const mixed = others.pop();
  if (!cut || !mixed) throw new Error('Two files at least are kept.');
  writeFileSync(cut, readFileSync(cut).subarray(0, 100));
  writeFileSync(mixed, 'This is no code.');
  for (const other of others) writeFileSync(other, '');
  const old = join(cache, 'adreport', 'start-00000000.js.1.x64');
  writeFileSync(old, '');
  utimesSync(old, 0, 0);
  expect(fields(cache)).toEqual(first);
  expect(kept(cache).map(({ name, size }) => ({ name, isWhole: size > 1000 }))).toEqual(
    files.map(({ name }) => ({ name, isWhole: true })),
  );
});

test.skipIf(process.platform === 'darwin')('a block that a crash of the machine left empty is not run', () => {
  const cache = temporaryFolder();
  const first = fields(cache);
  for (const { name } of kept(cache)) {
    const path = join(cache, 'adreport', name);
    writeFileSync(path, readFileSync(path).fill(0, 4_096, 8_192));
  }
  expect(fields(cache)).toEqual(first);
});

test.skipIf(isWindows)('a cache folder that is not said in full is not made in the working folder', () => {
  const cache = temporaryFolder();
  const options = { env: { PATH: process.env.PATH, HOME: '', XDG_CACHE_HOME: 'cache' }, cwd: cache };
  const { status } = spawnSync(process.execPath, [launcher, '--version'], options);
  expect([status, readdirSync(cache)]).toEqual([0, []]);
});

test.skipIf(process.getuid?.() !== 0)('a user without a home, as in a container, is served', ({ skip }) => {
  // Where any user may read it.
  const copy = temporaryFolder();
  for (const part of ['bin', 'dist'])
    cpSync(join(dirname(launcher), '..', part), join(copy, part), { recursive: true });
  chmodSync(copy, 0o755);
  const options = { env: { PATH: process.env.PATH }, uid: 54_321, gid: 54_321, encoding: 'utf8' } as const;
  if (spawnSync(process.execPath, ['-e', '0'], options).status !== 0) skip('only root can reach this Node');
  const commands = ['--version', 'config path', 'run --local --period yesterday --by DAILY'];
  for (const command of commands) {
    const argv = [join(copy, 'bin', 'adreport.js'), ...command.split(' ')];
    expect(spawnSync(process.execPath, argv, options)).toMatchObject({ status: 0 });
  }
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
