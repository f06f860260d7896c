import { Option } from 'commander';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

export interface FieldsOptions {
  readonly profile?: Profile;
}

export const fieldsCommand: CommandBuilder = (perform) =>
  declareCommand('fields [term]', [
    ['adreport fields', 'all of the buyer profile'],
    ['adreport fields country', 'those about countries'],
    ['adreport fields --profile dsp --json', 'for programs'],
  ])
    .addOption(
      new Option('--profile <name>', "the profile (default: the stored account's, else buyer)").choices(profiles),
    )
    .action(perform(async () => (await import('./actions/fields.ts')).fields));
