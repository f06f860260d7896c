/** What somebody may add to the project: each is complete, and small. */

/** What is added: files that are new, and lines that go before a line that is there. */
export interface Addition {
  readonly files: Readonly<Record<string, string>>;
  readonly lines: readonly { readonly file: string; readonly before: string; readonly text: string }[];
}

export const metric: Addition = {
  files: {},
  lines: [
    {
      file: 'src/contract/vocabulary.ts',
      before: '] as const satisfies readonly MetricEntry[];\n',
      text: "  { name: 'shares', profiles: ['buyer'], type: 'integer', meaning: 'times an ad is passed on to a friend' },\n",
    },
  ],
};

export const breakdown: Addition = {
  files: {},
  lines: [
    {
      file: 'src/contract/vocabulary.ts',
      before: '] as const satisfies readonly BreakdownEntry[];\n',
      text: "  { name: 'LANGUAGE', profiles: ['buyer'], fields: [{ name: 'language', type: 'text' }], meaning: 'by language' },\n",
    },
    {
      file: 'src/contract/vocabulary.ts',
      before: '] as const satisfies readonly FilterEntry[];\n',
      text: "  { name: 'language', profiles: ['buyer'], on: 'LANGUAGE', compare: 'text', meaning: 'languages, by name' },\n",
    },
  ],
};

export const format: Addition = {
  files: {
    'src/output/formats/markdown.ts': `import type { EncodeOptions, Encoder } from '../encoder.ts';

/** A table that Markdown shows. */
export function createEncoder(_options: EncodeOptions): Encoder {
  let hasBegun = false;
  const layOut = (cells: readonly unknown[]): string => \`| \${cells.join(' | ')} |\\n\`;
  return {
    encode({ bytes, fields, rowCount, rowStarts, rowEnds }) {
      const lines = hasBegun ? [] : [layOut(fields), layOut(fields.map(() => '---'))];
      hasBegun = true;
      for (let row = 0; row < rowCount; row++) {
        const values: Record<string, unknown> = JSON.parse(bytes.toString('utf8', rowStarts[row], rowEnds[row]));
        lines.push(layOut(fields.map((name) => values[name])));
      }
      return [Buffer.from(lines.join(''))];
    },
    end: () => [],
  };
}
`,
  },
  lines: [
    {
      file: 'src/output/formats/index.ts',
      before: '} as const satisfies Record<string, Format>;\n',
      text: "  markdown: { endings: ['md'], meaning: 'a table for a wiki', load: () => import('./markdown.ts') },\n",
    },
  ],
};

export const command: Addition = {
  files: {
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
  },
  lines: [
    {
      file: 'src/commands/index.ts',
      before: "import { viewCommand } from './view.ts';\n",
      text: "import { tallyCommand } from './tally.ts';\n",
    },
    { file: 'src/commands/index.ts', before: '    viewCommand,\n', text: '    tallyCommand,\n' },
  ],
};

export const fault: Addition = {
  files: {
    'src/server/faults/kinds/teapot.ts': `import { jsonAnswer } from '../../answer.ts';
import type { FaultKind } from '../fault-kind.ts';

export const teapot: FaultKind = {
  meaning: 'the server makes tea, so many cups of it',
  keys: { cups: '2' },
  reach: ['status', 'download'],
  read(keys) {
    const cups = keys.takeWhole('cups') ?? 1;
    return { answer: () => jsonAnswer({ cups }, 418, { 'x-tea': String(cups) }) };
  },
};
`,
  },
  lines: [
    {
      file: 'src/server/faults/kinds/index.ts',
      before: "import { truncate } from './truncate.ts';\n",
      text: "import { teapot } from './teapot.ts';\n",
    },
    { file: 'src/server/faults/kinds/index.ts', before: '  truncate,\n', text: '  teapot,\n' },
  ],
};
