import { Option } from 'commander';
import { type CommandBuilder, declareCommand } from './command.ts';
import { collect, parsePositive } from './flags.ts';

export interface ViewOptions {
  readonly by?: string;
  readonly metrics?: string;
  readonly where?: readonly string[];
  readonly sort?: string;
  readonly top?: number;
  readonly chart?: 'bar' | 'line';
  readonly format?: 'table' | 'csv' | 'json' | 'ndjson';
}

export const viewCommand: CommandBuilder = (perform) =>
  declareCommand('view <file>', [
    ['adreport view week.csv', 'its figures, and its first rows'],
    ['adreport view week.csv --by CAMPAIGN --sort ecpmEuro --top 10', 'the ten best campaigns'],
    ['adreport view week.csv --by COUNTRY --chart bar --metrics clicks', 'bars'],
    ['adreport view week.csv --chart line', 'the first metric over time'],
    ['adreport run --local --period last-7d --by DAILY,OS | adreport view - --by os', 'from a pipe'],
    ['adreport view week.csv --by CAMPAIGN --format csv > campaigns.csv', 'sums to go on with'],
  ])
    .addHelpText(
      'before',
      'Reads JSON, NDJSON, CSV of any dialect with a header row, each also as .gz, and Parquet; - is stdin.\n',
    )
    .option('--by <a,b>', 'add up by columns or breakdowns, e.g. COUNTRY or campaignName; MONTHLY of days too')
    .option('--metrics <a,b>', 'the figures to show; ctr, ecpmEuro and ecpmDollar are computed from sums')
    .option('--where <name=v1,v2>', 'only rows with one of these values; repeatable', collect)
    .option('--sort <column[:asc|desc]>', 'order of the groups (default: time, else the first figure, largest first)')
    .option(
      '--top <n>',
      'only the first n groups, in tables the others as one; without --by, how many rows to show',
      parsePositive,
    )
    .addOption(new Option('--chart <kind>', 'bars of groups, or a line over time').choices(['bar', 'line']))
    .addOption(
      new Option('--format <name>', 'of what was added up (default: table on a terminal, csv in a pipe)').choices([
        'table',
        'csv',
        'json',
        'ndjson',
      ]),
    )
    .action(perform(async () => (await import('./actions/view.ts')).view));
