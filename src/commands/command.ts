import { Command } from 'commander';
import type { Context } from '../context.ts';
import { layOutExamples, type Pair } from '../ui/page.ts';

/**
 * Makes of an action what commander calls; made by `main.ts`, which knows how to make the context. An action throws our
 * errors, returns nothing, and writes through `context.console` only.
 */
export type Perform = <Options, Args extends readonly unknown[]>(
  action: (context: Context, options: Options, ...args: Args) => Promise<void>,
) => (...parsed: unknown[]) => Promise<void>;

/** Declares a command with its flags and its action. */
export type CommandBuilder = (perform: Perform) => Command;

/** A command with its arguments, the line that lists it, and examples that run as printed. */
export function declareCommand(
  nameAndArgs: string,
  summary: string,
  examples: readonly Pair[],
): Command {
  const [name, ...args] = nameAndArgs.split(' ');
  const command = new Command(name).summary(summary).description(summary);
  for (const argument of args) command.argument(argument);
  return command.addHelpText('after', () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    return `\nExamples:\n${layOutExamples(examples, width)}`;
  });
}

/** The command that words lead to from one above it: that one for no words, `undefined` where there is none. */
export function findCommand(
  above: Command,
  [name, ...more]: readonly string[],
): Command | undefined {
  if (name === undefined) return above;
  const child = above.commands.find((candidate) => candidate.name() === name);
  return child && findCommand(child as Command, more);
}
