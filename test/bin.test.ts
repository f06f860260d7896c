import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { expectRefusal, temporaryFolder } from './support/run-cli.ts';
import { serveForTest } from './support/service.ts';
import { launcher, runToEnd, spawnCli, start, startCli } from './support/spawn.ts';

/** The built program, run in child processes with pipes. */

const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8'));

test('--version, and a mistake', async () => {
  const [version, mistake] = await Promise.all([
    spawnCli('--version'),
    spawnCli('run --local --period yesterday --by DAYLI'),
  ]);

  expect(version).toMatchObject({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' });
  expectRefusal(mistake, 2, /^adreport: [^\n]*DAYLI[^\n]*\n.*DAILY[^\n]*\n$/);
});

/** A copy of the launcher in a new folder, with the given program or without a build. */
function copyLauncher(mainJs?: string): string {
  const folder = temporaryFolder();
  cpSync(resolve(import.meta.dirname, '../bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(folder, 'dist'));
  if (mainJs) writeFileSync(join(folder, 'dist/main.js'), mainJs);
  return join(folder, 'bin/adreport.js');
}

function launchAlone(mainJs?: string) {
  return runToEnd(process.execPath, [copyLauncher(mainJs), '--help']);
}

test.skipIf(process.platform === 'win32').each([
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
] as const)(
  '$signal while the program is loaded: exit $code by itself',
  async ({ signal, code }) => {
    // The first process of a container does not get a signal that it does not listen for.
    const loading =
      "console.log('loading'); setInterval(() => {}, 1_000); await new Promise(() => {});";
    const { child, printed, ended } = start(process.execPath, [copyLauncher(loading)]);
    await printed(/loading/);

    child.kill(signal);

    expect(await ended).toMatchObject({ exitCode: code, signal: null });
  },
);

test('package.json is reduced for packing and restored; both steps can run twice', () => {
  const folder = temporaryFolder();
  const script = resolve(import.meta.dirname, '../.ci/pack-manifest.js');
  const file = join(folder, 'package.json');
  const step = (name: string) =>
    expect(runToEnd(process.execPath, [script, name], folder).status).toBe(0);
  const read = () => JSON.parse(readFileSync(file, 'utf8'));
  const whole = { name: 'x', scripts: { test: 'y' }, devDependencies: { z: '1' } };
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(file, JSON.stringify(whole));

  step('reduce');
  step('reduce');
  expect(read()).toEqual({ name: 'x' });

  step('restore');
  step('restore');
  expect(read()).toEqual(whole);

  // Somebody puts the file back by hand, and edits it.
  step('reduce');
  writeFileSync(file, JSON.stringify({ ...whole, name: 'edited' }));
  step('restore');
  expect(read()).toEqual({ ...whole, name: 'edited' });
});

test('a promise that never settles is exit 1 once nothing else is pending', () => {
  expect(launchAlone('export const main = () => new Promise(() => {});').status).toBe(1);
});

test('a clone that has not been built explains how to build it', () => {
  const { status, stderr } = launchAlone();

  expect(status).toBe(1);
  expect(stderr).toBe(
    'adreport: This clone has not been built.\n  Run npm ci in its folder, which builds it.\n',
  );
});

test.skipIf(process.platform === 'win32')(
  'SIGHUP while waiting: exit 143, the id, the resume command, no file',
  async () => {
    const { env } = await serveForTest({ manual: true });
    const { child, printed, ended } = startCli('run --period yesterday -o r.csv --progress json', {
      env,
    });
    await printed(/"event":"status"/);
    child.kill('SIGHUP');

    const result = await ended;

    expectRefusal(result, 143, /adreport download (\w+) --wait -o r\.csv/);
    expect(readdirSync(result.cwd)).toEqual(['.config']);
  },
);

test.skipIf(process.platform === 'win32')(
  'a working folder that was deleted is exit 2; help and absolute paths work',
  async () => {
    const target = join(temporaryFolder(), 'x.csv');
    const inGone = (line: string) => {
      const script = `mkdir gone && cd gone && rmdir ../gone && '${process.execPath}' '${launcher}' ${line}`;
      return runToEnd('sh', ['-c', script]);
    };

    expect(inGone('--help').status).toBe(0);
    expect(inGone(`run --local --direct --period 2026-11-09 -q -o '${target}'`)).toMatchObject({
      status: 0,
      stderr: '',
    });
    for (const line of ['run --local --period 2026-11-09 -o x.csv', 'local-server exec -- true']) {
      const { status, stderr } = inGone(line);
      expect({ line, status, stderr }).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('was deleted'),
      });
    }
  },
);

test.skipIf(process.platform === 'win32')(
  'a merged split of 50 days needs no more than 80 open files',
  () => {
    const line = 'run --period 2026-09-12..2026-10-31 --by DAILY --split day -q --format ndjson';
    const program = `'${process.execPath}' '${launcher}'`;
    const script = `ulimit -n 80; ${program} -q local-server --delay 0s exec -- ${program} ${line}`;

    const { status, stdout, stderr } = runToEnd('sh', ['-c', script]);

    expect({ status, stderr, rows: stdout.trim().split('\n').length }).toEqual({
      status: 0,
      stderr: '',
      rows: 50,
    });
  },
);

test.skipIf(process.platform === 'win32')(
  'a stdout that is closed at the start counts as /dev/null, as the topic security says; files are written',
  () => {
    const cwd = temporaryFolder();
    const script = `'${process.execPath}' '${launcher}' run --local --direct --period 2026-11-09 -q -o x.csv --json >&-`;

    const { status, stderr } = runToEnd('sh', ['-c', script], cwd);

    expect(status).toBe(0);
    expect(stderr).toBe('');
    expect(readFileSync(join(cwd, 'x.csv'), 'utf8')).toMatch(/^requests,/);
  },
);

test.skipIf(process.platform === 'win32')(
  'running out of file descriptors at the start is a sentence',
  () => {
    const bin = join(import.meta.dirname, '../bin/adreport.js');
    const script = 'ulimit -n "$2"; exec "$0" "$1" campaigns --local --retries 0 $3';
    const runWithin = (limit: number, flag = '') =>
      runToEnd('sh', ['-c', script, process.execPath, bin, `${limit}`, flag]);

    // The limit that just suffices depends on Node and on the descriptors that a test inherits.
    const runs = [];
    let atStart = 0;
    for (let limit = 20; limit <= 30; limit++) {
      const run = runWithin(limit);
      if (run.status !== 0 && !failedBeforeTheProgram(run)) runs.push(run);
      if (run.stderr.includes('Cannot start')) atStart = limit;
    }

    const sentence =
      /^adreport: (Cannot start: t|T)oo many files are open \(EMFILE\)\.\n {2}Raise the limit, for example with: ulimit -n 1024\n$/;
    expect(runs.filter((run) => run.status === 2 && sentence.test(run.stderr))).not.toEqual([]);
    expect(runs.filter((run) => !run.stderr.startsWith('adreport: '))).toEqual([]);
    if (atStart > 0) {
      expect(JSON.parse(runWithin(atStart, '--json').stderr)).toEqual({
        error: {
          code: 'EMFILE',
          message: 'Cannot start: too many files are open (EMFILE).',
          hint: 'Raise the limit, for example with: ulimit -n 1024',
          retryable: false,
          exitCode: 2,
          reportId: null,
        },
      });
    }
  },
);

/** True if Node itself crashed, or could not open the file that it was to run. */
function failedBeforeTheProgram(run: { status: number | null; stderr: string }): boolean {
  return run.status === null || (run.stderr.startsWith('node:') && !run.stderr.includes('/dist/'));
}
