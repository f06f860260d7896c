import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli } from '../support/spawn.ts';

/** Disks, mostly network disks, that do not support some calls: exit 8 before any order. */

/** `NODE_OPTIONS` of a process whose disk refuses a call, on an open file (chmod) or on a path. */
function refusing(call: 'open' | 'link' | 'rename' | 'chmod' | 'opendir' | 'readdir'): string {
  const patch =
    call === 'chmod'
      ? 'fs.open = async (...args) => Object.assign(await open(...args), { chmod: refuse })'
      : `fs.${call} = refuse`;
  const script = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const open = fs.open;
    const refuse = async () => {
      throw Object.assign(new Error('EPERM: operation not permitted, ${call}'), { code: 'EPERM', syscall: '${call}' });
    };
    ${patch};
    syncBuiltinESMExports();`;
  return `--import data:text/javascript,${encodeURIComponent(script)}`;
}

const line = 'run --period 2026-11-01 --metrics displays -o report.csv';

describe.each([
  ['link', `${line} --no-clobber`, /has no hard links, which are needed/],
  ['rename', line, /the system does not allow it/],
] as const)('a disk that refuses %s', (call, command, reason) => {
  test('is reported before any call', async () => {
    const { cwd, env, server } = await serveForTest({ delayMs: 0 });

    const result = await spawnCli(command, { cwd, env: { ...env, NODE_OPTIONS: refusing(call) } });

    expectRefusal(result, 8, reason);
    expect(server.requests()).toEqual([]);
    expect(readdirSync(cwd).filter((name) => name !== '.config')).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')(
  'a disk that refuses chmod is reported before a file with other permissions would be replaced',
  async () => {
    const { cwd, env, server } = await serveForTest({ delayMs: 0 });
    writeFileSync(join(cwd, 'report.csv'), 'old', { mode: 0o600 });

    const refused = { ...env, NODE_OPTIONS: refusing('chmod') };
    const result = await spawnCli(line, { cwd, env: refused });

    expectRefusal(result, 8, /the system does not allow it/);
    expect(server.requests()).toEqual([]);

    const fresh = await spawnCli(line.replace('report', 'fresh'), { cwd, env: refused });
    expect(fresh.exitCode).toBe(0);
  },
);

test('adreport init on a disk without hard links is exit 8 and leaves no file', async () => {
  const cwd = temporaryFolder();

  const result = await spawnCli('init', { cwd, env: { NODE_OPTIONS: refusing('link') } });

  expectRefusal(result, 8, /Cannot write \S+adreport\.yaml: its disk has no hard links/);
  expect(readdirSync(cwd).filter((name) => name !== '.config')).toEqual([]);
});

test('a folder that may not be listed is a finding, and not one without a history', async () => {
  const cwd = temporaryFolder();
  const folderCall = `${refusing('readdir')} ${refusing('opendir')}`;

  const result = await spawnCli('check .', { cwd, env: { NODE_OPTIONS: folderCall } });

  expect(result.exitCode).toBe(9);
  expect(result.stdout).toContain('Cannot list .: permission denied.');

  const viewed = await spawnCli('view .', { cwd, env: { NODE_OPTIONS: folderCall } });
  expectRefusal(viewed, 2, 'Cannot read .: permission denied.');
});

test('a file that may not be read, with a hint on its permissions', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a.csv'), 'country,displays\nFrance,1\n');

  const result = await spawnCli('view a.csv', { cwd, env: { NODE_OPTIONS: refusing('open') } });

  expectRefusal(
    result,
    2,
    "Cannot read a.csv: permission denied.\n  Check the file's permissions.",
  );
});

test.runIf(process.platform === 'linux')('a folder that accepts no files is named', async () => {
  const { run } = await serveForTest();

  expectRefusal(await run('run --period 2026-11-09 -o /proc/x.csv'), 8, 'does not accept files');
});
