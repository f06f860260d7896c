import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run-cli.ts';
import { runToEnd } from '../support/spawn.ts';

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
  'src/commands/tally.ts': `import { flagGroup } from '../app/flags/flag.ts';
import { serviceFlags } from '../app/flags/service-flags.ts';
import { declareCommand } from './command.ts';

const tallyFlags = flagGroup('Options:', {
  loud: { flags: '--loud', meaning: 'with an exclamation mark' },
});

/** Prints how many campaigns there are. */
export const tallyCommand = declareCommand({
  name: 'tally',
  summary: 'how many campaigns there are',
  examples: [['adreport tally --local', 'those of the local server']],
  flags: [serviceFlags, tallyFlags],
  async action({ context, options }) {
    const { length } = await (await context.client()).campaigns();
    await context.console.result(\`\${length} campaigns\${options.loud ? '!' : ''}\`);
    return 0;
  },
});
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

/** Lines of files that are there: the file, the line that it goes before, and the line. */
const lines = `src/contract/vocabulary.ts
] as const satisfies readonly MetricEntry[];
  { name: 'shares', profiles: buyer, type: 'integer', meaning: 'times an ad is passed on to a friend' },

src/contract/vocabulary.ts
] as const satisfies readonly BreakdownEntry[];
  { name: 'LANGUAGE', profiles: buyer, fields: [text('language')], meaning: 'by language' },

src/contract/vocabulary.ts
] as const satisfies readonly FilterEntry[];
  { name: 'language', profiles: buyer, on: 'LANGUAGE', compare: 'text', meaning: 'languages, by name' },

src/output/formats/index.ts
} as const satisfies Record<string, Format>;
  markdown: { endings: ['md'], load: () => import('./markdown.ts') },

src/commands/index.ts
import { viewCommand } from './view.ts';
import { tallyCommand } from './tally.ts';

src/commands/index.ts
      viewCommand,
      tallyCommand,

src/server/faults/kinds.ts
import { type FaultKind, milliseconds, size, wholeNumber } from './fault-kind.ts';
import { teapot } from './teapot.ts';

src/server/faults/kinds.ts
  truncate: {
  teapot,`
  .split('\n\n')
  .map((block) => block.split('\n'));

let copy: string;

/** Runs the program that was built from the copy. */
const run = (...argv: readonly string[]) =>
  runToEnd(process.execPath, [join(copy, 'bin/adreport.js'), ...argv]);

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'adreport-copy-'));
  for (const name of [
    'src',
    'bin',
    '.ci',
    'package.json',
    'tsconfig.json',
    'tsconfig.types.json',
  ]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);
  for (const [file = '', before, line] of lines) {
    const parts = readFileSync(join(copy, file), 'utf8').split(`\n${before}\n`);
    expect(parts, `${file} has one place for ${line}`).toHaveLength(2);
    writeFileSync(join(copy, file), parts.join(`\n${line}\n${before}\n`));
  }
  for (const script of [join(root, 'node_modules/typescript/bin/tsc'), '.ci/build.js']) {
    expect(runToEnd(process.execPath, [script], copy)).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  }
}, 120_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('everything that follows is derived', () => {
  const direct = ['run', '--local', '-q', '--direct', '--period', '2025-11-10'];
  const rows = (...flags: string[]): Record<string, number | null>[] => {
    const result = run(...direct, ...flags, '--format', 'json');
    expect(result.status, result.stderr).toBe(0);
    return JSON.parse(result.stdout).data;
  };

  test('from the entry of a metric: fields, completion, validation at both ends, data that adds up', () => {
    const entry = {
      name: 'shares',
      type: 'integer',
      meaning: 'times an ad is passed on to a friend',
    };

    expect(JSON.parse(run('fields', '--json').stdout).metrics).toContainEqual(entry);
    expect(run('fields', '--profile', 'dsp').stdout).not.toContain('shares');
    expect(run('complete', 'adreport run --metrics clicks,sha').stdout).toBe('clicks,shares\n');
    expect(run(...direct, '--metrics', 'sharse').stderr).toContain('Did you mean shares?');

    const [sum, ...others] = ['DAILY', 'CAMPAIGN', 'HOURLY,OS'].map((by) =>
      rows('--by', by, '--metrics', 'displays,shares').reduce(
        (total, { shares }) => total + Number(shares),
        0,
      ),
    );

    expect(others).toEqual([sum, sum]);
    expect(sum).toBeGreaterThan(0);
  });

  test('from those of a breakdown and a filter', () => {
    const displays = (...flags: string[]) => rows(...flags, '--metrics', 'displays');

    const [day] = displays('--by', 'DAILY');

    // The built-in data knows no languages: all of it is of an unknown one, and none is French.
    expect(displays('--by', 'language')).toMatchObject([
      { language: null, displays: day?.displays },
    ]);
    expect(displays('--by', 'DAILY', '--filter', 'language=French')).toEqual([]);
    expect(run('fields').stdout).toMatch(/--filter +language +languages, by name/);
  });

  test('from the line of a format', () => {
    const job = [...direct, '--by', 'DAILY', '--metrics', 'displays'];

    const table = run(...job, '--format', 'markdown');

    expect(table).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\| date .*\n\| ---.*\n\| 2025-11-10 /),
    });

    const file = join(temporaryFolder(), 'report.md');

    expect(run(...job, '-o', file).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(table.stdout);
    expect(run('complete', 'adreport run --format mark').stdout).toBe('markdown \n');
    expect(run(...job, '--format', 'markdwon').stderr).toContain('Did you mean markdown?');
  });

  test('from the line of a command', () => {
    expect(run('tally', '--local', '--loud').stdout).toMatch(/^\d+ campaigns!\n$/);
    expect(run('--help').stdout).toMatch(/^ +tally .*how many campaigns there are$/m);
    expect(run('complete', 'adreport ta').stdout).toBe('tally \n');
  });

  test.each([
    { spec: 'status:teapot:cups=3:times=1', status: 4, says: '418' },
    { spec: 'status:teapto', status: 2, says: 'Did you mean teapot?' },
    { spec: 'status:teapot:cup=3', status: 2, says: 'Did you mean cups?' },
    { spec: 'buyer:teapot', status: 2, says: 'Write status:teapot.' },
  ])('from the line of a fault: $spec', ({ spec, status, says }) => {
    const client = [
      process.execPath,
      join(copy, 'bin/adreport.js'),
      'run',
      '--period',
      '2025-11-10',
    ];

    const result = run('local-server', '--delay', '0s', '--fault', spec, 'exec', '--', ...client);

    expect(result).toMatchObject({ status, stderr: expect.stringContaining(says) });
  });
});
