import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The rules of the house: who may import whom, one door per package, and how long a file may be. */

const root = resolve(import.meta.dirname, '../src');

const leaves = ['contract', 'text', 'errors'];

const folders: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  text: [],
  errors: [],
  api: leaves,
  rows: leaves,
  report: [...leaves, 'rows'],
  config: leaves,
  ui: leaves,
  server: leaves,
  view: [...leaves, 'rows', 'output'],
  output: [...leaves, 'rows', 'view'],
  help: [...leaves, 'report', 'ui', 'config', 'output', 'app', 'server'],
  app: [...leaves, 'api', 'rows', 'report', 'view', 'output', 'config', 'ui', 'context'],
  commands: [...leaves, 'api', 'rows', 'report', 'view', 'output', 'config', 'ui', 'server', 'context', 'app', 'help'],
};

const doors: Readonly<Record<string, readonly string[]>> = {
  undici: ['api/http.ts', 'api/undici-parts.d.ts'],
  conf: ['config/store.ts'],
  inquirer: ['ui/prompt.ts'],
  'cli-progress': ['ui/progress.ts'],
  chalk: ['ui/console.ts'],
  'csv-stringify': ['output/formats/csv.ts'],
  hyparquet: ['rows/parquet-rows.ts', 'output/formats/parquet.ts'],
  luxon: ['report/window/window.ts', 'server/calendar.ts'],
  'hyparquet-writer': ['output/formats/parquet.ts'],
};

interface Import {
  readonly file: string;
  readonly from: string;
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.split(sep).join('/'));

const imports: Import[] = files.flatMap((file) => {
  const source = readFileSync(join(root, file), 'utf8');
  const specifiers = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*|declare module\s+)'([^']+)'/g);
  return [...specifiers].map(([, from = '']) => ({ file, from }));
});

/** The folder of a file under src, or the file's own name for those at the top. */
function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : file.replace(/\.ts$/, '');
}

describe('the import table', () => {
  const own = imports.filter(({ from }) => from.startsWith('.'));

  test('the search finds imports in every folder', () => {
    const found = own.map(({ file }) => folderOf(file));
    // The errors import nothing at all.
    expect(found).toEqual(
      expect.arrayContaining(Object.keys(folders).filter((folder) => !['errors', 'text'].includes(folder))),
    );
    expect(own.length).toBeGreaterThan(100);
  });

  test.each(Object.entries(folders))('%s imports only what it may', (folder, allowed) => {
    const strangers = own
      .filter(({ file }) => folderOf(file) === folder)
      .map(({ file, from }) => ({
        file,
        target: relative(root, resolve(root, dirname(file), from))
          .split(sep)
          .join('/'),
      }))
      .filter(({ target }) => ![folder, ...allowed].includes(folderOf(target)));
    expect(strangers).toEqual([]);
  });

  test('every folder stands in the table', () => {
    const wiring = ['main', 'program', 'context', 'host', 'version', 'local-server'];
    expect(files.map(folderOf).filter((folder) => !(folder in folders) && !wiring.includes(folder))).toEqual([]);
  });
});

describe('one door per package', () => {
  test.each(Object.entries(doors))('%s', (name, allowed) => {
    const users = imports.filter(({ from }) => from === name || from.startsWith(`${name}/`)).map(({ file }) => file);
    expect(users.filter((file) => !allowed.includes(file))).toEqual([]);
    expect(users.length, `${name} is used at all`).toBeGreaterThan(0);
  });
});
