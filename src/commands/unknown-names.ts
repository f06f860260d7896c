import type { Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { didYouMean, findNearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { joinWords } from '../text/quantity.ts';

/** Builds the error for an unknown command, with the closest command. */
export function unknownCommandError(command: Command, input: string): UsageError {
  const names = command.commands.map((child) => child.name());
  const path = command.parent ? `${command.name()} ${input}` : input;
  const message = `Unknown command “${printable(path)}”.`;

  const parents = command.commands.filter((child) =>
    child.commands.some((sub) => sub.name() === input),
  );
  if (parents.length > 0) {
    const paths = parents.map((parent) => `${commandPath(parent)} ${input}`);
    return new UsageError(message, { hint: `Did you mean ${joinWords(paths, 'or')}?` });
  }

  const otherwise = command.parent ? `Choose from ${names.join(', ')}.` : 'See: adreport help';
  return new UsageError(message, { hint: didYouMean(findNearest(input, names), otherwise) });
}

/** Builds the error for an unknown flag, with the closest flag. */
export function unknownFlagError(
  command: Command,
  input: string,
  known: readonly Option[],
): UsageError {
  const [flag = ''] = input.split('=');
  const flags = ['--help', ...known.flatMap(({ long }) => long ?? [])];
  return new UsageError(`Unknown flag ${printable(flag)}.`, {
    about: { flag },
    hint: didYouMean(findNearest(flag, flags), formatSeeHelpAll(command)),
  });
}

export function formatSeeHelpAll(command: Command): string {
  return `See: ${commandPath(command)} --help-all`;
}

/** Returns the full name of a command: `adreport report create`. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
