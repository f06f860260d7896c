import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../errors.ts';
import { quoted } from '../../text/printable.ts';
import type { FormatName } from '../format-names.ts';
import { parseChoice } from './read-value.ts';

export interface Flag {
  /** Flag in Commander's syntax: `-o, --output <file>`. Without a value it is a switch. */
  readonly flags: string;
  readonly meaning: string;

  /** Allowed values, in any case. */
  readonly choices?: readonly string[];

  /** Parses a value. Throws `InvalidArgumentError`. Lists from repeated flags are joined. */
  readonly read?: (text: string) => unknown;

  /** Whether the flag may be repeated to collect several values. */
  readonly isRepeatable?: true;

  readonly default?: unknown;

  /** Default to show in help, if it differs from the value. */
  readonly defaultText?: string;

  /** Value if the flag is given without a value: `--active [period]`. */
  readonly preset?: string;

  /** Options that cannot be used with this one. */
  readonly conflicts?: readonly string[];

  /** Whether only `--help-all` shows the flag. */
  readonly isRare?: true;

  /**
   * `run` if the flag is not part of the query, or `command-line` if it is not allowed in saved
   * reports either.
   */
  readonly scope?: 'run' | 'command-line';

  /** Formats that the flag applies to. Default: all. */
  readonly formats?: readonly FormatName[];
}

/** Flags by option name: `baseUrl` for `--base-url`. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** Flags under one heading in help. */
export interface FlagGroup<Flags extends FlagTable = FlagTable> {
  readonly heading: string;
  readonly flags: Flags;
}

/** Declares a group of flags with inferred option types. */
export function flagGroup<const Flags extends FlagTable>(
  heading: string,
  flags: Flags,
): FlagGroup<Flags> {
  return { heading, flags };
}

type OneValue<One extends Flag> = One extends { readonly read: (text: string) => infer Value }
  ? Value
  : One extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : One['flags'] extends `${string}${'<' | '['}${string}`
      ? string
      : boolean;

type FlagValue<One extends Flag> = One extends { readonly isRepeatable: true }
  ? readonly OneValue<One>[]
  : OneValue<One>;

/** Options that always have a value, from a default or because they are `--no-…` flags. */
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

/** A Commander option with the declaration of its flag. */
export class FlagOption extends Option {
  readonly flag: Flag;

  constructor(flag: Flag) {
    super(flag.flags, flag.meaning);
    this.flag = flag;
    if (flag.choices) this.choices(flag.choices);
    if (flag.conflicts) this.conflicts([...flag.conflicts]);
    if (flag.preset !== undefined) this.preset(flag.preset);
    if (flag.default !== undefined) this.default(flag.default, flag.defaultText);
    if (!isSwitch(flag)) this.argParser(createParser(flag));
  }
}

/**
 * Returns a parser for a repeatable flag. Lists are joined. Throws `UsageError` if a flag that
 * takes one value gets two different values.
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
  return new UsageError(
    `${name} takes one value, but got ${quoted(first)} and ${quoted(second)}.`,
    {
      about: { flag: name },
      hint: 'Remove one of them.',
    },
  );
}

/** Parses one value, into a list for a repeatable flag. Throws `UsageError`. */
export function readValue(flag: Flag, text: string): unknown {
  const {
    choices,
    isRepeatable,
    read = (input) => (choices ? parseChoice(input, choices) : input),
  } = flag;
  try {
    return isRepeatable ? [read(text)] : read(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const name = longName(flag);
    const subject = choices ? `Unknown ${keyOfFlag(flag).replaceAll('-', ' ')}` : `Invalid ${name}`;
    throw new UsageError(`${subject} ${quoted(text)}.`, {
      about: { flag: name },
      hint: error.message,
    });
  }
}

/** Whether a flag takes no value. */
export function isSwitch({ flags }: Flag): boolean {
  return !/[<[]/.test(flags);
}

/** Returns `--output` for `-o, --output <file>`. */
export function longName({ flags }: Flag): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Returns the key of a flag in saved reports: `output`. */
export function keyOfFlag(flag: Flag): string {
  return longName(flag).slice('--'.length);
}

/**
 * Adds groups of flags to a command. Throws if an option name does not match the declaration of its
 * flag.
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
