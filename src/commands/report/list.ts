import { type CommandBuilder, declareCommand } from '../command.ts';

export const reportListCommand: CommandBuilder = (perform) =>
  declareCommand('list', [
    ['adreport report list', 'a table, newest first'],
    ['adreport report list --json', 'an array, for programs'],
  ]).action(perform(async () => (await import('../actions/report/list.ts')).listReports));
