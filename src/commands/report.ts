import { addSubcommand, type CommandBuilder, declareCommand } from './command.ts';
import { reportCreateCommand } from './report/create.ts';
import { reportListCommand } from './report/list.ts';

export const reportCommand: CommandBuilder = (perform) => {
  const command = declareCommand('report', [
    ['adreport report create --period yesterday --by DAILY', 'prints the report id'],
    ['adreport report list', 'the reports created on this machine'],
  ]);
  addSubcommand(command, 'create a report and print its id', reportCreateCommand(perform));
  addSubcommand(command, 'the reports that this machine created', reportListCommand(perform));
  return command;
};
