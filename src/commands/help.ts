import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type CommandBuilder, declareCommand } from './command.ts';
import type { GlobalFlags } from './flags.ts';

export const helpCommand: CommandBuilder = (perform) => {
  const command = declareCommand('help [words...]', [
    ['adreport help', 'all commands and topics'],
    ['adreport help run', 'one command, as adreport run --help'],
    ['adreport help periods', 'a topic'],
  ]);
  return command.action(
    perform(async () => {
      const { help } = await import('./actions/help.ts');
      return (context: Context, _options: GlobalFlags, words: readonly string[]) =>
        help(context, command.parent as Command, words);
    }),
  );
};
