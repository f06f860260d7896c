import { type CommandBuilder, declareCommand } from '../command.ts';

export const localServerValidateCommand: CommandBuilder = (perform) =>
  declareCommand('validate <dir>', 'check a folder of data for --fixtures; names file, line and column of a mistake', [
    ['adreport local-server validate ./fixtures', 'exit 2 if the data are wrong'],
    ['adreport local-server validate ./fixtures --json', 'what is in it, as JSON'],
  ]).action(perform(async () => (await import('../actions/local-server/validate.ts')).validateFixtures));
