import type { Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { textOf } from '../help/index.ts';
import type { TypedLine } from '../plan/flags/flag.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';

/** Explains a word that is not a command, with the closest one. */
export function unknownCommand(command: Command, word: string): UsageError {
  const names = command.commands.map((child) => child.name());
  const path = command.parent ? `${command.name()} ${word}` : word;
  const message = `Unknown command “${printable(path)}”.`;

  const isTopic = command.parent === null && textOf(word) !== undefined;
  if (isTopic) return new UsageError(message, { hint: `It is a topic: adreport help ${word}` });
  const otherwise = command.parent ? `Choose from ${names.join(', ')}.` : 'See: adreport help';
  return new UsageError(message, { hint: didYouMean(nearest(word, names), otherwise) });
}

/** Explains a word that is not a flag, with the closest one. */
export function unknownFlag(
  command: Command,
  { word, known, line }: { word: string; known: readonly Option[]; line: TypedLine | undefined },
): UsageError {
  const isGroup = command.commands.length > 0 && command.options.length === 0;
  if (isGroup) {
    const names = command.commands.map((child) => child.name());
    return new UsageError(`adreport ${command.name()} needs a subcommand.`, {
      hint: `Choose from ${names.join(', ')}.`,
    });
  }

  const [name = ''] = word.split('=');
  const about = { flag: name };
  const message = `Unknown flag ${printable(name)}.`;
  const inServer = line && lineInServer(word, line);
  if (inServer !== undefined) return new UsageError(message, { about, hint: `Use: ${inServer}` });

  const flags = ['--help', ...known.flatMap(({ long }) => long ?? [])];
  const guess = nearest(withoutDashes(name), flags.map(withoutDashes));
  return new UsageError(message, {
    about,
    hint: didYouMean(guess && `--${guess}`, seeHelpAll(command)),
  });
}

/** Flags of `local-server` with a value. The server of `--local` has their defaults. */
const serverFlags: readonly string[] = [
  ...['--fixtures', '--seed', '--scale', '--restate', '--now', '--fault'],
  ...['--delay', '--polls', '--token-ttl', '--report-ttl', '--rate-limit'],
];

/** Builds the line that runs a command against a server with this flag, without `--local`. */
function lineInServer(word: string, { argv, platform }: TypedLine): string | undefined {
  const [name = ''] = word.split('=');
  if (!argv.includes('--local') || !serverFlags.includes(name)) return undefined;

  const at = argv.indexOf(word);
  const flag = argv.slice(at, word.includes('=') ? at + 1 : at + 2);
  const others = [...argv.slice(0, at), ...argv.slice(at + flag.length)];
  const command = others.filter((other) => other !== '--local');
  const words = ['adreport', 'local-server', ...flag, 'exec', '--', 'adreport', ...command];
  return words.map((part) => shellWord(part, platform)).join(' ');
}

/** Removes dashes, which would count as matching letters. */
function withoutDashes(flag: string): string {
  return flag.replace(/^--?/, '');
}

export function seeHelpAll(command: Command): string {
  return `See: ${typedPath(command)} --help-all`;
}

/** Formats a command as typed: `adreport report create`. */
export function typedPath(command: Command): string {
  return command.parent ? `${typedPath(command.parent)} ${command.name()}` : command.name();
}
