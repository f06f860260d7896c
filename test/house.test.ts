import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The rules of the house: who may import whom, one door per package, and how long a file may be. */

const root = resolve(import.meta.dirname, '../src');

const folders: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  errors: [],
  api: ['contract', 'errors'],
  report: ['contract', 'errors'],
  output: ['contract', 'errors'],
  config: ['contract', 'errors'],
  ui: ['contract', 'errors'],
  server: ['contract', 'errors'],
  commands: ['contract', 'errors', 'api', 'report', 'output', 'config', 'ui', 'server', 'context'],
};

const doors: Readonly<Record<string, readonly string[]>> = {
  undici: ['api/http.ts', 'api/undici-parts.d.ts'],
  conf: ['config/store.ts'],
  inquirer: ['ui/prompt.ts'],
  'cli-progress': ['ui/progress.ts'],
  chalk: ['ui/console.ts'],
  'csv-stringify': ['output/formats/csv.ts'],
  hyparquet: ['report/rows/parquet-rows.ts', 'output/parquet/parquet-file.ts'],
  luxon: ['report/window/window.ts', 'server/engine/calendar.ts'],
  'hyparquet-writer': ['output/parquet/parquet-file.ts'],
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
    expect(found).toEqual(expect.arrayContaining(Object.keys(folders).filter((folder) => folder !== 'errors')));
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

test('no source file passes 300 lines', () => {
  const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 301);
  expect(long).toEqual([]);
});

describe('no function passes 60 lines', () => {
  /** Lines of each function, by where it begins; the formatter puts the end of a block under its beginning. */
  function functionLengths(source: string): { readonly line: number; readonly length: number }[] {
    const lines = source.split('\n');
    return lines.flatMap((text, index) => {
      const begins =
        /\bfunction\b.*[({]$|=> \{$|^ +(?!(?:if|for|while|switch|catch) )[\w#* ]+\(.*\{$|^ +(?!.*\breturn )[\w# ]+\($/;
      if (!begins.test(text) || /^ *(\*|\/\/)/.test(text)) return [];
      const indent = /^ */.exec(text)?.[0] ?? '';
      const isEnd = (line: string): boolean => line.startsWith(`${indent}}`) && !/^ *\}(: .*)?\)?.*\{$/.test(line);
      const end = lines.findIndex((line, at) => at > index && isEnd(line));
      return end < 0 ? [] : [{ line: index + 1, length: end - index + 1 }];
    });
  }

  test('the search finds them', () => {
    const body = '  work();\n'.repeat(3);
    const method = `class A {\n  async #b({\n    c,\n  }: D): Promise<void> {\n${body}  }\n}`;
    expect(functionLengths(`export async function a(b: string): void {\n${body}}`)).toEqual([{ line: 1, length: 5 }]);
    expect(functionLengths(`const a = once(async () => {\n${body}});`)).toEqual([{ line: 1, length: 5 }]);
    expect(functionLengths(`function a(\n  b: string,\n): void {\n${body}}`)).toEqual([{ line: 1, length: 7 }]);
    expect(functionLengths(method)).toEqual([{ line: 2, length: 7 }]);
    const all = files.flatMap((file) => functionLengths(readFileSync(join(root, file), 'utf8')));
    expect(all.length).toBeGreaterThan(700);
  });

  test('in any file', () => {
    const long = files
      .flatMap((file) => functionLengths(readFileSync(join(root, file), 'utf8')).map((found) => ({ file, ...found })))
      .filter(({ length }) => length > 60);
    expect(long).toEqual([]);
  });
});
