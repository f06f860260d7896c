import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { defaultZone } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { topics } from '../help/index.ts';
import { renderMarkdown } from '../help/render.ts';
import { formatDate } from '../report/window.ts';
import { resolveWindow } from '../report/window-flags.ts';
import { nearest } from '../text/nearest.ts';
import { visibleJson } from '../text/printable.ts';
import { declareCommand, findCommand } from './command.ts';
import { factsOfCommand, factsOfProgram, factsOfTopic } from './command-facts.ts';
import { helpMeantBy } from './meant-words.ts';

export const helpCommand = declareCommand({
  name: 'help',
  args: ['[words...]'],
  summary: 'print help for a command or a topic',
  examples: [
    ['adreport help', 'all commands and topics'],
    ['adreport help run', 'one command, as adreport run --help'],
    ['adreport help periods', 'a topic'],
    ['adreport help run --json', 'the flags of a command with their values, as data'],
  ],
  async action({ context, program, args: [words] }) {
    if (context.flags.json) await context.console.result(visibleJson(findFacts(program, words)));
    else await help(context, program, words);
    return 0;
  },
});

/**
 * Prints the help of the program, of a command, or of a topic. Throws `UsageError` for words that
 * are neither.
 */
async function help(
  { console, host }: Context,
  program: Command,
  words: readonly string[],
): Promise<void> {
  // Before the commands: local-server is both, and its flags have a page of their own.
  const topic = findTopic(words);
  if (topic !== undefined) {
    const { width, style } = console.out;
    const text = words[0] === 'periods' ? withToday(topic, host.wallClock()) : topic;
    await console.write(renderMarkdown(text, { width, style, platform: host.platform }));
    return;
  }

  const command = findCommand(program, words);
  if (!command) throw unknownWords(program, words.join(' '));
  command.outputHelp();
}

/**
 * What help knows of the program, of a command or of a topic. A word that is both is the command
 * here: its flags are what programs ask for. Throws `UsageError` for words that are neither.
 */
function findFacts(program: Command, words: readonly string[]): object {
  if (words.length === 0) return factsOfProgram(program);

  const command = findCommand(program, words);
  if (command) return factsOfCommand(command);

  const topic = findTopic(words);
  if (topic === undefined) throw unknownWords(program, words.join(' '));
  return factsOfTopic(words.join(' '), topic);
}

/** The text of the topic that the words name; `undefined` where they name none. */
function findTopic(words: readonly string[]): string | undefined {
  const [name = '', ...otherWords] = words;
  const isTopic = otherWords.length === 0 && Object.hasOwn(topics, name);
  return isTopic ? topics[name] : undefined;
}

function unknownWords(program: Command, words: string): UsageError {
  const meant = helpMeantBy(words);
  const guess = nearest(words, [...commandPaths(program), ...Object.keys(topics)]);
  const otherwise = guess ? `Did you mean adreport help ${guess}?` : 'See: adreport help';
  return new UsageError(`There is no command and no topic “${words}”.`, {
    hint: meant ? `Use: ${meant}` : otherwise,
  });
}

/** Every command below one as it is typed: `report`, `report create`. */
function commandPaths({ commands }: Command): string[] {
  const paths: string[] = [];
  for (const child of commands) {
    paths.push(child.name());
    for (const path of commandPaths(child as Command)) paths.push(`${child.name()} ${path}`);
  }
  return paths;
}

/** The table of periods with what each of them means today. */
function withToday(text: string, nowMs: number): string {
  return text.replace(/\| period [\s\S]*?\n\n/, (table) =>
    table.replaceAll(
      /^\| (\S+) +\|/gm,
      (cell, name: string) => `${cell} ${cellOfToday(name, nowMs)} |`,
    ),
  );
}

/**
 * What stands beside the first cell of a row: the days of a period, or what the table's head needs.
 */
function cellOfToday(name: string, nowMs: number): string {
  if (name === 'period') return 'today';
  if (!name.startsWith('`')) return '---';
  return meaningOf(name.replaceAll('`', ''), nowMs);
}

/** The days of a period, in Paris; hours have none. */
function meaningOf(period: string, nowMs: number): string {
  if (/\dh$/.test(period)) return 'up to now';

  const { since, until, zone } = resolveWindow({ period, zone: defaultZone, nowMs });
  const first = formatDate(since, zone);
  const last = formatDate(until, zone);
  return first === last ? first : `${first} to ${last}`;
}
