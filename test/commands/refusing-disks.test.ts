import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectRefusal, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli } from '../support/spawn.ts';

/** Disks, mostly network disks, that refuse some calls. */

/** `NODE_OPTIONS` of a process whose disk refuses a call. */
function refusing(call: 'access' | 'open' | 'link' | 'opendir' | 'readdir'): string {
  const script = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const refuse = async () => {
      throw Object.assign(new Error('EPERM: operation not permitted, ${call}'), { code: 'EPERM', syscall: '${call}' });
    };
    fs.${call} = refuse;
    syncBuiltinESMExports();`;
  return `--import data:text/javascript,${encodeURIComponent(script)}`;
}

test('a folder that may not be written to is reported before any call', async () => {
  const { cwd, env, server } = await serveForTest({ delayMs: 0 });
  const line = 'run --period 2026-11-01 --metrics displays -o deep/er/report.csv';

  const result = await spawnCli(line, {
    cwd,
    env: { ...env, NODE_OPTIONS: refusing('access') },
  });

  expectRefusal(result, 8, /permission denied/);
  expect(server.requests()).toEqual([]);
  expect(readdirSync(cwd).filter((name) => name !== '.config')).toEqual([]);
});

test('--no-clobber on a disk without hard links leaves no file, and the report is kept', async () => {
  const { cwd, env, server } = await serveForTest({ delayMs: 0 });
  const line = 'run --period 2026-11-01 --metrics displays -o report.csv';
  const refused = { ...env, NODE_OPTIONS: refusing('link') };

  const result = await spawnCli(`${line} --no-clobber`, { cwd, env: refused });

  expectRefusal(result, 8, /needs hard links, which its disk does not have/);
  expect(readdirSync(cwd).filter((name) => name !== '.config')).toEqual([]);

  const again = await spawnCli(line, { cwd, env: refused });
  expect(again.exitCode).toBe(0);
  expect(server.requests().filter(({ endpoint }) => endpoint === 'buyer')).toHaveLength(1);
});

test('adreport init on a disk without hard links is exit 8 and leaves no file', async () => {
  const cwd = temporaryFolder();

  const result = await spawnCli('init', { cwd, env: { NODE_OPTIONS: refusing('link') } });

  expectRefusal(result, 8, /Cannot write \S+adreport\.yaml: --no-clobber needs hard links/);
  expect(readdirSync(cwd).filter((name) => name !== '.config')).toEqual([]);
});

test('a folder that may not be listed is a finding, and not one without a history', async () => {
  const cwd = temporaryFolder();
  const folderCall = `${refusing('readdir')} ${refusing('opendir')}`;

  const result = await spawnCli('check .', { cwd, env: { NODE_OPTIONS: folderCall } });

  expect(result.exitCode).toBe(9);
  expect(result.stdout).toContain('The folder . cannot be listed: permission denied.');

  const viewed = await spawnCli('view .', { cwd, env: { NODE_OPTIONS: folderCall } });
  expectRefusal(viewed, 2, 'adreport check . shows what is wrong with it');
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
