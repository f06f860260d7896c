import type { Command, Help } from 'commander';
import { sections, summaryOf, topics } from '../help/index.ts';
import { wrap } from '../text/cell-width.ts';
import type { Pair } from '../ui/examples.ts';

/** Lists that `adreport help NAME` prints, by NAME. */
export const helpLists: Readonly<Record<string, (program: Command, width: number) => string>> = {
  commands: listCommands,
  topics: listTopics,
  flags: listFlags,
};

/** Formats names and their meanings in two columns. */
export function layOutPairs(helper: Help, pairs: readonly Pair[], least = 0): string {
  const termWidth = Math.max(least, ...pairs.map(([term]) => term.length));
  const lines = pairs.map(([term, meaning]) => helper.formatItem(term, termWidth, meaning, helper));
  return lines.join('\n');
}

/** Lists every command with its summary, under its heading. */
function listCommands(program: Command, width: number): string {
  const pairsByHeading = new Map<string, Pair[]>();
  const helper = helperFor(program, width);
  for (const command of helper.visibleCommands(program)) {
    const pairs = pairsByHeading.get(command.helpGroup()) ?? [];
    pairsByHeading.set(command.helpGroup(), [...pairs, [command.name(), command.summary()]]);
  }

  const least = Math.max(...program.commands.map((command) => command.name().length));
  const lists = [...pairsByHeading].map(
    ([heading, pairs]) => `${heading}\n${layOutPairs(helper, pairs, least)}`,
  );
  return `${lists.join('\n\n')}\n\nFor flags and examples: adreport help COMMAND\n`;
}

function listTopics(program: Command, width: number): string {
  const pairs = Object.entries(topics).map(([name, text]): Pair => [name, summaryOf(text)]);
  const parts = wrap(
    `Sections (adreport help SECTION): ${Object.keys(sections).join(', ')}`,
    width,
  );
  const list = layOutPairs(helperFor(program, width), pairs);
  return `Topics (adreport help TOPIC):\n${list}\n\n${parts.join('\n')}\n`;
}

/** Lists the flags of the program, which work with every command. */
function listFlags(program: Command, width: number): string {
  const helper = helperFor(program, width);
  const options = helper.visibleOptions(program);
  const pairs = options.map((option): Pair => [option.flags, option.description]);
  return `Global flags:\n${layOutPairs(helper, pairs)}\n`;
}

/** Formats names and their meanings in two columns, within a width. */
export function layOutList(program: Command, width: number, pairs: readonly Pair[]): string {
  return layOutPairs(helperFor(program, width), pairs);
}

function helperFor(program: Command, width: number): Help {
  const helper = program.createHelp();
  helper.prepareContext({ helpWidth: width });
  return helper;
}
