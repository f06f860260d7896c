import { type CommandBuilder, declareCommand } from './command.ts';

export const initCommand: CommandBuilder = (perform) =>
  declareCommand('init', [
    ['adreport init', 'writes adreport.yaml into this folder, with comments'],
    ['adreport init && adreport run --all --local', 'and runs its reports without an account'],
  ]).action(perform(async () => (await import('./actions/init.ts')).init));
