import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { defaultZone } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { sections, textOf, topics } from '../help/index.ts';
import { renderMarkdown } from '../help/render.ts';
import { formatDate } from '../report/window.ts';
import { resolveWindow } from '../report/window-flags.ts';
import { nearest } from '../text/nearest.ts';
import { visibleJson } from '../text/printable.ts';
import { declareCommand, findCommand } from './command.ts';
import { factsOfCommand, factsOfProgram, factsOfTopic } from './command-facts.ts';
import { helpLists } from './help-lists.ts';
import { helpCommandFor } from './other-names.ts';

export const helpCommand = declareCommand({
  name: 'help',
  args: ['[words...]'],
  summary: 'print help on a command or a topic',
  examples: [
    ['adreport help topics', 'or commands, or flags: a list'],
    ['adreport help folders', 'a topic, or a section of one such as periods'],
    ['adreport help run', 'a command, like adreport run --help'],
    ['adreport help run --json', 'the flags of a command as data'],
  ],
  async action({ context, program, args: [words] }) {
    if (context.flags.json) await context.console.result(visibleJson(findFacts(program, words)));
    else await help(context, program, words);
    return 0;
  },
});

/** Prints the help of the program, a command, a list or a topic. Throws `UsageError` for others. */
async function help(
  { console, host }: Context,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const { width, style } = console.out;
  const name = words.join(' ');
  const list = Object.hasOwn(helpLists, name) ? helpLists[name] : undefined;
  if (list) return console.write(list(program, width));

  // Topics come before commands: local-server is both, and the command has its own --help.
  const topic = textOf(name);
  if (topic !== undefined) {
    const text = name === 'periods' ? withToday(topic, host.wallClock()) : topic;
    return console.write(renderMarkdown(text, { width, style, platform: host.platform }));
  }

  const command = findCommand(program, words);
  if (!command) throw unknownWords(program, name);
  command.outputHelp();
}

/**
 * The facts about the program, a command or a topic. A word that is both is the command here,
 * because programs ask for flags. Throws `UsageError` for others.
 */
function findFacts(program: Command, words: readonly string[]): object {
  const name = words.join(' ');
  if (words.length === 0 || Object.hasOwn(helpLists, name)) return factsOfProgram(program);

  const command = findCommand(program, words);
  if (command) return factsOfCommand(command);

  const topic = textOf(name);
  if (topic === undefined) throw unknownWords(program, name);
  return factsOfTopic(name, topic);
}

function unknownWords(program: Command, words: string): UsageError {
  const meant = helpCommandFor(words);
  const guess = nearest(words, [
    ...commandPaths(program),
    ...[topics, sections, helpLists].flatMap((table) => Object.keys(table)),
  ]);
  const otherwise = guess ? `Did you mean adreport help ${guess}?` : 'See: adreport help';
  return new UsageError(`There is no command and no topic “${words}”.`, {
    hint: meant ? `Use: ${meant}` : otherwise,
  });
}

/** Every command below one, as typed: `report`, `report create`. */
function commandPaths({ commands }: Command): string[] {
  const paths: string[] = [];
  for (const child of commands) {
    paths.push(child.name());
    for (const path of commandPaths(child as Command)) paths.push(`${child.name()} ${path}`);
  }
  return paths;
}

/** Adds a column to the table of periods: the days that each covers today. */
function withToday(text: string, nowMs: number): string {
  return text.replace(/\| period [\s\S]*?\n\n/, (table) =>
    table.replaceAll(
      /^\| (\S+) +\|/gm,
      (cell, name: string) => `${cell} ${cellOfToday(name, nowMs)} |`,
    ),
  );
}

/** The cell of the new column, from the first cell of its row. */
function cellOfToday(name: string, nowMs: number): string {
  if (name === 'period') return 'today';
  if (!name.startsWith('`')) return '---';
  return daysOf(name.replaceAll('`', ''), nowMs);
}

/** The days of a period in Paris. */
function daysOf(period: string, nowMs: number): string {
  if (/\dh$/.test(period)) return 'up to now';

  const { since, until, zone } = resolveWindow({ period, zone: defaultZone, nowMs });
  const first = formatDate(since, zone);
  const last = formatDate(until, zone);
  return first === last ? first : `${first} to ${last}`;
}
