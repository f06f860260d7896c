import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { defaultZone } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { topics } from '../help/index.ts';
import { renderMarkdown } from '../help/render.ts';
import { formatDate } from '../report/window.ts';
import { resolveWindow } from '../report/window-flags.ts';
import { nearest } from '../text/nearest.ts';
import { declareCommand, findCommand } from './command.ts';

export const helpCommand = declareCommand({
  name: 'help',
  args: ['[words...]'],
  summary: 'help for a command or a topic',
  examples: [
    ['adreport help', 'all commands and topics'],
    ['adreport help run', 'one command, as adreport run --help'],
    ['adreport help periods', 'a topic'],
  ],
  async action({ context, program, args: [words] }) {
    await help(context, program, words);
    return 0;
  },
});

/** Prints the help of the program, of a command, or of a topic. Throws `UsageError` for words that are neither. */
async function help(
  { console, host }: Context,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const [first = '', ...more] = words;
  // Before the commands: local-server is both, and its flags have a page of their own.
  const topic = more.length === 0 && Object.hasOwn(topics, first) ? topics[first] : undefined;
  if (topic === undefined) {
    const command = findCommand(program, words);
    if (command) return command.outputHelp();
    const pathsOf = (one: Command, above = ''): string[] =>
      one.commands.flatMap((child) => [
        `${above}${child.name()}`,
        ...pathsOf(child as Command, `${child.name()} `),
      ]);
    const guess = nearest(words.join(' '), [...pathsOf(program), ...Object.keys(topics)]);
    const hint = guess ? `Did you mean adreport help ${guess}?` : 'See: adreport help';
    throw new UsageError(`There is no command and no topic “${words.join(' ')}”.`, { hint });
  }
  const { width, style } = console.out;
  const text = first === 'periods' ? withToday(topic, host.wallClock()) : topic;
  await console.write(renderMarkdown(text, { width, style }));
}

/** The table of periods with what each of them means today. */
function withToday(text: string, nowMs: number): string {
  const today = (name: string): string => {
    if (!name.startsWith('`')) return name === 'period' ? 'today' : '---';
    const period = name.replaceAll('`', '');
    const { since, until, zone } = resolveWindow({ period, zone: defaultZone, nowMs });
    const [first, last] = [since, until].map((instant) => formatDate(instant, zone));
    return /\dh$/.test(period) ? 'up to now' : first === last ? `${first}` : `${first} to ${last}`;
  };
  return text.replace(/\| period [\s\S]*?\n\n/, (table) =>
    table.replaceAll(/^\| (\S+) +\|/gm, (cell, name: string) => `${cell} ${today(name)} |`),
  );
}
