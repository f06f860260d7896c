import { formatNames, formats } from '../../formats/index.ts';
import { type OptionsOf, runFlagGroup } from './flag.ts';
import { readColumns } from './read-value.ts';

/** The formats that are written in a dialect of CSV. */
const csvFormats = formatNames.filter((name) => formats[name].usesCsvDialect);

/** Where a result goes, and in which form (`cli.md`, Output). */
export const outputFlags = runFlagGroup('Output:', {
  output: {
    belongsTo: 'spec',
    flags: '-o, --output <file>',
    meaning:
      'file to write, - for stdout; takes {profile} {report} {account} {since} {until} {date} {id}',
    otherNames: ['--out', '--outfile', '--output-file', '--save'],
  },
  format: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--format <name>',
    meaning:
      "format of the output (default: by the file's ending; table on a terminal, csv in a pipe, json with --json)",
    words: formatNames,
  },
  title: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--title <text>',
    meaning: 'html, pdf and xlsx: the heading (default: what the report is broken down by)',
    formats: ['html', 'pdf', 'xlsx'],
    needsItsFormats: true,
    isRare: true,
  },
  note: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--note <text>',
    meaning: 'html, pdf and xlsx: some words to the readers, below the heading',
    formats: ['html', 'pdf', 'xlsx'],
    needsItsFormats: true,
    isRare: true,
  },
  logo: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--logo <file>',
    meaning: 'html and pdf: a picture for the head, PNG or SVG, at most 200 KB',
    formats: ['html', 'pdf'],
    needsItsFormats: true,
    isRare: true,
  },
  open: {
    belongsTo: 'this-run',
    flags: '--open',
    meaning: 'show the file once it is written, a page in the browser',
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
    meaning: 'columns to write, in this order; all: every field that the service sends',
    read: readColumns,
  },
  normalize: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--normalize',
    meaning: 'write decimal points, and name dollars revenueDollar in both profiles',
    isRare: true,
  },
  delimiter: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--delimiter <c>',
    meaning: 'CSV delimiter (default: ,)',
    formats: csvFormats,
    isRare: true,
  },
  decimal: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--decimal <c>',
    meaning: 'CSV decimal mark',
    words: [',', '.'],
    formats: csvFormats,
    isRare: true,
  },
  bom: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--bom',
    meaning: 'CSV: begin with a byte order mark',
    formats: csvFormats,
    isRare: true,
  },
  excel: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--excel',
    meaning: 'CSV for a European Excel: semicolons, decimal commas, BOM',
    formats: csvFormats,
  },
  escapeFormulas: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--escape-formulas',
    meaning: 'CSV: make cells harmless that a spreadsheet would run as formulas',
    formats: csvFormats,
    isRare: true,
  },
  header: {
    belongsTo: 'spec',
    partOf: 'format',
    flags: '--no-header',
    meaning: 'CSV: no header row',
    formats: csvFormats,
    isRare: true,
  },
});

const { title, note, logo, open, normalize, output, ...listFlags } = outputFlags.flags;

/**
 * Where a list goes that is no report: it has no heading, no words to its readers, and no figures.
 */
export const listOutputFlags = runFlagGroup(outputFlags.heading, {
  output: { ...output, meaning: 'file to write, - for stdout; takes {account}' },
  ...listFlags,
});

/** `clobber` and `header` are false for `--no-…`. */
export type OutputFlags = OptionsOf<typeof outputFlags>;
