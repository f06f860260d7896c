import type { Command } from 'commander';
import { createProgram } from '../../src/program.ts';

/** The program with all commands, for tests of its declarations. */
export const program: Command = createProgram(async () => {}, {
  write: () => {},
  width: 100,
  platform: 'linux',
});

/** Lists a command, by default the program, and all commands below it. */
export function allCommands(command: Command = program): Command[] {
  return [command, ...command.commands.flatMap((child) => allCommands(child as Command))];
}

/** Reads the examples of a help page, with their meanings next to or above them. */
export function readExamples(page: string): string[] {
  const beside = [...page.matchAll(/^ {2}(\S.*?) {3,}# \S.*$/gm)];
  const below = [...page.matchAll(/^ {2}# \S.*\n {2}(\S.*)$/gm)];
  return [...beside, ...below].sort((a, b) => a.index - b.index).map(([, line = '']) => line);
}

/** Leaves out the program name: `report create`. */
export function pathOf(command: Command): string {
  return command.parent
    ? [pathOf(command.parent as Command), command.name()].filter(Boolean).join(' ')
    : '';
}
