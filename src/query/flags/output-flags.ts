import { formatNames } from '../../formats/index.ts';
import { shellWord } from '../../text/quote-for-shell.ts';
import { type OptionsOf, runFlagGroup, type TypedLine } from './flag.ts';
import { readColumns } from './read-value.ts';

/** Formats how to write two files: the line as typed with one file, and a view for each. */
function hintOnTwoFiles(first: string, second: string, { argv, platform }: TypedLine): string {
  const parquet = first.replace(/(\.\w+)*$/, '.parquet');
  const words: string[] = [];
  let isValue = false;
  for (const word of argv) {
    const isFile = /^(-o|--output\b|--format\b)/.test(word);
    if (!isFile && !isValue) words.push(word);
    isValue = /^(-o|--output|--format)$/.test(word);
  }

  const inShell = (line: readonly string[]): string =>
    ['adreport', ...line].map((word) => shellWord(word, platform)).join(' ');
  const run = inShell([...words, '-o', parquet]);
  const views = [first, second].map((file) => inShell(['view', parquet, '-o', file]));
  return `Write one file: ${run}\nThen: ${views.join(' && ')}`;
}

/** Flags for the destination and the format of a result. */
export const outputFlags = runFlagGroup('Output:', {
  output: {
    belongsTo: 'spec',
    flags: '-o, --output <file>',
    meaning:
      'file to write, - for stdout; may have {date} {since} {until} {account} {report} {profile} {id}',
    hintIfTwice: hintOnTwoFiles,
  },
  format: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--format <name>',
    meaning: 'csv, json, ndjson, parquet, xlsx, html, pdf or table (default: from the file name)',
    words: formatNames,
  },
  title: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--title <text>',
    meaning: 'html, pdf and xlsx: the heading (default: the breakdowns of the report)',
    formats: ['html', 'pdf', 'xlsx'],
    isRare: true,
  },
  note: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--note <text>',
    meaning: 'html, pdf and xlsx: a note to the readers, below the heading',
    formats: ['html', 'pdf', 'xlsx'],
    isRare: true,
  },
  open: {
    belongsTo: 'this-run',
    flags: '--open',
    meaning: 'open the file when it is complete; pages open in the browser',
    isNeverSaved: true,
    isRare: true,
  },
  clobber: {
    belongsTo: 'this-run',
    flags: '--no-clobber',
    meaning: 'refuse to replace an existing file',
    isRare: true,
  },
  columns: {
    belongsTo: 'spec',
    partOf: 'request',
    flags: '--columns <a,b>',
    meaning: 'columns to write, in this order; all: every field from the service',
    read: readColumns,
  },
  normalize: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--normalize',
    meaning: 'write decimal points, and name the dollar column revenueDollar in both profiles',
    isRare: true,
  },
  excel: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--excel',
    meaning: 'CSV for Excel in European locales: semicolons, decimal commas, BOM, no formulas',
    formats: ['csv'],
  },
});

const { title, note, open, normalize, output, ...listFlags } = outputFlags.flags;

/** Output flags for lists, which have no heading, note or metrics. */
export const listOutputFlags = runFlagGroup(outputFlags.heading, {
  output: {
    ...output,
    meaning: 'file to write, - for stdout; takes {account}',
    hintIfTwice: undefined,
  },
  ...listFlags,
});

/** `clobber` is false for `--no-clobber`. */
export type OutputFlags = OptionsOf<typeof outputFlags>;
