import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type CommandLine, temporaryFolder, wordsOf } from '../support/run-cli.ts';
import { runToEnd } from '../support/spawn.ts';

/**
 * Adds a metric, a breakdown with its filter, a format, a command and a fault to a copy of the
 * project, each with a new file and its entries, or with an entry in the vocabulary. The copy is
 * type-checked, built and run.
 */

const root = resolve(import.meta.dirname, '../..');
const typeCheck = join(root, 'node_modules/typescript/bin/tsc');

/** New files, by their paths. */
const newFiles: Readonly<Record<string, string>> = {
  'src/formats/markdown.ts': `import { toRows } from '../rows/row-batch.ts';
import type { Encoder } from '../output/encoder.ts';

/** A Markdown table. */
export function createMarkdownEncoder(): Encoder {
  let hasBegun = false;
  const layOut = (cells: readonly unknown[]): string => \`| \${cells.join(' | ')} |\\n\`;
  return {
    encode(batch) {
      const { fields } = batch;
      const head = hasBegun ? [] : [layOut(fields), layOut(fields.map(() => '---'))];
      hasBegun = true;
      const rows = toRows(batch).map((row) => layOut(fields.map((name) => row[name])));
      return [Buffer.from([...head, ...rows].join(''))];
    },
    end: () => [],
  };
}
`,
  'src/commands/tally.ts': `import { flagGroup } from '../query/flags/flag.ts';
import { serviceFlags } from '../query/flags/service-flags.ts';
import { declareCommand } from './command.ts';

const tallyFlags = flagGroup('Flags:', {
  loud: { flags: '--loud', meaning: 'with an exclamation mark' },
});

/** Prints the number of campaigns. */
export const tallyCommand = declareCommand({
  name: 'tally',
  summary: 'how many campaigns there are',
  examples: [['adreport tally --local', 'those of the local server']],
  flags: [serviceFlags, tallyFlags],
  async action({ context, options }) {
    const { campaigns } = await (await context.account.client()).campaigns();
    await context.console.result(\`\${campaigns.length} campaigns\${options.loud ? '!' : ''}\`);
    return 0;
  },
});
`,
  'src/server/faults/teapot.ts': `import { jsonReply } from '../reply.ts';
import { type FaultKind, wholeNumber } from './fault-kind.ts';

export const teapot: FaultKind = {
  keys: { cups: wholeNumber },
  endpoints: ['status', 'download'],
  effect({ cups = 1 }) {
    return { respond: () => jsonReply({ cups }, 418, { 'x-tea': String(cups) }) };
  },
};
`,
};

/** A new line for an existing file, and the line to insert it before. */
interface NewLine {
  readonly file: string;
  readonly before: string;
  readonly line: string;
}

const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

/** The change that CONTRIBUTING.md shows: an entry of the vocabulary, and its test. */
const [newEntry = '', newTest = ''] = [...contributing.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(
  ([, code = '']) => code,
);

const newMetric: NewLine = {
  file: 'src/contract/vocabulary.ts',
  before: '] as const satisfies readonly MetricEntry[];',
  line: newEntry.trimEnd(),
};

const newFlagGroup = 'src/query/flags/check-flags.ts';

const newLines: readonly NewLine[] = [
  {
    file: newFlagGroup,
    before: "import { flagGroup } from './flag.ts';",
    line: "import { parseCount } from './read-value.ts';",
  },
  {
    file: newFlagGroup,
    before: '  strict: {',
    line: "  minRows: { flags: '--min-rows <n>', meaning: 'fewer rows are too few', read: parseCount },",
  },
  newMetric,
  {
    file: 'src/contract/vocabulary.ts',
    before: '] as const satisfies readonly BreakdownEntry[];',
    line: "  { name: 'LANGUAGE', profiles: buyer, fields: [text('language')], meaning: 'by language' },",
  },
  {
    file: 'src/contract/vocabulary.ts',
    before: '] as const satisfies readonly FilterEntry[];',
    line: "  { name: 'language', profiles: buyer, on: 'LANGUAGE', compare: 'text', meaning: 'languages, by name' },",
  },
  {
    file: 'src/formats/index.ts',
    before: "import { createTableEncoder } from './table.ts';",
    line: "import { createMarkdownEncoder } from './markdown.ts';",
  },
  {
    file: 'src/formats/index.ts',
    before: '  json: {',
    line: '  markdown: { createEncoder: createMarkdownEncoder },',
  },
  {
    file: 'src/query/format-names.ts',
    before: '} as const satisfies Readonly<Record<string, FormatInfo>>;',
    line: "  markdown: { extensions: ['md'] },",
  },
  {
    file: 'src/commands/index.ts',
    before: "import { viewCommand } from './view.ts';",
    line: "import { tallyCommand } from './tally.ts';",
  },
  {
    file: 'src/commands/index.ts',
    before: '      viewCommand,',
    line: '      tallyCommand,',
  },
  {
    file: 'src/server/faults/kinds.ts',
    before: "import { type FaultKind, size, wholeNumber } from './fault-kind.ts';",
    line: "import { teapot } from './teapot.ts';",
  },
  {
    file: 'src/server/faults/kinds.ts',
    before: '  truncate: {',
    line: '  teapot,',
  },
];

/** A copy of the project without its build, which shares the packages of the project. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'adreport-copy-'));
  const ownNames = readdirSync(root).filter(
    (name) => !['node_modules', 'dist', '.git'].includes(name),
  );

  for (const name of ownNames) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  return copy;
}

/** Inserts a line into a file of the copy; the line to insert it before must exist exactly once. */
function insertLine(copy: string, { file, before, line }: NewLine): void {
  const path = join(copy, file);
  const parts = `\n${readFileSync(path, 'utf8')}`.split(`\n${before}\n`);
  expect(parts, `${file} has one place for ${line}`).toHaveLength(2);

  writeFileSync(path, parts.join(`\n${line}\n${before}\n`).slice(1));
}

test('a new metric breaks no test, and its own passes', () => {
  const copy = copyProject();
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  insertLine(copy, newMetric);
  expect(newTest).toMatch(/^test\(/);
  appendFileSync(join(copy, 'test/commands/run.test.ts'), `\n${newTest}`);

  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, stdout } = runToEnd(process.execPath, [vitest, 'run'], copy);

  expect(status, stdout).toBe(0);
});

let copy: string;

/** Runs the program that was built from the copy. */
function run(line: CommandLine, cwd?: string) {
  return runToEnd(process.execPath, [join(copy, 'bin/adreport.js'), ...wordsOf(line)], cwd);
}

beforeAll(() => {
  copy = copyProject();
  for (const [name, text] of Object.entries(newFiles)) writeFileSync(join(copy, name), text);
  for (const line of newLines) insertLine(copy, line);

  for (const script of [typeCheck, '.ci/build.js']) {
    const result = runToEnd(process.execPath, [script], copy);
    expect(result).toEqual({ status: 0, stdout: '', stderr: '' });
  }
}, 120_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('everything that follows is derived', () => {
  const day = 'run --local -q --direct --period 2025-11-10';

  /** The rows of a report of that day. */
  function rowsOf(flags: string): Record<string, number | null>[] {
    const { status, stdout, stderr } = run(`${day} ${flags} --format json`);

    expect(status, stderr).toBe(0);
    return JSON.parse(stdout).data;
  }

  test('from the entry of a metric: fields, and validation at both ends', () => {
    const entry = {
      name: 'shares',
      type: 'integer',
      meaning: 'times an ad is shared',
    };

    expect(JSON.parse(run('fields --json').stdout).metrics).toContainEqual(entry);
    expect(run('fields --profile dsp').stdout).not.toContain('shares');
    expect(run(`${day} --metrics sharse`).stderr).toContain('Did you mean shares?');
  });

  test('from the entries of a breakdown and a filter', () => {
    const [day] = rowsOf('--by DAILY --metrics displays');

    // The built-in data has no languages: all rows have an unknown one, and none is French.
    expect(rowsOf('--by language --metrics displays')).toMatchObject([
      { language: 'unknown', displays: day?.displays },
    ]);
    expect(rowsOf('--by DAILY --metrics displays --filter language=French')).toEqual([]);
    expect(run('fields').stdout).toMatch(/--filter +language +languages, by name/);
  });

  test('from the line of a format', () => {
    const byDay = `${day} --by DAILY --metrics displays`;
    const file = join(temporaryFolder(), 'report.md');

    const table = run(`${byDay} --format markdown`);

    expect(table.status).toBe(0);
    expect(table.stdout).toMatch(/^\| date .*\n\| ---.*\n\| 2025-11-10 /);
    expect(run(`${byDay} -o ${file}`).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(table.stdout);
    expect(run('complete -- run --format mark').stdout).toBe('markdown\n');
    expect(run(`${byDay} --format markdwon`).stderr).toContain('Did you mean markdown?');
  });

  test('from the line of a command', () => {
    expect(run('tally --local --loud').stdout).toMatch(/^\d+ campaigns!\n$/);
    expect(run('--help-all').stdout).toMatch(/^ +tally .*how many campaigns there are$/m);
    expect(run('complete -- ta').stdout).toBe('tally\n');
  });

  describe('from the entry of a flag', () => {
    const days = 'run --local -q --period 2025-11-10..2025-11-12 --by DAILY --split day';
    const keeps = `${days} -o d={date}/part.csv --min-rows 5`;

    const declarationIn = (folder: string): string => {
      return readFileSync(join(folder, '_adreport.yaml'), 'utf8');
    };

    test('the declaration has it, and update runs with it', () => {
      const folder = temporaryFolder();
      expect(run(keeps, folder)).toMatchObject({ status: 0, stderr: '' });
      rmSync(join(folder, 'd=2025-11-11'), { recursive: true });

      expect(declarationIn(folder)).toContain('min-rows: 5\n');
      expect(run('update .', folder).status).toBe(0);
      expect(run('check .', folder).status).toBe(0);
    });
  });

  test.each([
    { spec: 'status:teapot:cups=3:times=1', status: 4, says: '418' },
    { spec: 'status:teapto', status: 2, says: 'Did you mean teapot?' },
    { spec: 'status:teapot:cup=3', status: 2, says: 'Did you mean cups?' },
    { spec: 'buyer:teapot', status: 2, says: 'Use status:teapot.' },
  ])('from the line of a fault: $spec', ({ spec, status, says }) => {
    const client = `${process.execPath} ${join(copy, 'bin/adreport.js')} run --period 2025-11-10`;

    const result = run(`local-server --delay 0s --fault ${spec} exec -- ${client}`);

    expect(result).toMatchObject({ status, stderr: expect.stringContaining(says) });
  });
});
