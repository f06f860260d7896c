import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { expectRefusal, temporaryFolder } from './support/run-cli.ts';
import { serveForTest } from './support/service.ts';
import { launcher, runToEnd, spawnCli, start, startCli } from './support/spawn.ts';

/** The built program, run in child processes with pipes. */

const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8'));

test('--version, and a mistake', async () => {
  const [version, issue] = await Promise.all([
    spawnCli('--version'),
    spawnCli('run --period yesterday --by DAYLI'),
  ]);

  expect(version).toMatchObject({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' });
  expectRefusal(issue, 2, /^adreport: [^\n]*DAYLI[^\n]*\n.*DAILY[^\n]*\n$/);
});

test('a promise that never settles is exit 1 once nothing else is pending', () => {
  const folder = temporaryFolder();
  cpSync(resolve(launcher, '..'), join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const mainJs = 'export const main = () => new Promise(() => {});';
  writeFileSync(join(folder, 'dist/main.js'), mainJs);

  expect(runToEnd(process.execPath, [join(folder, 'bin/adreport.js')]).status).toBe(1);
});

test.skipIf(process.platform === 'win32')(
  'SIGHUP while waiting: exit 143, the id, the resume command, no file',
  async () => {
    const { env } = await serveForTest({ manual: true });
    const { child, printed, ended } = startCli('run --period yesterday -o r.csv', {
      env,
    });
    await printed(/: waiting/);
    child.kill('SIGHUP');

    const result = await ended;

    expectRefusal(
      result,
      143,
      /The report \w+ is still available\. To resume: adreport run .*-o r\.csv/,
    );
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
    expectRefusal(await inGone(`${report} -o x.csv`), 2, 'was deleted');
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
