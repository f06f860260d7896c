import { type CommandBuilder, declareCommand } from './command.ts';

export interface LogoutOptions {
  readonly account?: string;
}

export const logoutCommand: CommandBuilder = (perform) =>
  declareCommand('logout', [
    ['adreport logout', 'the default account'],
    ['adreport logout --account agency', 'another one'],
  ])
    .option('--account <name>', 'the stored account to forget')
    .action(perform(async () => (await import('./actions/logout.ts')).logout));
