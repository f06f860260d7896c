import type { Command } from 'commander';
import { type CommandBuilder, declareCommand } from './command.ts';
import {
  addOutputFlags,
  addPartFlags,
  addReportFlags,
  addServiceFlags,
  addWaitFlags,
  type OutputFlags,
  type PartFlags,
  type ReportFlags,
  type WaitFlags,
} from './flags.ts';

export interface RunOptions extends ReportFlags, PartFlags, OutputFlags, WaitFlags {
  readonly fresh?: boolean;
  readonly strict?: boolean;
  readonly all?: boolean;
  readonly file?: string;
  /** The options that stand on the command line, which beat those of a saved report. */
  readonly given?: readonly string[];
}

export const runCommand: CommandBuilder = (perform) => {
  const command = declareCommand('run [name...]', [
    ['adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv', 'no account needed'],
    ['adreport run --local --period yesterday --by HOURLY --metrics displays,clicks | head', 'in a pipe'],
    ['adreport run --local --profile dsp --period 2026-10 --by DAILY,FORMAT --format json', 'DSP profile'],
    ['adreport run --period last-7d --by COUNTRY --filter countryId=3017382 --dry-run', 'show, do not send'],
    ["adreport run --local --period last-30d --split day --by CAMPAIGN --missing -o '{date}.csv'", 'a file a day'],
    ['adreport run nightly', 'a report saved in adreport.yaml (see adreport init)'],
  ]);
  return addRunFlags(command)
    .hook('preAction', (_root, action) => {
      const given = action.options.map((option) => option.attributeName());
      action.setOptionValue(
        'given',
        given.filter((name) => action.getOptionValueSource(name) === 'cli'),
      );
    })
    .action(perform(async () => (await import('./actions/run.ts')).run));
};

/** The flags of `run`; their names are also the keys of a saved report. */
export function addRunFlags(command: Command): Command {
  addReportFlags(command)
    .option('--fresh', 'create a new report even where the same one is still unfinished')
    .option('--strict', 'days missing from the window, or a repeated row, are exit 9 instead of a warning');
  addServiceFlags(addWaitFlags(addPartFlags(addOutputFlags(command))));
  return command
    .optionsGroup('Saved reports:')
    .option('--all', 'every report of adreport.yaml')
    .option('--file <file>', 'take the reports from this file (default: adreport.yaml, here or in a folder above)');
}
