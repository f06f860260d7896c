import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/run-cli.ts';
import { launcher, spawnCli } from './support/spawn-cli.ts';

/** A format that a command does not write costs it nothing: not even the file with its code is read. */

const dist = join(dirname(launcher), '../dist');

/** The names of what a command has loaded, among these classes of the formats. */
async function loadedBy(argv: readonly string[]): Promise<string[]> {
  const cwd = temporaryFolder();
  const log = join(cwd, 'loaded.txt');
  const hooks = `import { appendFileSync } from 'node:fs';
    export function load(url, context, next) {
      appendFileSync(${JSON.stringify(log)}, url + '\\n');
      return next(url, context);
    }`;
  writeFileSync(join(cwd, 'hooks.mjs'), hooks);
  writeFileSync(
    join(cwd, 'register.mjs'),
    `import { register } from 'node:module'; register('./hooks.mjs', import.meta.url);`,
  );
  const env = { NODE_OPTIONS: `--no-warnings --import=${pathToFileURL(join(cwd, 'register.mjs')).href}` };
  const { exitCode, stderr } = await spawnCli(argv, { env, cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const files = readFileSync(log, 'utf8').split('\n');
  expect(files).toContain(pathToFileURL(join(dist, 'main.js')).href);
  const code = files.filter((url) => url.includes('/dist/')).map((url) => readFileSync(fileURLToPath(url), 'utf8'));
  const classes = ['ParquetEncoder', 'ParquetFile', 'XlsxEncoder', 'ZipArchive', 'TableEncoder', 'CsvEncoder'];
  return classes.filter((name) => code.some((text) => text.includes(name)));
}

const run = ['run', '--local', '--period', 'yesterday', '--direct', '-q'];

test.each([
  [['--help'], []],
  [['run', '--help'], []],
  [['fields'], []],
  [[...run, '--dry-run'], []],
  [[...run, '-o', 'r.json'], []],
  [[...run, '-o', 'r.csv'], ['CsvEncoder']],
  [
    [...run, '-o', 'r.parquet'],
    ['ParquetEncoder', 'ParquetFile'],
  ],
  [
    [...run, '-o', 'r.xlsx'],
    ['XlsxEncoder', 'ZipArchive'],
  ],
])('adreport %j', async (argv, expected) => {
  expect(await loadedBy(argv)).toEqual(expected);
});
