import { type CommandBuilder, declareCommand } from './command.ts';
import { addOutputFlags, addServiceFlags, type OutputFlags, type ServiceFlags } from './flags.ts';

export interface DownloadOptions extends ServiceFlags, OutputFlags {}

export const downloadCommand: CommandBuilder = (perform) =>
  addOutputFlags(
    addServiceFlags(
      declareCommand('download <id>', [
        ['id=$(adreport report create --period yesterday)', 'the id of a report'],
        ['adreport status "$id" --wait && adreport download "$id"', 'to the terminal, or the pipe'],
        ['adreport download "$id" -o report.json', 'to a file, in the format of its ending'],
      ]),
    ),
  ).action(perform(async () => (await import('./actions/download.ts')).download));
