import { formatNames } from '../format-names.ts';
import { flagGroup, type OptionsOf } from './flag.ts';
import { parseColumns, parseLabel } from './read-value.ts';

/** Flags for the destination and the format of a result. */
export const outputFlags = flagGroup('Output:', {
  output: {
    flags: '-o, --output <file>',
    meaning:
      'file to write, - for stdout; may contain {date} {since} {until} {account} {report} {profile} {id}; repeatable',
    isRepeatable: true,
  },
  format: {
    flags: '--format <name>',
    meaning: 'csv, json, ndjson, parquet, xlsx, html, pdf or table (default: from the file name)',
    choices: formatNames,
  },
  title: {
    flags: '--title <text>',
    meaning: 'heading in html, pdf and xlsx (default: the breakdowns of the report)',
    formats: ['html', 'pdf', 'xlsx'],
    isRare: true,
  },
  note: {
    flags: '--note <text>',
    meaning: 'note below the heading in html, pdf and xlsx',
    formats: ['html', 'pdf', 'xlsx'],
    isRare: true,
  },
  label: {
    flags: '--label <metric=label>',
    meaning: 'name to show for a metric, e.g. revenueEuro=Spend; repeatable',
    read: parseLabel,
    isRepeatable: true,
    formats: ['html', 'pdf', 'xlsx', 'table'],
    isRare: true,
  },
  open: {
    scope: 'command-line',
    flags: '--open',
    meaning: 'open the file when it is complete; pages open in the browser',
    isRare: true,
  },
  clobber: {
    scope: 'run',
    flags: '--no-clobber',
    meaning: 'refuse to replace an existing file',
    isRare: true,
  },
  columns: {
    flags: '--columns <a,b>',
    meaning: 'columns to write, in this order; all: every field from the service',
    read: parseColumns,
    isRare: true,
  },
  normalize: {
    flags: '--normalize',
    meaning: 'write the same column names and decimal points for both profiles',
    isRare: true,
  },
  excel: {
    flags: '--excel',
    meaning: 'CSV for Excel in European locales: semicolons, decimal commas, BOM, no formulas',
    formats: ['csv'],
  },
});

const { output, format } = outputFlags.flags;

export const listOutputFlags = flagGroup(outputFlags.heading, {
  output: {
    ...output,
    isRepeatable: undefined,
    meaning: 'file to write, - for stdout; takes {account}',
  },
  format,
});

/** Options of the output; `clobber` is false for `--no-clobber`. */
export type OutputFlags = OptionsOf<typeof outputFlags>;
