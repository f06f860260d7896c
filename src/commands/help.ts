import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { defaultZone } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { sections, textOf, topics } from '../help/index.ts';
import { renderMarkdown } from '../help/render.ts';
import { formatDate } from '../query/window.ts';
import { resolveWindow } from '../query/window-flags.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { declareCommand, findCommand } from './command.ts';
import { helpLists, layOutList } from './help-lists.ts';
import { searchHelp } from './search-help.ts';

export const helpCommand = declareCommand({
  name: 'help',
  args: ['[words...]'],
  summary: 'print help on a command, a topic or any word',
  examples: [
    ['adreport help topics', 'or commands, or flags: a list'],
    ['adreport help folders', 'a topic, or a section of one such as periods'],
    ['adreport help run', 'a command, like adreport run --help'],
    ['adreport help cron', 'any other word: where help has it'],
  ],
  async action({ context, program, args: [words] }) {
    if (context.flags.json) {
      throw new UsageError('--json does not work with adreport help.', {
        about: { flag: '--json' },
        hint: 'Remove it.',
      });
    }
    await help(context, program, words);
    return 0;
  },
});

/**
 * Prints the help of the program, a command, a list or a topic, or the places where help has a
 * word. Throws `UsageError` if there are none.
 */
async function help(
  { console, host }: Context,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const { width, style } = console.out;
  const page = { width, style, platform: host.platform };
  const name = words.join(' ');
  const list = Object.hasOwn(helpLists, name) ? helpLists[name] : undefined;
  if (list) return console.write(list(program, width));

  // Topics come before commands: local-server is both, and the command has its own --help.
  const topic = textOf(name);
  if (topic !== undefined) {
    const text = name === 'periods' ? withToday(topic, host.wallClock()) : withHeadings(topic);
    return console.write(renderMarkdown(text, page));
  }

  const command = findCommand(program, words);
  if (command) return command.outputHelp();

  const { headings, flags } = searchHelp(program, name);
  if (headings.length + flags.length === 0) throw unknownWords(program, name);
  const parts = [
    { title: `Topics with “${printable(name)}”:`, pairs: headings },
    { title: `Flags with “${printable(name)}”:`, pairs: flags },
  ].filter(({ pairs }) => pairs.length > 0);
  const lists = parts.map(({ title, pairs }) => `${title}\n${layOutList(program, width, pairs)}`);
  await console.write(`${lists.join('\n\n')}\n`);
}

/** Adds a list of its headings below the title of a long topic. */
function withHeadings(topic: string): string {
  const headings = [...topic.matchAll(/^## (?:More: )?(.*)$/gm)].map(([, heading = '']) => heading);
  if (headings.length < 6) return topic;
  return topic.replace('\n\n', `\n\nIn this topic: ${headings.join(' · ')}\n\n`);
}

function unknownWords(program: Command, words: string): UsageError {
  const guess = nearest(words, [
    ...commandPaths(program),
    ...[topics, sections, helpLists].flatMap((table) => Object.keys(table)),
  ]);
  return new UsageError(`Unknown topic “${printable(words)}”.`, {
    hint: didYouMean(guess && `adreport help ${guess}`, 'See: adreport help topics'),
  });
}

/** Lists every command below one, as typed: `report`, `report create`. */
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
      (cell, name: string) => `${cell} ${datesCell(name, nowMs)} |`,
    ),
  );
}

/** Makes the cell of the new column from the first cell of its row. */
function datesCell(name: string, nowMs: number): string {
  if (name === 'period') return 'today';
  if (!name.startsWith('`')) return '---';
  return daysOf(name.replaceAll('`', ''), nowMs);
}

/** Formats the days of a period in Paris. */
function daysOf(period: string, nowMs: number): string {
  if (/\dh$/.test(period)) return 'up to now';

  const { since, until, zone } = resolveWindow({ period, zone: defaultZone, nowMs });
  const first = formatDate(since, zone);
  const last = formatDate(until, zone);
  return first === last ? first : `${first} to ${last}`;
}
