import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The rules of the house: who may import whom, one door per package, no circle, and one meaning a name. */

const root = resolve(import.meta.dirname, '../src');

const leaves = ['contract', 'text', 'errors'];
const rooms = ['api', 'rows', 'report', 'view', 'output', 'config', 'ui'];

/** Which folder may import from which others (`CONTRIBUTING.md`, The house). */
const folders: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  text: [],
  errors: [],
  api: leaves,
  rows: leaves,
  report: [...leaves, 'rows'],
  view: [...leaves, 'rows'],
  output: [...leaves, 'rows', 'view'],
  config: leaves,
  ui: leaves,
  server: leaves,
  help: [...leaves, 'ui', 'config', 'report', 'output', 'server'],
  app: [...leaves, ...rooms, 'context'],
  commands: [...leaves, ...rooms, 'server', 'context', 'app', 'help'],
};

/** The steps of a report in their order: each imports only those that stand before it. */
const stepsOfReport = [
  'flags',
  'plan',
  'names',
  // Where a report goes is settled before it is asked for.
  'page-extras',
  'deliver',
  // What a folder of reports knows of itself settles which parts are fetched.
  'folder-check',
  'folder-files',
  'report-question',
  'standing-file',
  'archive',
  'accounts',
  'saved-reports',
  'order',
  'wait',
  'receive',
  'announce',
  'parts',
  'compare',
];

/** The files that know a package. */
const doors: Readonly<Record<string, readonly string[]>> = {
  undici: ['api/http.ts'],
  conf: ['config/store.ts'],
  'proper-lockfile': ['config/store.ts'],
  inquirer: ['ui/prompt.ts'],
  'cli-progress': ['ui/progress.ts'],
  chalk: ['ui/console.ts'],
  'd3-scale': ['output/html/time-chart.ts', 'output/table/text-charts.ts'],
  'd3-shape': ['output/html/time-chart.ts'],
  'd3-time': ['view/time-axis.ts'],
  'd3-time-format': ['view/time-axis.ts'],
  'csv-stringify': ['output/formats/csv.ts'],
  'csv-parse': ['rows/csv-rows.ts', 'server/fixtures/read-file.ts'],
  luxon: [
    'report/compared-window.ts',
    'report/window.ts',
    'report/window-flags.ts',
    'view/window-text.ts',
    'server/calendar.ts',
  ],
  hyparquet: ['rows/parquet-reader.ts', 'output/formats/parquet.ts'],
  'hyparquet-writer': ['output/formats/parquet.ts'],
  fastify: ['server/app.ts', 'server/answer.ts', 'server/call-handler.ts', 'server/start.ts'],
  yaml: ['config/project-file.ts'],
  zod: ['server/fixtures/schemas.ts', 'server/fixtures/read-file.ts'],
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
  join(dirname(file), from).split(sep).join('/');

/** The folder of a file under src, or the file's own name for those at the top. */
function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : file.replace(/\.ts$/, '');
}

describe('the import table', () => {
  test('the search finds imports, and what they mean', () => {
    expect(own.length).toBeGreaterThan(files.length);
    expect(own.map(targetOf).filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });

  test.each(Object.entries(folders))('%s imports only what it may', (folder, allowed) => {
    const strangers = own
      .filter(({ file }) => folderOf(file) === folder)
      .map((one) => `${one.file} → ${targetOf(one)}`)
      .filter((line) => ![folder, ...allowed].includes(folderOf(line.split(' → ')[1] ?? '')));
    expect(strangers).toEqual([]);
  });

  test('a step of app imports only what comes before it', () => {
    const stepOf = (file: string): string => file.split('/')[1]?.replace(/\.ts$/, '') ?? '';
    const positionOf = (file: string): number => stepsOfReport.indexOf(stepOf(file));

    const steps = files.filter((file) => folderOf(file) === 'app');
    expect(steps.filter((file) => positionOf(file) === -1)).toEqual([]);

    const reachingBack = own
      .filter((one) => folderOf(one.file) === 'app' && folderOf(targetOf(one)) === 'app')
      .filter((one) => stepOf(one.file) !== stepOf(targetOf(one)))
      .filter((one) => positionOf(targetOf(one)) > positionOf(one.file))
      .map((one) => `${one.file} → ${targetOf(one)}`);
    expect(reachingBack).toEqual([]);
  });

  test('where values stand in the bytes is known to rows alone', () => {
    const strangers = own.filter(
      (one) => folderOf(one.file) !== 'rows' && targetOf(one) === 'rows/row-ranges.ts',
    );
    expect(strangers).toEqual([]);
  });

  test('every folder stands in the table', () => {
    const wiring = ['main', 'program', 'context', 'host', 'version', 'local-server'];
    expect(
      files.map(folderOf).filter((folder) => !(folder in folders) && !wiring.includes(folder)),
    ).toEqual([]);
  });

  test('no file imports itself through others, types included', () => {
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

describe('one door per package', () => {
  const packages = imports.filter(({ from }) => !/^(?:\.|node:)/.test(from));

  test.each(Object.entries(doors))('%s', (name, allowed) => {
    const users = packages
      .filter(({ from }) => from === name || from.startsWith(`${name}/`))
      .map(({ file }) => file);

    expect(users.filter((file) => !allowed.includes(file))).toEqual([]);
    expect(users.length, `${name} is used at all`).toBeGreaterThan(0);
  });

  test('is the front door: no path into a package but what it offers', () => {
    const offered = ['csv-stringify/sync', 'csv-parse/sync'];
    const paths = packages
      .map(({ from }) => from)
      .filter((from) => from.replace(/^@[^/]+\//, '').includes('/'));

    expect(paths.filter((path) => !offered.includes(path))).toEqual([]);
  });
});

test('no two exports of different files have one name', () => {
  const declared =
    /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm;
  const namesIn = (file: string) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(declared)].map(([, name]) => name);
  // Each format is one file that exports this, so that `formats/index.ts` loads any of them alike.
  const names = files
    .flatMap((file) => [...new Set(namesIn(file))])
    .filter((name) => name !== 'createEncoder');

  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
