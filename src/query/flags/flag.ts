import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../errors.ts';
import { quoted } from '../../text/printable.ts';
import type { FormatName } from '../format-names.ts';
import { readWord } from './read-value.ts';

export interface Flag {
  /** Flag in Commander's syntax: `-o, --output <file>`. Without a value it is a switch. */
  readonly flags: string;
  readonly meaning: string;

  /** Possible values. Their case is ignored. */
  readonly words?: readonly string[];

  /** Reads a value. Throws `InvalidArgumentError`. If a flag is repeated, its lists are joined. */
  readonly read?: (text: string) => unknown;

  /** Set if a repeated flag collects all of its values. */
  readonly isRepeatable?: true;

  readonly default?: unknown;

  /** Default shown in help, if it differs from the value. */
  readonly defaultText?: string;

  /** Value of a flag that is typed without one: `--active [period]`. */
  readonly preset?: string;

  /** Options that cannot be used with this one. */
  readonly conflicts?: readonly string[];

  /** Set if the flag is shown only by `--help-all`. */
  readonly isRare?: true;

  /**
   * `run` if the flag is not part of the query, `command-line` if it is not a key of saved reports
   * either.
   */
  readonly scope?: 'run' | 'command-line';

  /** Formats that can use the flag; absent if all can. */
  readonly formats?: readonly FormatName[];
}

/** Flags by option name: `baseUrl` for `--base-url`. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** Flags under one heading in help. */
export interface FlagGroup<Flags extends FlagTable = FlagTable> {
  readonly heading: string;
  readonly flags: Flags;
}

/** Declares a group of flags, and infers the types of their options. */
export function flagGroup<const Flags extends FlagTable>(
  heading: string,
  flags: Flags,
): FlagGroup<Flags> {
  return { heading, flags };
}

type OneValue<One extends Flag> = One extends { readonly read: (text: string) => infer Value }
  ? Value
  : One extends { readonly words: readonly (infer Word)[] }
    ? Word
    : One['flags'] extends `${string}${'<' | '['}${string}`
      ? string
      : boolean;

type FlagValue<One extends Flag> = One extends { readonly isRepeatable: true }
  ? readonly OneValue<One>[]
  : OneValue<One>;

/**
 * Options that always have a value. These have a default, or are `--no-…` flags, which default to
 * true.
 */
type NamesWithValue<Flags extends FlagTable> = {
  [Name in keyof Flags]: Flags[Name] extends
    | { readonly default: unknown }
    | { readonly flags: `--no-${string}` }
    ? Name
    : never;
}[keyof Flags];

type FlagValues<Flags extends FlagTable> = {
  readonly [Name in NamesWithValue<Flags>]: FlagValue<Flags[Name]>;
} & {
  readonly [Name in Exclude<keyof Flags, NamesWithValue<Flags>>]?: FlagValue<Flags[Name]>;
};

/** Options of a group of flags, or of several groups. */
export type OptionsOf<Groups extends FlagGroup | readonly FlagGroup[]> =
  Groups extends FlagGroup<infer Flags>
    ? FlagValues<Flags>
    : Groups extends readonly [
          infer First extends FlagGroup,
          ...infer Others extends readonly FlagGroup[],
        ]
      ? OptionsOf<First> & OptionsOf<Others>
      : unknown;

/** A Commander option that keeps the declaration of its flag. */
export class FlagOption extends Option {
  readonly flag: Flag;

  constructor(flag: Flag) {
    super(flag.flags, flag.meaning);
    this.flag = flag;
    if (flag.words) this.choices(flag.words);
    if (flag.conflicts) this.conflicts([...flag.conflicts]);
    if (flag.preset !== undefined) this.preset(flag.preset);
    if (flag.default !== undefined) this.default(flag.default, flag.defaultText);
    if (!isSwitch(flag)) this.argParser(createParser(flag));
  }
}

/**
 * Returns a parser for a repeatable flag. Lists are joined. Two different values of a flag that
 * takes only one are a `UsageError`.
 */
function createParser(flag: Flag): (text: string, earlier: unknown) => unknown {
  let first: string | undefined;
  return (text, earlier) => {
    const value = readValue(flag, text);
    const isRepeated = first !== undefined;
    if (Array.isArray(value) && Array.isArray(earlier)) return [...earlier, ...value];
    if (isRepeated && first !== text) throw twiceGivenError(flag, first ?? '', text);
    first = text;
    return value;
  };
}

function twiceGivenError(flag: Flag, first: string, second: string): UsageError {
  const name = longName(flag);
  return new UsageError(`${name} is given twice: ${quoted(first)} and ${quoted(second)}.`, {
    about: { flag: name },
    hint: 'Remove one of them.',
  });
}

/** Reads one value. For a repeatable flag, the result is a list. Throws `UsageError`. */
export function readValue(flag: Flag, text: string): unknown {
  const { words, isRepeatable, read = (typed) => (words ? readWord(typed, words) : typed) } = flag;
  try {
    return isRepeatable ? [read(text)] : read(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const name = longName(flag);
    const subject = words ? `Unknown ${keyOfFlag(flag).replaceAll('-', ' ')}` : `Invalid ${name}`;
    throw new UsageError(`${subject} ${quoted(text)}.`, {
      about: { flag: name },
      hint: error.message,
    });
  }
}

/** Recognizes a flag without a value. */
export function isSwitch({ flags }: Flag): boolean {
  return !/[<[]/.test(flags);
}

/** Returns `--output` for `-o, --output <file>`. */
export function longName({ flags }: Flag): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Returns the key in saved reports for a flag: `output`. */
export function keyOfFlag(flag: Flag): string {
  return longName(flag).slice('--'.length);
}

/**
 * Adds groups of flags to a command. Throws if the name of a flag in a table does not match its
 * declaration.
 */
export function addFlags(command: Command, groups: readonly FlagGroup[]): void {
  for (const { heading, flags } of groups) {
    command.optionsGroup(heading);

    for (const [name, flag] of Object.entries(flags)) {
      const option = new FlagOption(flag);
      if (option.attributeName() !== name) {
        throw new Error(`${flag.flags} is the option ${option.attributeName()}, not ${name}.`);
      }
      command.addOption(option);
    }
  }
}
