import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runNode } from '../support/packed-program.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/**
 * One thing, one file: a metric, a breakdown with its filter, a format, a command and a fault are added to a copy of the
 * project, each by a new file and its line, or by an entry of the vocabulary alone; the copy is type-checked, built and run.
 */

const root = resolve(import.meta.dirname, '../..');

/** New files. */
const files: Readonly<Record<string, string>> = {
  'src/output/formats/markdown.ts': `import { rowsOf } from '../../rows/row-batch.ts';
import type { EncodeOptions, Encoder } from '../encoder.ts';

/** A table that Markdown shows. */
export function createEncoder(_options: EncodeOptions): Encoder {
  let hasBegun = false;
  const layOut = (cells: readonly unknown[]): string => \`| \${cells.join(' | ')} |\\n\`;
  return {
    encode(batch) {
      const { fields } = batch;
      const head = hasBegun ? [] : [layOut(fields), layOut(fields.map(() => '---'))];
      hasBegun = true;
      const rows = rowsOf(batch).map((row) => layOut(fields.map((name) => row[name])));
      return [Buffer.from([...head, ...rows].join(''))];
    },
    end: () => [],
  };
}
`,
  'src/commands/tally.ts': `import { addServiceFlags, type ServiceFlags } from '../app/flags.ts';
import type { Context } from '../context.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

interface TallyOptions extends ServiceFlags {
  readonly loud?: boolean;
}

export const tallyCommand: CommandBuilder = (perform) =>
  addServiceFlags(
    declareCommand('tally', 'how many campaigns there are', [['adreport tally --local', 'those of the local server']]),
  )
    .option('--loud', 'with an exclamation mark')
    .action(perform(tally));

/** Prints how many campaigns there are. */
async function tally(context: Context, { loud }: TallyOptions): Promise<void> {
  const { length } = await (await context.client()).campaigns();
  await context.console.result(\`\${length} campaigns\${loud ? '!' : ''}\`);
}
`,
  'src/server/faults/teapot.ts': `import { jsonAnswer } from '../answer.ts';
import { type FaultKind, wholeNumber } from './fault-kind.ts';

export const teapot: FaultKind = {
  meaning: 'the server makes tea, so many cups of it',
  keys: { cups: wholeNumber },
  reach: ['status', 'download'],
  effect: ({ cups = 1 }) => ({ answer: () => jsonAnswer({ cups }, 418, { 'x-tea': String(cups) }) }),
};
`,
};

/** Lines of files that are there, each with the line that it goes before. */
const lines: readonly (readonly [file: string, before: string, text: string])[] = [
  [
    'src/contract/vocabulary.ts',
    '] as const satisfies readonly MetricEntry[];\n',
    "  { name: 'shares', profiles: buyer, type: 'integer', meaning: 'times an ad is passed on to a friend' },\n",
  ],
  [
    'src/contract/vocabulary.ts',
    '] as const satisfies readonly BreakdownEntry[];\n',
    "  { name: 'LANGUAGE', profiles: buyer, fields: [text('language')], meaning: 'by language' },\n",
  ],
  [
    'src/contract/vocabulary.ts',
    '] as const satisfies readonly FilterEntry[];\n',
    "  { name: 'language', profiles: buyer, on: 'LANGUAGE', compare: 'text', meaning: 'languages, by name' },\n",
  ],
  [
    'src/output/formats/index.ts',
    '} as const satisfies Record<string, Format>;\n',
    "  markdown: { endings: ['md'], load: () => import('./markdown.ts') },\n",
  ],
  [
    'src/commands/index.ts',
    "import { viewCommand } from './view.ts';\n",
    "import { tallyCommand } from './tally.ts';\n",
  ],
  ['src/commands/index.ts', "  ['Reports:', 'view', viewCommand],\n", "  ['Reports:', 'tally', tallyCommand],\n"],
  ['src/server/faults/kinds.ts', '\n/** Every kind of fault', "import { teapot } from './teapot.ts';\n"],
  ['src/server/faults/kinds.ts', '  truncate: {\n', '  teapot,\n'],
];

let copy: string;

/** Runs the program that was built from the copy. */
function run(...argv: readonly string[]) {
  return runNode(process.execPath, [join(copy, 'bin/adreport.js'), ...argv], temporaryFolder());
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'adreport-copy-'));
  for (const name of ['src', 'bin', '.ci', 'package.json', 'tsconfig.json', 'tsconfig.types.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);
  for (const [file, before, text] of lines) {
    const parts = readFileSync(join(copy, file), 'utf8').split(before);
    expect(parts, `${file} has one place for it`).toHaveLength(2);
    writeFileSync(join(copy, file), parts.join(text + before));
  }
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  expect(runNode(process.execPath, [compiler], copy)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(runNode(process.execPath, ['.ci/build.js'], copy)).toEqual({ status: 0, stdout: '', stderr: '' });
}, 120_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('everything that follows is derived', () => {
  const direct = ['run', '--local', '-q', '--direct', '--period', '2025-11-10'];

  test('from the entry of a metric: fields, completion, validation at both ends, data that adds up', () => {
    const entry = { name: 'shares', type: 'integer', meaning: 'times an ad is passed on to a friend' };
    expect(JSON.parse(run('fields', '--json').stdout).metrics).toContainEqual(entry);
    expect(run('fields', '--profile', 'dsp').stdout).not.toContain('shares');
    expect(run('complete', 'adreport run --metrics clicks,sha').stdout).toBe('clicks,shares\n');
    expect(run(...direct, '--metrics', 'sharse').stderr).toContain('Did you mean shares?');
    const report = (by: string): Record<string, number>[] => {
      const result = run(...direct, '--by', by, '--metrics', 'displays,shares', '--format', 'json');
      expect(result).toMatchObject({ status: 0, stderr: '' });
      return JSON.parse(result.stdout).data;
    };
    const sums = ['DAILY', 'CAMPAIGN', 'HOURLY,OS'].map((by) =>
      report(by).reduce((sum, { shares = Number.NaN }) => sum + shares, 0),
    );
    expect([sums[1], sums[2]]).toEqual([sums[0], sums[0]]);
    expect(sums[0]).toBeGreaterThan(0);
  });

  test('from those of a breakdown and a filter', () => {
    const rows = (...flags: string[]) =>
      JSON.parse(run(...direct, ...flags, '--metrics', 'displays', '--format', 'json').stdout).data;
    const [{ displays }] = rows('--by', 'DAILY');
    // The built-in data knows no languages: all of it is of an unknown one, and none is French.
    expect(rows('--by', 'language')).toMatchObject([{ language: null, displays }]);
    expect(rows('--by', 'DAILY', '--filter', 'language=French')).toEqual([]);
    expect(run('fields').stdout).toMatch(/--filter +language +languages, by name/);
  });

  test('from the line of a format', () => {
    const job = [...direct, '--by', 'DAILY', '--metrics', 'displays'];
    const table = run(...job, '--format', 'markdown');
    expect(table).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\| date .*\n\| ---.*\n\| 2025-11-10 /) });
    const file = join(temporaryFolder(), 'report.md');
    expect(run(...job, '-o', file).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(table.stdout);
    expect(run('complete', 'adreport run --format mark').stdout).toBe('markdown \n');
    expect(run(...job, '--format', 'markdwon').stderr).toContain('Did you mean markdown?');
  });

  test('from the line of a command', () => {
    expect(run('tally', '--local', '--loud')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+ campaigns!\n$/),
    });
    expect(run('--help').stdout).toMatch(/^ +tally .*how many campaigns there are$/m);
    expect(run('complete', 'adreport ta').stdout).toBe('tally \n');
  });

  test('from the line of a fault', () => {
    const client = [process.execPath, join(copy, 'bin/adreport.js'), 'run', '--period', '2025-11-10'];
    const serve = (spec: string) => run('local-server', '--delay', '0s', '--fault', spec, 'exec', '--', ...client);
    expect(serve('status:teapot:cups=3:times=1')).toMatchObject({ status: 4, stderr: expect.stringContaining('418') });
    for (const [spec, hint] of [
      ['status:teapto', 'Did you mean teapot?'],
      ['status:teapot:cup=3', 'Did you mean cups?'],
      ['buyer:teapot', 'Write status:teapot.'],
    ] as const) {
      expect(serve(spec)).toMatchObject({ status: 2, stderr: expect.stringContaining(hint) });
    }
  });
});
