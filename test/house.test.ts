import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * The rules of the house: allowed imports, one front door per package, no import cycles, and unique
 * export names.
 */

const root = resolve(import.meta.dirname, '../src');

const leaves = ['contract', 'text', 'errors', 'signals'];
const reports = ['rows', 'query', 'totals', 'output', 'present', 'formats'];
const services = ['api', 'client', 'account'];

/** Which folder may import from which others (`CONTRIBUTING.md`, The house). */
const folders: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  text: [],
  errors: [],
  signals: [],
  api: leaves,
  rows: leaves,
  query: [...leaves, 'rows'],
  totals: [...leaves, 'query', 'rows'],
  output: [...leaves, 'query', 'totals', 'rows'],
  checks: [...leaves, 'query', 'totals', 'rows'],
  client: [...leaves, 'api', 'checks', 'query', 'totals', 'rows'],
  present: [...leaves, 'output', 'totals', 'query', 'rows'],
  formats: [...leaves, 'present', 'output', 'query', 'totals', 'rows'],
  account: [...leaves, 'api', 'query', 'ui'],
  folder: [...leaves, 'query', 'output', 'totals', 'rows'],
  doctor: [...leaves, 'account', 'client', 'api', 'query', 'totals', 'output', 'ui'],
  ui: leaves,
  server: leaves,
  help: [...leaves, 'ui'],
  view: [...leaves, ...reports, 'folder', 'run', 'checks', 'ui'],
  run: [...leaves, ...reports, ...services, 'folder', 'checks', 'ui', 'host'],
  commands: [
    ...leaves,
    ...reports,
    ...services,
    'folder',
    'checks',
    'ui',
    'run',
    'view',
    'doctor',
    'server',
    'help',
    'context',
  ],
  context: [...leaves, 'account', 'api', 'query', 'run', 'ui', 'server', 'host'],
  host: ['errors', 'signals'],
};

/** The files that know a package. */
const doors: Readonly<Record<string, readonly string[]>> = {
  undici: ['api/http.ts'],
  conf: ['account/store.ts'],
  'proper-lockfile': ['text/file-lock.ts'],
  inquirer: ['ui/prompt.ts'],
  'cli-progress': ['ui/progress.ts'],
  chalk: ['ui/console.ts'],
  'd3-scale': ['present/page/time-chart.ts', 'present/terminal/text-charts.ts'],
  'd3-shape': ['present/page/time-chart.ts'],
  'd3-time': ['totals/time-axis.ts'],
  'd3-time-format': ['totals/time-axis.ts'],
  'csv-stringify': ['formats/csv.ts'],
  'csv-parse': ['rows/csv-rows.ts', 'server/fixtures/read-facts.ts'],
  luxon: ['query/calendar.ts', 'totals/report-description.ts', 'server/calendar.ts'],
  hyparquet: ['rows/parquet-reader.ts', 'formats/parquet.ts'],
  'hyparquet-compressors': ['rows/parquet-reader.ts'],
  'hyparquet-writer': ['formats/parquet.ts'],
  yaml: ['query/yaml-file.ts'],
  zod: [
    'folder/history-schema.ts',
    'folder/spec-schema.ts',
    'server/strict-object.ts',
    'server/control/admin-bodies.ts',
    'server/fixtures/schemas.ts',
    'server/fixtures/load.ts',
    'server/fixtures/read-json.ts',
  ],
  'jsonc-parser': ['server/fixtures/read-json.ts'],
  qs: ['server/request/parse-body.ts'],
};

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.split(sep).join('/'));

const imports = files.flatMap((file) => {
  const source = readFileSync(join(root, file), 'utf8');
  const specifiers = source.matchAll(
    /^(?:import|export)\s(?:[^'"();]*\sfrom\s)?'([^']+)'|\bimport\(\s*'([^']+)'/gm,
  );
  return [...specifiers].map(([, from, lazily]) => ({ file, from: from ?? lazily ?? '' }));
});

const own = imports.filter(({ from }) => from.startsWith('.'));

/** The file under src that an import means. */
const targetOf = ({ file, from }: (typeof imports)[number]): string =>
  join(dirname(file), from.replace(/\?.*/, '')).split(sep).join('/');

/** The folder of a file under src, or the file's own name for those at the top. */
function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : file.replace(/\.ts$/, '');
}

describe('the import table', () => {
  test('the search finds and resolves imports', () => {
    expect(own.length).toBeGreaterThan(files.length);
    expect(own.map(targetOf).filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });

  test.each(Object.entries(folders))('%s imports only what it may', (folder, allowed) => {
    const strangers = own
      .filter(({ file, from }) => folderOf(file) === folder && !from.endsWith('.json'))
      .map((one) => `${one.file} → ${targetOf(one)}`)
      .filter((line) => ![folder, ...allowed].includes(folderOf(line.split(' → ')[1] ?? '')));
    expect(strangers).toEqual([]);
  });

  test('only rows/ uses the byte positions of values', () => {
    const strangers = own.filter(
      (one) => folderOf(one.file) !== 'rows' && targetOf(one) === 'rows/row-ranges.ts',
    );
    expect(strangers).toEqual([]);
  });

  test('every folder is in the table', () => {
    const top = ['main', 'program', 'index', 'local-server'];
    expect(
      files.map(folderOf).filter((folder) => !(folder in folders) && !top.includes(folder)),
    ).toEqual([]);
  });

  test('there are no import cycles, even of types', () => {
    const targets = new Map(
      files.map((file) => [file, own.filter((one) => one.file === file).map(targetOf)]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (path.includes(file) || done.has(file)) return;
      for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);

    expect(circles).toEqual([]);
  });
});

describe('one front door per package', () => {
  const packages = imports.filter(({ from }) => !/^(?:\.|node:)/.test(from));

  test('the packages of the sources are the dependencies of the package', () => {
    const { dependencies } = JSON.parse(readFileSync(resolve(root, '../package.json'), 'utf8'));
    const used = new Set(packages.map(({ from }) => from.replace(/\/.*/, '')));

    expect([...used].sort()).toEqual(Object.keys(dependencies).sort());
  });

  test.each(Object.entries(doors))('%s', (name, allowed) => {
    const users = packages
      .filter(({ from }) => from === name || from.startsWith(`${name}/`))
      .map(({ file }) => file);

    expect(users.filter((file) => !allowed.includes(file))).toEqual([]);
    expect(users.length, `${name} is used at all`).toBeGreaterThan(0);
  });

  test('is the front door: nothing else of the package can be imported', () => {
    const offered = ['csv-stringify/sync', 'csv-parse/sync'];
    const paths = packages
      .map(({ from }) => from)
      .filter((from) => from.replace(/^@[^/]+\//, '').includes('/'));

    expect(paths.filter((path) => !offered.includes(path))).toEqual([]);
  });
});

test('exports of different files have different names', () => {
  const declared =
    /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm;
  const namesIn = (file: string) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(declared)].map(([, name]) => name);
  const names = files.flatMap((file) => [...new Set(namesIn(file))]);

  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
