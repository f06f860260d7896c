import { type CommandBuilder, declareCommand } from '../command.ts';

export const localServerValidateCommand: CommandBuilder = (perform) =>
  declareCommand('validate <dir>', [
    ['adreport local-server validate ./fixtures', 'exit 2 if the data are wrong'],
    ['adreport local-server validate ./fixtures --json', 'what is in it, as JSON'],
  ]).action(perform(async () => (await import('../actions/local-server/validate.ts')).validateFixtures));
