import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { findTopic, readSections, topics } from '../help/index.ts';
import { renderMarkdown } from '../help/render.ts';
import type { Context } from '../run/context.ts';
import { didYouMean, findNearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { layOutPairs, type Pair } from '../ui/pairs.ts';
import { declareCommand, findCommand } from './command.ts';
import { commandPath } from './unknown-names.ts';

export const helpCommand = declareCommand({
  name: 'help',
  args: ['[words...]'],
  summary: 'print help on a command, a topic or a word',
  examples: [
    ['adreport help folders', 'a topic'],
    ['adreport help cron', 'any other word: where help has it'],
  ],
  async action({ context, program, args: [words] }) {
    if (context.flags.json) {
      throw new UsageError('--json cannot be used with adreport help.', {
        about: { flag: '--json' },
        hint: 'Remove it.',
      });
    }
    await help(context, program, words);
  },
});

/**
 * Prints a topic, or the help of the program or a command. For any other word, lists where help
 * mentions it. Throws `UsageError` for a word that help does not mention.
 */
async function help(
  { console, host }: Context,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const { width, style } = console.out;
  const name = words.join(' ');

  // Topics come first. `view` is both a topic and a command, whose help is available as `view
  // --help`.
  const topic = findTopic(name);
  if (topic !== undefined) {
    return console.write(renderMarkdown(topic, { width, style, platform: host.platform }));
  }

  const command = findCommand(program, words);
  if (command) return command.outputHelp();

  const headings = findHeadings(name);
  const flags = findFlags(program, name);
  if (headings.length + flags.length === 0) throw unknownTopicError(program, name);

  const lists = [
    { title: `Topics with “${printable(name)}”:`, pairs: headings },
    { title: `Flags with “${printable(name)}”:`, pairs: flags },
  ].filter(({ pairs }) => pairs.length > 0);
  const pages = lists.map(({ title, pairs }) => `${title}\n${layOutPairs(pairs, width)}\n`);
  await console.write(pages.join('\n'));
}

function hasWord(text: string, word: string): boolean {
  return text.toLowerCase().includes(word.toLowerCase());
}

/** Finds the topics that contain a word, each with the headings of the matching sections. */
function findHeadings(word: string): Pair[] {
  const found: Pair[] = [];
  for (const [name, topic] of Object.entries(topics)) {
    const sections = readSections(topic).filter(({ text }) => hasWord(text, word));
    if (sections.length === 0) continue;
    const headings = sections.map(({ heading }) => heading);
    found.push([`adreport help ${name}`, headings.join(' · ')]);
  }
  return found;
}

/** Finds the flags of a command and its subcommands whose help mentions a word. */
function findFlags(command: Command, word: string): Pair[] {
  const flags: Pair[] = [];
  for (const { long, description, hidden } of command.options) {
    const isFlag = !hidden && long && long !== '--help-all';
    if (isFlag && hasWord(`${long} ${description}`, word)) {
      flags.push([`${commandPath(command)} ${long}`, description]);
    }
  }
  for (const child of command.createHelp().visibleCommands(command)) {
    flags.push(...findFlags(child, word));
  }
  return flags;
}

function unknownTopicError(program: Command, words: string): UsageError {
  const names = program.commands.map((command) => command.name());
  const guess = findNearest(words, [...Object.keys(topics), ...names]);
  return new UsageError(`Unknown topic “${printable(words)}”.`, {
    hint: didYouMean(guess && `adreport help ${guess}`, 'See: adreport help'),
  });
}
