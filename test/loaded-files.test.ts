import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/run-cli.ts';
import { launcher, spawnCli } from './support/spawn-cli.ts';

/** A format that a command does not write costs it nothing: not even the file with its code is read. */

const dist = join(dirname(launcher), '../dist');

/** The names of what a command has loaded, among these classes and functions of the formats. */
async function loadedBy(argv: readonly string[]): Promise<string[]> {
  const cwd = temporaryFolder();
  const log = join(cwd, 'loaded.json');
  const hook = join(cwd, 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(log)}, JSON.stringify(Object.keys(require.cache))));`,
  );
  const { exitCode, stderr } = await spawnCli(argv, { env: { NODE_OPTIONS: `--require=${hook}` }, cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const files: string[] = JSON.parse(readFileSync(log, 'utf8'));
  expect(files).toContain(join(dist, 'parts.js'));
  const code = files.filter((file) => file.startsWith(dist)).map((file) => readFileSync(file, 'utf8'));
  const classes = ['ParquetEncoder', 'ParquetFile', 'XlsxEncoder', 'ZipArchive', 'TableEncoder', 'composePage'];
  return classes.filter((name) => code.some((text) => text.includes(name)));
}

const run = ['run', '--local', '--period', 'yesterday', '--direct', '-q'];

test.each([
  [['--help'], []],
  [['run', '--help'], []],
  [['fields'], []],
  [[...run, '--dry-run'], []],
  [[...run, '-o', 'r.json'], []],
  [[...run, '-o', 'r.csv'], []],
  [[...run, '-o', 'r.html'], ['composePage']],
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
