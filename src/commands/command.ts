import { Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { addFlags, type Flag, type FlagGroup, type OptionsOf } from '../query/flags/flag.ts';
import type { GlobalFlags } from '../query/flags/global-flags.ts';
import type { Context, ContextOptions } from '../run/context.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import type { Pair } from '../ui/pairs.ts';
import {
  commandPath,
  formatSeeHelpAll,
  unknownCommandError,
  unknownFlagError,
} from './unknown-names.ts';

/** Value of the argument `<id>`, `[term]` or `<file...>`. */
type ArgumentValue<Name> = Name extends `${string}...${string}`
  ? readonly string[]
  : Name extends `[${string}`
    ? string | undefined
    : string;

type ArgumentValues<Specs extends readonly string[]> = {
  readonly [Position in keyof Specs]: ArgumentValue<Specs[Position]>;
};

interface Invocation<Options, Args> {
  readonly context: Context;

  /** Options of the command and of the program. */
  readonly options: Options & GlobalFlags;
  readonly args: Args;

  /** Names of the options on the command line. All others have their defaults. */
  readonly explicitOptions: ReadonlySet<string>;

  /** Root command, for help and completion. */
  readonly program: Command;
}

interface CommandSpec<
  Groups extends readonly FlagGroup[],
  GroupsAbove extends readonly FlagGroup[],
  Args extends readonly string[],
> {
  readonly name: string;
  readonly args?: Args;

  /** Description in lists of commands. */
  readonly summary: string;

  /** Examples: command lines that run as printed. */
  readonly examples: readonly Pair[];
  readonly flags?: Groups;

  /**
   * Flags of the parent command that this command accepts too. The parent's other flags are
   * rejected.
   */
  readonly flagsAbove?: GroupsAbove;

  /** Context options other than flags. */
  readonly contextOptions?: Partial<ContextOptions>;
  readonly subcommands?: readonly CommandDeclaration[];

  /**
   * Runs the command. May resolve to an exit code. Throws `AdreportError`s, and writes only through
   * `context.console`. A command without an action is a group that prints its help.
   */
  readonly action?: (
    invocation: Invocation<OptionsOf<Groups> & OptionsOf<GroupsAbove>, ArgumentValues<Args>>,
  ) => Promise<number> | Promise<void>;
}

/** Runs an action with a context built from the options of the command line. */
export type Perform = (
  options: ContextOptions,
  action: (context: Context) => Promise<number> | Promise<void>,
) => Promise<void>;

/** A command. Its Commander command is built when it is needed. */
export interface CommandDeclaration {
  readonly name: string;
  build(perform: Perform): Command;
}

/**
 * A Commander command with examples and with flags of its parent. Overrides Commander's handlers
 * for mistakes in a command line, to throw adreport's errors.
 */
export class DeclaredCommand extends Command {
  readonly examples: readonly Pair[];

  readonly #groupsAbove: readonly FlagGroup[];

  constructor(name: string, examples: readonly Pair[], groupsAbove: readonly FlagGroup[] = []) {
    super(name);
    this.examples = examples;
    this.#groupsAbove = groupsAbove;
  }

  unknownOption(word: string): void {
    throw unknownFlagError(this, word, listVisibleOptions(this));
  }

  unknownCommand(): never {
    throw unknownCommandError(this, this.args[0] ?? '');
  }

  missingArgument(name: string): never {
    const usage = this.createHelp().commandUsage(this);
    throw new UsageError(`Missing argument <${name}>.`, { hint: `Usage: ${usage}` });
  }

  optionMissingArgument({ long, flags }: Option): never {
    const flag = long ?? flags;
    throw new UsageError(`${flag} needs a value.`, {
      about: { flag },
      hint: formatSeeHelpAll(this),
    });
  }

  _conflictingOption({ long, flags }: Option, other: Option): never {
    const flag = long ?? flags;
    const message = `${flag} cannot be used with ${other.long ?? other.flags}.`;
    throw new UsageError(message, { about: { flag }, hint: 'Remove one of them.' });
  }

  _excessArguments(args: readonly string[]): never {
    const { length } = this.registeredArguments;
    const count = formatPlural(length, 'argument');
    throw new UsageError(`${commandPath(this)} takes ${count}, not ${args.length}.`, {
      hint: `Remove “${printable(args[length] ?? '')}”, or quote a value that has spaces.`,
    });
  }

  /** Whether this command accepts the parent's flag. */
  takesFromAbove(option: Option): boolean {
    const name = option.attributeName();
    return this.#groupsAbove.some(({ flags }) => Object.hasOwn(flags, name));
  }
}

/** Declares a command whose action has types inferred from its flags and arguments. */
export function declareCommand<
  const Groups extends readonly FlagGroup[] = [],
  const GroupsAbove extends readonly FlagGroup[] = [],
  const Args extends readonly string[] = [],
>(spec: CommandSpec<Groups, GroupsAbove, Args>): CommandDeclaration {
  type Options = OptionsOf<Groups> & OptionsOf<GroupsAbove> & GlobalFlags;

  function build(perform: Perform): Command {
    const { name, examples, summary, flags = [], flagsAbove = [] } = spec;
    const command = new DeclaredCommand(name, examples, flagsAbove).summary(summary);
    command.description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
    for (const argument of spec.args ?? []) command.argument(argument);
    addFlags(command, flags);
    const rareCount = countRare([...flags, ...flagsAbove]);
    if (rareCount > 0) addHelpAll(command, rareCount);
    for (const { build } of spec.subcommands ?? []) command.addCommand(build(perform));

    const { action } = spec;
    if (!action) return command;
    return command.action(async () => {
      refuseParentFlags(command);
      const options = command.optsWithGlobals<Options>();
      await perform({ ...options, ...spec.contextOptions }, (context) =>
        action({
          context,
          options,
          // Commander has checked their number and values.
          args: command.processedArgs as ArgumentValues<Args>,
          explicitOptions: listExplicitOptions(command),
          program: findProgram(command),
        }),
      );
    });
  }

  return { name: spec.name, build };
}

function listExplicitOptions(command: Command): Set<string> {
  const names = command.options.map((option) => option.attributeName());
  return new Set(names.filter((name) => command.getOptionValueSource(name) === 'cli'));
}

export function findProgram(command: Command): Command {
  return command.parent ? findProgram(command.parent) : command;
}

/** Throws `UsageError` for a parent's flag that has no effect here: `export --port 80`. */
function refuseParentFlags(command: DeclaredCommand): void {
  for (const option of command.parent?.options ?? []) {
    const isExplicit = command.parent?.getOptionValueSource(option.attributeName()) === 'cli';
    if (!isExplicit || !command.parent?.parent || command.takesFromAbove(option)) continue;

    const flag = option.long ?? option.flags;
    const name = commandPath(command);
    throw new UsageError(`${flag} cannot be used with ${name}.`, {
      hint: `Remove it. See: ${name} --help`,
    });
  }
}

/** Lists the options in a command's help: its own, then its parent's, then the program's. */
export function listVisibleOptions(command: Command): Option[] {
  const { parent } = command;
  const options = [...command.options];
  if (parent?.parent && command instanceof DeclaredCommand) {
    options.push(...parent.options.filter((option) => command.takesFromAbove(option)));
  }
  if (parent) options.push(...findProgram(command).options);
  return options.filter(({ hidden }) => !hidden);
}

function countRare(groups: readonly FlagGroup[]): number {
  const flags = groups.flatMap((group) => Object.values<Flag>(group.flags));
  return flags.filter(({ isRare }) => isRare).length;
}

/**
 * Declares `--help-all` only for the lists of flags. `expandHelpAll` in `program.ts` replaces it
 * with `--help`.
 */
function addHelpAll(command: Command, rareCount: number): void {
  const option = new Option('--help-all', `print all flags (${rareCount} more)`);
  command.addOption(option.helpGroup('Help:'));
}

/** Finds a subcommand by its path, or returns `undefined`. An empty path is the command itself. */
export function findCommand(
  above: Command,
  [name, ...more]: readonly string[],
): Command | undefined {
  if (name === undefined) return above;
  const child = above.commands.find((candidate) => candidate.name() === name);
  return child && findCommand(child, more);
}
