import { Command } from 'commander';
import type { Context } from '../context.ts';
import { layOutExamples, type Pair } from '../ui/page.ts';
import { plainStyle } from '../ui/style.ts';

/** The doing half of a command: throws our errors, returns nothing, writes through `context.console` only. */
type Action<Options, Args extends readonly unknown[] = []> = (
  context: Context,
  options: Options,
  ...args: Args
) => Promise<void>;

/**
 * Binds a declared command to its doing half, which is loaded when the command is run, so that `--help` pays for none.
 * Made by `main.ts`, which knows how to make the context.
 */
export type Perform = <Options, Args extends readonly unknown[]>(
  load: () => Promise<Action<Options, Args>>,
) => (...parsed: unknown[]) => Promise<void>;

/** A command's declaring half. */
export type CommandBuilder = (perform: Perform) => Command;

/** A command with its name and examples that run as printed; `addSubcommand` gives it its summary. */
export function declareCommand(nameAndArgs: string, examples: readonly Pair[]): Command {
  const [name, ...args] = nameAndArgs.split(' ');
  const command = new Command(name);
  for (const argument of args) command.argument(argument);
  return addExamples(command, examples);
}

/** Ends a command's help with examples, as wide as that help is. */
export function addExamples(command: Command, examples: readonly Pair[]): Command {
  return command.addHelpText('after', () => {
    const columns = command.configureOutput().getOutHelpWidth?.() ?? 80;
    return `\nExamples:\n${layOutExamples(examples, { columns, style: plainStyle })}`;
  });
}

/** Adds a command below another one, with the line that lists it; returns the one above. */
export function addSubcommand(parent: Command, summary: string, child: Command): Command {
  return parent.addCommand(child.summary(summary).description(summary));
}

/** The command that words lead to from one above it: that one for no words, `undefined` where there is none. */
export function findCommand(above: Command, [name, ...more]: readonly string[]): Command | undefined {
  if (name === undefined) return above;
  const child = above.commands.find((candidate) => candidate.name() === name);
  return child && findCommand(child as Command, more);
}
