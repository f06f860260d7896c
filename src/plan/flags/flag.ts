import { type Command, Option } from 'commander';
import type { FormatName } from '../../formats/index.ts';
import { readWord } from './read-value.ts';

/** One flag: how it is typed, what it means, and what its value may be. */
export interface Flag {
  /** As Commander takes it: `-o, --output <file>`. Without a value in brackets it is a switch. */
  readonly flags: string;
  readonly meaning: string;

  /** What other programs call the flag: typed here, each is an error that names this flag. */
  readonly otherNames?: readonly string[];

  /** The words that the value can be, in any case. */
  readonly words?: readonly string[];

  /** Reads one value. Throws `InvalidArgumentError`. */
  readonly read?: (text: string) => unknown;

  /** The flag may stand several times, and its values are a list. */
  readonly isRepeatable?: true;

  /** The value is how often the flag stands on the command line. */
  readonly isCounted?: true;
  readonly isRequired?: true;
  readonly default?: unknown;

  /** The default as help shows it, where it is not shown as it is. */
  readonly defaultText?: string;

  /** The value where the flag stands without one: `--active [date]`. */
  readonly preset?: string;

  /** The options that exclude this one. */
  readonly conflicts?: readonly string[];

  /** No help shows the flag. */
  readonly isHidden?: true;

  /** Only `--help-all` shows the flag. */
  readonly isRare?: true;

  /**
   * The flag says how a command runs, and not what a report is, so that no saved report has it for
   * a key.
   */
  readonly isNeverSaved?: true;

  /** The only formats that the flag changes. */
  readonly formats?: readonly FormatName[];

  /** With another format the flag is an error, because what it gives would be missed. */
  readonly needsItsFormats?: true;
}

/** Flags by the names of their options: `baseUrl` for `--base-url`. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** A flag that decides what a report contains or how it is kept. */
export interface SpecFlag extends Flag {
  readonly belongsTo: 'spec';

  /** The part of the spec that its value goes into; absent for a member of its own. */
  readonly partOf?: 'request' | 'format' | 'settings';
}

/** A flag that decides how one run gets its reports. */
interface ThisRunFlag extends Flag {
  readonly belongsTo: 'this-run';
}

/** A flag of `run`. */
export type RunFlag = SpecFlag | ThisRunFlag;

/** Flags that help shows under one heading. */
export interface FlagGroup<Flags extends FlagTable = FlagTable> {
  readonly heading: string;
  readonly flags: Flags;
}

/** Declares a group of flags, from which the types of their options are inferred. */
export function flagGroup<const Flags extends FlagTable>(
  heading: string,
  flags: Flags,
): FlagGroup<Flags> {
  return { heading, flags };
}

/** Declares a group of flags of `run`, each of which says what it belongs to. */
export function runFlagGroup<const Flags extends Readonly<Record<string, RunFlag>>>(
  heading: string,
  flags: Flags,
): FlagGroup<Flags> {
  return { heading, flags };
}

/** What one value of a flag is once it has been read. */
type OneValue<One extends Flag> = One extends { readonly read: (text: string) => infer Value }
  ? Value
  : One extends { readonly words: readonly (infer Word)[] }
    ? Word
    : One['flags'] extends `${string}${'<' | '['}${string}`
      ? string
      : boolean;

type FlagValue<One extends Flag> = One extends { readonly isCounted: true }
  ? number
  : One extends { readonly isRepeatable: true }
    ? readonly OneValue<One>[]
    : OneValue<One>;

/**
 * The options that have a value although their flag was not given: those with a default, and
 * `--no-…`, which are true.
 */
type NamesWithValue<Flags extends FlagTable> = {
  [Name in keyof Flags]: Flags[Name] extends
    | { readonly default: unknown }
    | { readonly isRequired: true }
    | { readonly flags: `--no-${string}` }
    ? Name
    : never;
}[keyof Flags];

type FlagValues<Flags extends FlagTable> = {
  readonly [Name in NamesWithValue<Flags>]: FlagValue<Flags[Name]>;
} & {
  readonly [Name in Exclude<keyof Flags, NamesWithValue<Flags>>]?: FlagValue<Flags[Name]>;
};

/** The options that an action receives for a group of flags, or for several. */
export type OptionsOf<Groups extends FlagGroup | readonly FlagGroup[]> =
  Groups extends FlagGroup<infer Flags>
    ? FlagValues<Flags>
    : Groups extends readonly [
          infer First extends FlagGroup,
          ...infer Others extends readonly FlagGroup[],
        ]
      ? OptionsOf<First> & OptionsOf<Others>
      : unknown;

/** An option of Commander that knows its declaration. */
export class FlagOption extends Option {
  readonly flag: Flag;

  constructor(flag: Flag) {
    super(flag.flags, flag.meaning);
    this.flag = flag;
    this.conflicts([...(flag.conflicts ?? [])]);
    this.hideHelp(flag.isHidden === true);
    this.makeOptionMandatory(flag.isRequired === true);
    if (flag.words) this.choices(flag.words);
    if (flag.preset !== undefined) this.preset(flag.preset);
    if (flag.default !== undefined) this.default(flag.default, flag.defaultText);

    if (flag.isCounted) {
      this.argParser<number>((_text, count) => count + 1);
    } else if (flag.isRepeatable) {
      this.argParser<readonly unknown[]>((text, earlier = []) => [
        ...earlier,
        readValue(flag, text),
      ]);
    } else if (flag.words || flag.read) {
      this.argParser((text) => readValue(flag, text));
    }
  }
}

/** Reads one value of a flag. Throws `InvalidArgumentError` for what it cannot be. */
export function readValue(flag: Flag, text: string): unknown {
  if (flag.read) return flag.read(text);
  if (flag.words) return readWord(text, flag.words);
  return text;
}

/** Whether a flag has no value of its own. */
export function isSwitch({ flags }: Flag): boolean {
  return !/[<[]/.test(flags);
}

/** Whether a switch turns something off that is on without it: `--no-clobber`. */
export function isNegation({ flags }: Flag): boolean {
  return flags.startsWith('--no-');
}

/** `--output` of `-o, --output <file>`. */
export function longNameOf({ flags }: Flag): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/**
 * Declares the flags of groups on a command. Throws where an option would not have the name that
 * the table gives it.
 */
export function addFlags(command: Command, groups: readonly FlagGroup[]): void {
  for (const { heading, flags } of groups) {
    command.optionsGroup(heading);

    for (const [name, flag] of Object.entries(flags)) {
      const option = new FlagOption(flag);
      if (option.attributeName() !== name) {
        throw new Error(
          `${flag.flags} gives the option ${option.attributeName()}, and not ${name}.`,
        );
      }
      command.addOption(option);
    }
  }
}
