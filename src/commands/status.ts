import { type CommandBuilder, declareCommand } from './command.ts';
import { addServiceFlags, addWaitFlags, type ServiceFlags, type WaitFlags } from './flags.ts';

export interface StatusOptions extends ServiceFlags, WaitFlags {
  readonly wait?: boolean;
}

export const statusCommand: CommandBuilder = (perform) =>
  addWaitFlags(
    addServiceFlags(
      declareCommand('status <id>', [
        ['id=$(adreport report create --period yesterday)', 'the id of a report'],
        ['adreport status "$id"', 'prints progress, ready …'],
        ['adreport status "$id" --wait --wait-timeout 10m', 'until it is ready; exit 7 if it is not by then'],
      ]).option('--wait', 'poll until the report is ready'),
    ),
  ).action(perform(async () => (await import('./actions/status.ts')).status));
