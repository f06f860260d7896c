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
    spawnCli('run --period yesterday --by DAYLI'),
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
  expect(read()).toEqual(whole);

  // Somebody puts the file back by hand, and edits it.
  step('reduce');
  writeFileSync(file, JSON.stringify({ ...whole, name: 'edited' }));
  step('restore');
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
    const { child, printed, ended } = startCli('run --period yesterday -o r.csv', {
      env,
    });
    await printed(/requested, waiting/);
    child.kill('SIGHUP');

    const result = await ended;

    expectRefusal(result, 143, /adreport download (\w+) --wait -o r\.csv/);
    expect(readdirSync(result.cwd)).toEqual(['.config']);
  },
);

/** Starts a shell script with the built program as `adreport`. */
const startShell = (script: string, place: Parameters<typeof start>[2]) =>
  start('sh', ['-c', `adreport() { '${process.execPath}' '${launcher}' "$@"; }; ${script}`], place);

test.skipIf(process.platform === 'win32')(
  'a working folder that was deleted is exit 2; absolute paths work',
  async () => {
    const { env } = await serveForTest({ delayMs: 0 });
    const target = join(temporaryFolder(), 'x.csv');
    const inGone = (line: string) => {
      const script = `mkdir gone && cd gone && rmdir ../gone && adreport ${line}`;
      return startShell(script, { env }).ended;
    };
    const report = 'run --direct --period 2026-11-09 --metrics displays -q';

    expect(await inGone(`${report} -o '${target}'`)).toMatchObject({ exitCode: 0, stderr: '' });
    for (const line of [`${report} -o x.csv`, 'local-server exec -- true']) {
      expectRefusal(await inGone(line), 2, 'was deleted');
    }
  },
);

test.skipIf(process.platform === 'win32')(
  'a stdout that is closed at the start counts as /dev/null, as the topic security says; files are written',
  async () => {
    const { env, cwd } = await serveForTest({ delayMs: 0 });
    const line = 'run --direct --period 2026-11-09 --metrics displays -q -o x.csv --json';

    const result = await startShell(`adreport ${line} >&-`, { env, cwd }).ended;

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readFileSync(join(cwd, 'x.csv'), 'utf8')).toMatch(/^displays\r\n\d/);
  },
);

test.skipIf(process.platform === 'win32')('running out of file descriptors is a sentence', () => {
  const script = 'ulimit -n "$2"; exec "$0" "$1" campaigns --local $3';
  const runWithin = (limit: number, flag = '') =>
    runToEnd('sh', ['-c', script, process.execPath, launcher, `${limit}`, flag]);

  // Below a limit that depends on Node and on inherited descriptors, Node itself does not start.
  let limit = 16;
  let run = runWithin(limit);
  while (limit < 30 && failedBeforeTheProgram(run)) run = runWithin(++limit);

  const message = 'Too many files are open (EMFILE).';
  const hint = 'Raise the limit, for example with: ulimit -n 1024';
  expect(run).toMatchObject({ status: 2, stderr: `adreport: ${message}\n  ${hint}\n` });
  expect(JSON.parse(runWithin(limit, '--json').stderr)).toEqual({
    error: { code: 'EMFILE', message, hint, retryable: false, exitCode: 2, reportId: null },
  });
});

/** True if Node itself crashed, or could not open the file that it was to run. */
function failedBeforeTheProgram(run: { status: number | null; stderr: string }): boolean {
  return run.status === null || (run.stderr.startsWith('node:') && !run.stderr.includes('/dist/'));
}
