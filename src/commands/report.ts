import { type CommandBuilder, declareCommand } from './command.ts';
import { reportCreateCommand } from './report/create.ts';
import { reportListCommand } from './report/list.ts';

export const reportCommand: CommandBuilder = (perform) =>
  declareCommand('report', 'create reports one step at a time, and list them', [
    ['adreport report create --period yesterday --by DAILY', 'prints the report id'],
    ['adreport report list', 'the reports created on this machine'],
  ])
    .addCommand(reportCreateCommand(perform))
    .addCommand(reportListCommand(perform));
