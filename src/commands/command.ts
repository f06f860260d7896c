import { Command } from 'commander';
import type { Context } from '../context.ts';

/** The doing half of a command: throws our errors, returns nothing, writes through `context.console` only. */
type Action<Options, Args extends readonly string[] = []> = (
  context: Context,
  options: Options,
  ...args: Args
) => Promise<void>;

/**
 * Binds a declared command to its doing half, which is loaded when the command is run, so that `--help` pays for none.
 * Made by `program.ts`, which knows how to make the context.
 */
export type Perform = <Options, Args extends readonly string[]>(
  load: () => Promise<Action<Options, Args>>,
) => (...parsed: unknown[]) => Promise<void>;

/** A command's declaring half. */
export type CommandBuilder = (perform: Perform) => Command;

/** A command with its name and examples that run as printed; `addSubcommand` gives it its summary. */
export function declareCommand(nameAndArgs: string, examples: readonly (readonly [string, string])[]): Command {
  const [name, ...args] = nameAndArgs.split(' ');
  const command = new Command(name);
  for (const argument of args) command.argument(argument);
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  ${line.padEnd(width)}   # ${meaning}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** Adds a command below another one, with the line that lists it; returns the one above. */
export function addSubcommand(parent: Command, summary: string, child: Command): Command {
  return parent.addCommand(child.summary(summary).description(summary));
}
