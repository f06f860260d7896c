import type { Command } from 'commander';
import { topics } from '../help/index.ts';
import type { Pair } from '../ui/examples.ts';
import { typedPath } from './unknown-names.ts';

/** Finds a word, in any case, in the topics and in the flags of all commands. */
export function searchHelp(program: Command, word: string) {
  const wanted = word.toLowerCase();
  const has = (text: string): boolean => text.toLowerCase().includes(wanted);

  const headings: Pair[] = [];
  for (const [name, text] of Object.entries(topics)) {
    for (const part of text.split(/^(?=##? )/m)) {
      const [, heading] = /^##? (.*)/.exec(part) ?? [];
      if (heading !== undefined && has(part)) headings.push([`adreport help ${name}`, heading]);
    }
  }
  return { headings, flags: flagsBelow(program, has) };
}

function flagsBelow(command: Command, has: (text: string) => boolean): Pair[] {
  const flags: Pair[] = [];
  for (const { long, description, hidden } of command.options) {
    const isFlag = !hidden && long && long !== '--help-all';
    if (isFlag && has(`${long} ${description}`)) {
      flags.push([`${typedPath(command)} ${long}`, description]);
    }
  }
  for (const child of command.createHelp().visibleCommands(command)) {
    flags.push(...flagsBelow(child, has));
  }
  return flags;
}
