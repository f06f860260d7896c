import type { Command } from 'commander';
import type { GlobalFlags } from '../app/flags.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { topics } from '../help/index.ts';
import { nearest } from '../text/nearest.ts';
import { layOutPage } from '../ui/page.ts';
import { type CommandBuilder, declareCommand, findCommand } from './command.ts';

export const helpCommand: CommandBuilder = (perform) => {
  const command = declareCommand('help [words...]', 'help for a command or a topic', [
    ['adreport help', 'all commands and topics'],
    ['adreport help run', 'one command, as adreport run --help'],
    ['adreport help periods', 'a topic'],
  ]);
  return command.action(
    perform((context: Context, _options: GlobalFlags, words: readonly string[]) =>
      help(context, command.parent as Command, words),
    ),
  );
};

/** Prints the help of the program, of a command, or of a topic. Throws `UsageError` for words that are neither. */
async function help({ console, host }: Context, program: Command, words: readonly string[]): Promise<void> {
  const [first = '', ...more] = words;
  // Before the commands: local-server is both, and its flags have a page of their own.
  const topic = more.length === 0 && Object.hasOwn(topics, first) ? topics[first] : undefined;
  if (!topic) {
    const command = findCommand(program, words);
    if (!command) throw unknown(program, words);
    return command.outputHelp();
  }
  const { writeTopic } = await topic.load();
  const { columns, style } = console.out;
  await console.write(layOutPage(await writeTopic({ nowMs: host.wallClock() }), { columns, style }));
}

function unknown(program: Command, words: readonly string[]): UsageError {
  const [first = '', second] = words;
  const group = findCommand(program, [first]);
  const names = (group ?? program).commands.map((command) => command.name());
  const guess = group ? nearest(second ?? '', names) : nearest(first, [...names, ...Object.keys(topics)]);
  const meant = guess && [...(group ? [first] : []), guess].join(' ');
  return new UsageError(`There is no command and no topic “${words.join(' ')}”.`, {
    hint: meant ? `Did you mean adreport help ${meant}?` : 'See: adreport help',
  });
}
