import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Disks, mostly network disks, that refuse some calls. */

/** Makes the disk refuse a call for the rest of a test. */
function refuse(call: 'access' | 'link' | 'openSync'): void {
  const [functions, real] =
    call === 'openSync' ? [fs, fs.openSync] : [fs.promises, fs.promises[call]];
  const error = new Error(`EPERM: operation not permitted, ${call}`);
  const refusal = Object.assign(error, { code: 'EPERM', syscall: call });
  const throwRefusal = () => {
    if (call === 'openSync') throw refusal;
    return Promise.reject(refusal);
  };
  replace(functions, call, throwRefusal);
  onTestFinished(() => replace(functions, call, real));
}

function replace(functions: object, call: string, by: unknown): void {
  Object.assign(functions, { [call]: by });
  syncBuiltinESMExports();
}

test('a folder that may not be written to is reported before any call', async () => {
  const { run, server } = await serveForTest({ delayMs: 0 });
  refuse('access');

  const result = await run('run --period 2026-11-01 --metrics displays -o deep/er/report.csv');

  expectRefusal(result, 8, /permission denied/);
  expect(server.requests()).toEqual([]);
  expect(result.files).toEqual({});
});

test('--no-clobber on a disk without hard links leaves no file, and the report is kept', async () => {
  const { run, calls } = await serveForTest({ delayMs: 0 });
  const line = 'run --period 2026-11-01 --metrics displays -o report.csv';
  refuse('link');

  const result = await run(`${line} --no-clobber`);

  expectRefusal(result, 8, /needs hard links, which this disk does not support/);
  expect(result.files).toEqual({});
  expect((await run(line)).exitCode).toBe(0);
  expect(calls('buyer')).toBe(1);
});

test('adreport init on a disk without hard links is exit 8 and leaves no file', async () => {
  refuse('link');

  const result = await runCli('init');

  expectRefusal(result, 8, /Cannot write \S+adreport\.yaml: --no-clobber needs hard links/);
  expect(result.files).toEqual({});
});

test('a file that may not be read, with a hint on its permissions', async () => {
  const cwd = temporaryFolder();
  fs.writeFileSync(join(cwd, 'a.csv'), 'country,displays\nFrance,1\n');
  refuse('openSync');

  expectRefusal(
    await runCli('view a.csv', { cwd }),
    2,
    "Cannot read a.csv: permission denied.\n  Check the file's permissions.",
  );
});
