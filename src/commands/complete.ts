import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type CommandBuilder, declareCommand } from './command.ts';
import type { GlobalFlags } from './flags.ts';

/** What the shells' scripts call while a command line is being typed; the words come after `--`. */
export const completeCommand: CommandBuilder = (perform) => {
  const command = declareCommand('complete <shell> [words...]', [
    ["adreport complete fish -- run --by ''", 'the breakdowns, with their meanings'],
    ['adreport complete bash -- run --period las', 'the periods that begin so'],
  ]);
  return command.action(
    perform(async () => {
      const { complete } = await import('./actions/complete.ts');
      return (context: Context, _options: GlobalFlags, shell: string, words: readonly string[]) =>
        complete(context, command.parent as Command, shell, words);
    }),
  );
};
