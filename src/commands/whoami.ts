import { type CommandBuilder, declareCommand } from './command.ts';
import { addServiceFlags, type ServiceFlags } from './flags.ts';

export type WhoamiOptions = ServiceFlags;

export const whoamiCommand: CommandBuilder = (perform) =>
  addServiceFlags(
    declareCommand('whoami', [
      ['adreport whoami', 'one line'],
      ['adreport whoami --json', 'for programs'],
    ]),
  ).action(perform(async () => (await import('./actions/whoami.ts')).whoami));
