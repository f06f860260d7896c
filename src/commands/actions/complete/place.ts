import type { Command, Option } from 'commander';
import { findCommand } from '../../command.ts';

/** Where on a command line the next word stands. */
export interface Place {
  /** The command that the words before lead to. */
  readonly command: Command;
  /** Its flags and those of the commands above it. */
  readonly options: readonly Option[];
  /** The flag that waits for its value. */
  readonly pending: Option | undefined;
  /** The flags that stand before, by their attribute names, with their values; empty for one that takes none. */
  readonly given: ReadonlyMap<string, string>;
  /** The words that are neither commands nor flags. */
  readonly operands: readonly string[];
  /** Whether `--` stands before. */
  readonly isPastFlags: boolean;
}

/** Reads the words before the one that is being typed, as the parser would, but without minding what is wrong. */
export function findPlace(program: Command, words: readonly string[]): Place {
  let command = program;
  let pending: Option | undefined;
  let isPastFlags = false;
  const given = new Map<string, string>();
  const operands: string[] = [];
  for (const word of words) {
    if (pending) {
      given.set(pending.attributeName(), word);
      pending = undefined;
    } else if (word === '--' && !isPastFlags) {
      isPastFlags = true;
    } else if (word.startsWith('-') && word.length > 1 && !isPastFlags) {
      const [flag, value] = splitAtEquals(word);
      const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
      if (option?.required && value === undefined) pending = option;
      else if (option) given.set(option.attributeName(), value ?? '');
    } else {
      const child = operands.length === 0 && !isPastFlags ? findCommand(command, [word]) : undefined;
      if (child) command = child;
      else operands.push(word);
    }
  }
  return { command, options: optionsOf(command), pending, given, operands, isPastFlags };
}

function optionsOf({ options, parent }: Command): Option[] {
  return [...(options as Option[]), ...(parent ? optionsOf(parent as Command) : [])];
}

function splitAtEquals(word: string): [flag: string, value: string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
