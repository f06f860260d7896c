import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../errors.ts';
import type { FormatName } from '../../formats/index.ts';
import { quoted } from '../../text/printable.ts';
import { readWord } from './read-value.ts';

export interface TypedLine {
  readonly argv: readonly string[];
  readonly platform: NodeJS.Platform;
}

export interface Flag {
  /** In Commander's syntax: `-o, --output <file>`. A flag without a value is a switch. */
  readonly flags: string;
  readonly meaning: string;

  /** In any case. */
  readonly words?: readonly string[];

  /** Hint for the flag given twice; by default to remove one of the two. */
  readonly hintIfTwice?: ((first: string, second: string, line: TypedLine) => string) | undefined;

  /** Throws `InvalidArgumentError`. */
  readonly read?: (text: string) => unknown;

  /** The values form a list. */
  readonly isRepeatable?: true;

  readonly default?: unknown;

  /** Default as shown in help, if not the value itself. */
  readonly defaultText?: string;

  /** Value of a flag given without one: `--active [date]`. */
  readonly preset?: string;

  /** Options that cannot be used with this one. */
  readonly conflicts?: readonly string[];

  /** Not shown in any help. */
  readonly isHidden?: true;

  /** Shown only by `--help-all`. */
  readonly isRare?: true;

  /** Not a key of saved reports, because it is about running the command. */
  readonly isNeverSaved?: true;

  /** Formats that know the flag; absent if all. */
  readonly formats?: readonly FormatName[];
}

/** Flags by option name: `baseUrl` for `--base-url`. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** A flag that decides the content or the output of a report. */
export interface SpecFlag extends Flag {
  readonly belongsTo: 'spec';

  /** Member of the spec that contains its value; absent for a top-level member. */
  readonly partOf?: 'request' | 'format' | 'settings';
}

/** A flag of a spec, or one that applies to a single run. */
export type RunFlag = SpecFlag | (Flag & { readonly belongsTo: 'this-run' });

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

/** Declares a group of flags of `run`, which have a `belongsTo`. */
export function runFlagGroup<const Flags extends Readonly<Record<string, RunFlag>>>(
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

/** Options that always have a value: those with a default, and `--no-…`, which default to true. */
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

/** A Commander option with its declaration. */
export class FlagOption extends Option {
  readonly flag: Flag;

  /** Values as typed, of a flag that has one. */
  readonly typed: string[] = [];

  constructor(flag: Flag) {
    super(flag.flags, flag.meaning);
    this.flag = flag;
    this.hideHelp(flag.isHidden === true);
    if (flag.words) this.choices(flag.words);
    if (flag.preset !== undefined) this.preset(flag.preset);
    if (flag.default !== undefined) this.default(flag.default, flag.defaultText);

    if (flag.isRepeatable) {
      this.argParser<readonly unknown[]>((text, earlier = []) => [
        ...earlier,
        readTyped(flag, text),
      ]);
    } else if (isList(flag)) {
      this.argParser((text, earlier) => joinLists(earlier, readTyped(flag, text)));
    } else if (!isSwitch(flag)) {
      this.argParser((text) => {
        this.typed.push(text);
        return readTyped(flag, text);
      });
    }
  }
}

/** Throws `UsageError` for a flag with one value that is given twice with different values. */
export function expectOnce({ flag, typed }: FlagOption, line: TypedLine): void {
  const [first = '', ...others] = typed;
  const second = others.find((text) => text !== first);
  if (second === undefined) return;

  const name = longNameOf(flag);
  throw new UsageError(`${name} is given twice: ${quoted(first)} and ${quoted(second)}.`, {
    about: { flag: name, value: second },
    hint: flag.hintIfTwice?.(first, second, line) ?? 'Remove one of them.',
  });
}

/** Throws `UsageError` for an invalid value. */
function readTyped(flag: Flag, text: string): unknown {
  try {
    return readValue(flag, text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const name = longNameOf(flag);
    const about = { flag: name, value: text };
    throw new UsageError(`Cannot read ${name} ${quoted(text)}.`, { about, hint: error.message });
  }
}

/** Throws `InvalidArgumentError` for an invalid value. */
export function readValue(flag: Flag, text: string): unknown {
  if (flag.read) return flag.read(text);
  if (flag.words) return readWord(text, flag.words);
  return text;
}

/** Recognizes a flag that takes names as `a,b`. If it is repeated, its lists are joined. */
export function isList({ flags }: Flag): boolean {
  return flags.includes('<a,b>');
}

function joinLists(earlier: unknown, value: unknown): unknown {
  if (Array.isArray(earlier) && Array.isArray(value)) return [...earlier, ...value];
  if (typeof earlier === 'string' && typeof value === 'string') return `${earlier},${value}`;
  return value;
}

/** Recognizes a flag without a value. */
export function isSwitch({ flags }: Flag): boolean {
  return !/[<[]/.test(flags);
}

/** Recognizes a switch like `--no-clobber`. */
export function isNegation({ flags }: Flag): boolean {
  return flags.startsWith('--no-');
}

/** Returns `--output` for `-o, --output <file>`. */
export function longNameOf({ flags }: Flag): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Adds groups of flags to a command. Throws if a name in a table does not match its flag. */
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
