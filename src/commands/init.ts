import { type CommandBuilder, declareCommand } from './command.ts';

export const initCommand: CommandBuilder = (perform) =>
  declareCommand('init', [
    ['adreport init', 'writes adreport.yaml into this folder, with comments'],
    ['adreport run --all --local', 'runs its reports, without an account'],
  ]).action(perform(async () => (await import('./actions/init.ts')).init));
