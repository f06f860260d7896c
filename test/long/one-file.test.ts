import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { expect, test } from 'vitest';
import { type Addition, breakdown, command, fault, format, metric } from '../support/additions.ts';
import { runNode } from '../support/packed-program.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** One thing, one file: each is added to a copy of the project, which is built and run. */

const root = resolve(import.meta.dirname, '../..');
const copied = ['src', 'bin', '.ci', 'package.json', 'tsconfig.json', 'tsconfig.types.json'];
const day = ['--period', '2025-11-10'];
/** At once, without a report that takes its time. */
const direct = ['run', '--local', '-q', '--direct', ...day];

interface Copy {
  readonly folder: string;
  /** The files in which it differs from the project. */
  readonly touched: readonly string[];
  /** Runs the program that was built from it. */
  run(...argv: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
}

/** Copies the project, adds to it and builds it. */
function buildWith(...additions: readonly Addition[]): Copy {
  const folder = temporaryFolder();
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const { files, lines } of additions) {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (const { file, before, text } of lines) {
      const path = join(folder, file);
      const parts = readFileSync(path, 'utf8').split(before);
      expect(parts, `${file} has one place for it`).toHaveLength(2);
      writeFileSync(path, parts.join(text + before));
    }
  }
  expect(runNode(process.execPath, ['.ci/build.js'], folder)).toEqual({ status: 0, stdout: '', stderr: '' });
  return { folder, touched: differences(folder), run: (...argv) => runProgram(folder, argv) };
}

function runProgram(folder: string, argv: readonly string[]) {
  const program = join(folder, 'bin/adreport.js');
  return runNode(process.execPath, [program, ...argv], temporaryFolder());
}

function differences(folder: string): string[] {
  const names = new Set([root, folder].flatMap((place) => copied.flatMap((name) => filesBelow(place, name))));
  const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'latin1') : '');
  return [...names].filter((name) => textOf(join(root, name)) !== textOf(join(folder, name))).sort();
}

function filesBelow(place: string, name: string): string[] {
  const path = join(place, name);
  if (!statSync(path).isDirectory()) return [name];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((below) => statSync(join(path, below)).isFile())
    .map((below) => [name, ...below.split(sep)].join('/'));
}

const done = { status: 0, stderr: '' };

test('a metric is one entry of the vocabulary', () => {
  const { touched, run } = buildWith(metric);
  expect(touched).toEqual(['src/contract/vocabulary.ts']);

  const entry = { name: 'shares', type: 'integer', meaning: 'times an ad is passed on to a friend' };
  expect(JSON.parse(run('fields', '--profile', 'buyer', '--json').stdout).metrics).toContainEqual(entry);
  expect(run('fields', 'friend', '--profile', 'buyer').stdout).toMatch(/--metrics +shares/);
  expect(run('fields', '--profile', 'dsp').stdout).not.toContain('shares');
  expect(run('complete', 'zsh', '--', 'run', '--metrics', 'clicks,sha').stdout).toBe(
    `open\nclicks,shares\t${entry.meaning}\n`,
  );

  const asked = run('run', '--local', ...day, '--metrics', 'shares', '--dry-run', '--json');
  expect(JSON.parse(asked.stdout).requests[0].body.metrics).toBe('shares');
  const misspelt = run('run', '--local', ...day, '--metrics', 'sharse');
  expect(misspelt).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean shares?') });
  const others = run('run', '--local', '--profile', 'dsp', ...day, '--metrics', 'shares');
  expect(others).toMatchObject({ status: 2, stderr: expect.stringContaining('shares') });

  const report = (by: string, metrics: string, program = run): Record<string, number | string>[] => {
    const result = program(...direct, '--by', by, '--metrics', metrics, '--format', 'json');
    expect(result).toMatchObject(done);
    return JSON.parse(result.stdout).data;
  };
  // Every breakdown adds up to the same, and a share of the displays stands for what the built-in data says nothing of.
  const sums = ['DAILY', 'CAMPAIGN', 'HOURLY,OS'].map((by) =>
    report(by, 'displays,shares').reduce((sum, { shares }) => sum + Number(shares), 0),
  );
  expect(new Set(sums).size).toBe(1);
  for (const row of report('CAMPAIGN', 'displays,shares')) {
    expect(Number.isInteger(row.shares)).toBe(true);
    expect(row.shares).toBeGreaterThan(0);
    expect(row.shares).toBeLessThan(Number(row.displays));
  }
  const { stdout: all } = run(...direct, '--format', 'csv');
  expect(all.split(/\r?\n/)[0]?.split(',').slice(-2)).toEqual(['eyesTrackings', 'shares']);
  // The facts of the others are what they were.
  const before = (...argv: string[]) => runProgram(root, argv);
  expect(report('CAMPAIGN', 'clicks,revenueEuro')).toEqual(report('CAMPAIGN', 'clicks,revenueEuro', before));
});

test('so are a breakdown and a filter', () => {
  const { touched, run } = buildWith(breakdown);
  expect(touched).toEqual(['src/contract/vocabulary.ts']);

  const rows = (...flags: string[]) => {
    const result = run(...direct, ...flags, '--metrics', 'displays', '--format', 'json');
    expect(result.status).toBe(0);
    return JSON.parse(result.stdout).data;
  };
  // The built-in data knows no languages: all of it is of an unknown one, and none is French.
  const [{ displays }] = rows('--by', 'DAILY');
  expect(rows('--by', 'language')).toMatchObject([{ language: null, displays }]);
  expect(rows('--by', 'DAILY', '--filter', 'language=French')).toEqual([]);
  expect(run('complete', 'zsh', '--', 'run', '--by', 'DAILY,LAN').stdout).toBe('open\nDAILY,LANGUAGE\tby language\n');
  expect(run('fields', '--profile', 'buyer').stdout).toMatch(/--filter +language +languages, by name/);
  expect(run('help', 'filters').stdout).toContain('languages, by name');
});

test('a format is one file and its line', () => {
  const { touched, run } = buildWith(format);
  expect(touched).toEqual(['src/output/formats/index.ts', 'src/output/formats/markdown.ts']);

  const job = [...direct, '--by', 'DAILY', '--metrics', 'displays'];
  const [, values] = run(...job, '--columns', 'date,displays', '--format', 'csv').stdout.split(/\r?\n/);
  const table = run(...job, '--format', 'markdown');
  expect(table).toMatchObject(done);
  const [names = [], rule, cells = []] = table.stdout.split('\n').map((line) => line.slice(2, -2).split(' | '));
  expect(new Set(rule)).toEqual(new Set(['---']));
  expect(['date', 'displays'].map((name) => cells[names.indexOf(name)]).join()).toBe(values);

  const folder = temporaryFolder();
  const file = join(folder, 'report.md');
  expect(run(...job, '-o', file)).toMatchObject(done);
  expect(readFileSync(file, 'utf8')).toBe(table.stdout);

  expect(run('help', 'output').stdout).toMatch(/^ +markdown +a table for a wiki/m);
  expect(run('complete', 'zsh', '--', 'run', '--format', 'mark').stdout).toMatch(/^words\nmarkdown\t/);
  const misspelt = run(...job, '--format', 'markdwon');
  expect(misspelt).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean markdown?') });
});

test('a command is a declaring file, a doing file and its line', () => {
  const { touched, run } = buildWith(command);
  expect(touched).toEqual(['src/commands/index.ts', 'src/commands/tally.ts']);

  expect(run('tally', '--local')).toMatchObject({ ...done, stdout: expect.stringMatching(/^[1-9]\d* campaigns\n$/) });
  expect(run('tally', '--local', '--loud').stdout).toMatch(/campaigns!\n$/);
  const help = run('tally', '--help').stdout;
  for (const text of ['Usage: adreport tally', 'how many campaigns', '--loud', '--local']) expect(help).toContain(text);
  expect(run('--help').stdout).toMatch(/^ +tally .*how many campaigns there are$/m);
  expect(run('complete', 'zsh', '--', 'ta').stdout).toBe('words\ntally\thow many campaigns there are\n');
  expect(run('taly')).toMatchObject({ status: 2, stderr: expect.stringContaining('tally') });
});

test('a fault is one file and its line', () => {
  const { folder, touched, run } = buildWith(fault);
  expect(touched).toEqual(['src/server/faults/kinds/index.ts', 'src/server/faults/kinds/teapot.ts']);

  const client = [process.execPath, join(folder, 'bin/adreport.js'), 'run', ...day];
  const serve = (spec: string) => run('local-server', '--delay', '0s', '--fault', spec, 'exec', '--', ...client);
  const struck = serve('status:teapot:cups=3:times=1');
  expect(struck).toMatchObject({ status: 4, stderr: expect.stringContaining('418') });
  expect(struck.stderr).toMatch(/ POST \/status-reporting 418 .* \[teapot\]$/m);

  const mistakes = [
    ['status:teapto', 'Did you mean teapot?'],
    ['status:brew', 'an HTTP status, reset, garbage'],
    ['status:brew', 'teapot'],
    ['status:teapot:cup=3', 'Did you mean cups?'],
    ['status:teapot:cups=x', 'cups=x is no whole number'],
    ['buyer:teapot', 'Write status:teapot.'],
  ] as const;
  for (const [spec, hint] of mistakes) {
    expect(serve(spec)).toMatchObject({ status: 2, stderr: expect.stringContaining(hint) });
  }
  expect(run('help', 'local-server').stdout).toMatch(/^ +teapot:cups=2 +the server makes tea/m);
  expect(run('complete', 'zsh', '--', 'local-server', '--fault', 'status:tea').stdout).toMatch(
    /^open\nstatus:teapot\tthe server makes tea/,
  );
});

test('all together are typed, and work together', () => {
  const { folder, touched, run } = buildWith(metric, breakdown, format, command, fault);
  expect(touched).toEqual([
    'src/commands/index.ts',
    'src/commands/tally.ts',
    'src/contract/vocabulary.ts',
    'src/output/formats/index.ts',
    'src/output/formats/markdown.ts',
    'src/server/faults/kinds/index.ts',
    'src/server/faults/kinds/teapot.ts',
  ]);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  expect(runNode(process.execPath, [compiler], folder)).toEqual({ status: 0, stdout: '', stderr: '' });
  const report = run(...direct, '--by', 'DAILY', '--metrics', 'shares', '--format', 'markdown');
  expect(report).toMatchObject({
    ...done,
    stdout: expect.stringMatching(/^\| date .*\| shares .*\n.*\n\| 2025-11-10 /),
  });
});
