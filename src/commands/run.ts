import { type CommandBuilder, declareCommand } from './command.ts';
import {
  addOutputFlags,
  addReportFlags,
  addServiceFlags,
  addWaitFlags,
  type OutputFlags,
  type ReportFlags,
  type WaitFlags,
} from './flags.ts';

export interface RunOptions extends ReportFlags, OutputFlags, WaitFlags {
  readonly fresh?: boolean;
  readonly strict?: boolean;
}

export const runCommand: CommandBuilder = (perform) => {
  const command = declareCommand('run', [
    ['adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv', 'no account needed'],
    ['adreport run --local --period yesterday --by HOURLY --metrics displays,clicks | head', 'in a pipe'],
    ['adreport run --local --profile dsp --period 2026-10 --by DAILY,FORMAT --format json', 'DSP profile'],
    ['adreport run --period last-7d --by COUNTRY --filter countryId=3017382 --dry-run', 'show, do not send'],
  ]);
  addReportFlags(command)
    .option('--fresh', 'create a new report even where the same one is still unfinished')
    .option('--strict', 'days missing from the window, or a repeated row, are exit 9 instead of a warning');
  return addServiceFlags(addWaitFlags(addOutputFlags(command))).action(
    perform(async () => (await import('./actions/run.ts')).run),
  );
};
