import { Argument, Command, Option } from 'commander';
import type { Context, ContextOptions } from '../context.ts';
import { UsageError } from '../errors.ts';
import { addFlags, type Flag, type FlagGroup, type OptionsOf } from '../plan/flags/flag.ts';
import type { GlobalFlags } from '../plan/flags/global-flags.ts';
import type { Pair } from '../ui/page.ts';

/**
 * A positional argument of a command: `<id>`, `[term]`, `<file...>`, and the words that it can be,
 * if they are few.
 */
type ArgumentSpec =
  | string
  | {
      readonly name: string;
      readonly meaning: string;
      readonly words?: readonly string[];
    };

type ArgumentValue<Spec> = Spec extends { readonly words: readonly (infer Word)[] }
  ? Word
  : Spec extends { readonly name: infer Name }
    ? ValueOfName<Name>
    : ValueOfName<Spec>;

type ValueOfName<Name> = Name extends `${string}...${string}`
  ? readonly string[]
  : Name extends `[${string}`
    ? string | undefined
    : string;

type ArgumentValues<Specs extends readonly ArgumentSpec[]> = {
  readonly [Position in keyof Specs]: ArgumentValue<Specs[Position]>;
};

/** One call of a command, as its action receives it. */
interface Invocation<Options, Args> {
  readonly context: Context;

  /** The command's options, with those of the program. */
  readonly options: Options & GlobalFlags;
  readonly args: Args;

  /** The names of the options that stand on the command line; the others have their defaults. */
  readonly typedOptions: ReadonlySet<string>;

  /** The whole program, for what explains or completes its commands. */
  readonly program: Command;
}

interface CommandSpec<
  Groups extends readonly FlagGroup[],
  GroupsAbove extends readonly FlagGroup[],
  Args extends readonly ArgumentSpec[],
> {
  readonly name: string;
  readonly args?: Args;

  /** The line that lists the command. */
  readonly summary: string;

  /** What its help says below the usage, beside the summary. */
  readonly introduction?: string;

  /** Command lines that run as printed. */
  readonly examples: readonly Pair[];
  readonly flags?: Groups;

  /**
   * The groups of the command above that mean something to this one too; its other flags are
   * refused here.
   */
  readonly flagsAbove?: GroupsAbove;

  /** What the command says to its context beside its flags. */
  readonly contextOptions?: Partial<ContextOptions>;
  readonly subcommands?: readonly CommandDeclaration[];

  /**
   * Does what the command is for, and resolves to the exit code. It throws our errors, and writes
   * through `context.console` only. Without an action the command is a group, and help is its
   * answer.
   */
  readonly action?: (
    invocation: Invocation<OptionsOf<Groups> & OptionsOf<GroupsAbove>, ArgumentValues<Args>>,
  ) => Promise<number>;
}

/** Runs an action with the context that the options of its command line ask for. */
export type Perform = (
  options: ContextOptions,
  action: (context: Context) => Promise<number>,
) => Promise<void>;

/** A command as it is declared, of which Commander's is built once it is needed. */
export interface CommandDeclaration {
  readonly name: string;
  build(perform: Perform): Command;
}

/**
 * A command of Commander that knows its examples, and what it takes of the flags of the command
 * above.
 */
export class DeclaredCommand extends Command {
  readonly examples: readonly Pair[];

  readonly #groupsAbove: readonly FlagGroup[];

  constructor(name: string, examples: readonly Pair[], groupsAbove: readonly FlagGroup[] = []) {
    super(name);
    this.examples = examples;
    this.#groupsAbove = groupsAbove;
  }

  /** Whether a flag of the command above means something to this one. */
  takesFromAbove(option: Option): boolean {
    const name = option.attributeName();
    return this.#groupsAbove.some(({ flags }) => Object.hasOwn(flags, name));
  }
}

/**
 * Declares a command. The types of what its action receives follow from its flags and its
 * arguments.
 */
export function declareCommand<
  const Groups extends readonly FlagGroup[] = [],
  const GroupsAbove extends readonly FlagGroup[] = [],
  const Args extends readonly ArgumentSpec[] = [],
>(spec: CommandSpec<Groups, GroupsAbove, Args>): CommandDeclaration {
  type Options = OptionsOf<Groups> & OptionsOf<GroupsAbove> & GlobalFlags;

  function build(perform: Perform): Command {
    const sentences = [spec.summary, spec.introduction].filter((text) => text !== undefined);
    const { name, examples, summary, flags = [], flagsAbove = [] } = spec;
    const command = new DeclaredCommand(name, examples, flagsAbove).summary(summary);
    command.description(sentences.join('\n\n'));
    for (const argument of spec.args ?? []) command.addArgument(commanderArgument(argument));
    addFlags(command, flags);
    const rareCount = countRare([...flags, ...flagsAbove]);
    if (rareCount > 0) addHelpAll(command, rareCount);
    for (const subcommand of spec.subcommands ?? []) command.addCommand(subcommand.build(perform));

    const { action } = spec;
    if (!action) return command;
    return command.action(async () => {
      refuseFlagsOfOthers(command);
      const options = command.optsWithGlobals<Options>();
      await perform({ ...options, ...spec.contextOptions }, (context) =>
        action({
          context,
          options,
          // Commander has checked that the arguments are there, and what they are.
          args: command.processedArgs as ArgumentValues<Args>,
          typedOptions: typedOptionsOf(command),
          program: programOf(command),
        }),
      );
    });
  }

  return { name: spec.name, build };
}

function commanderArgument(spec: ArgumentSpec): Argument {
  if (typeof spec === 'string') return new Argument(spec);
  const argument = new Argument(spec.name, spec.meaning);
  return spec.words ? argument.choices(spec.words) : argument;
}

function typedOptionsOf(command: Command): Set<string> {
  const names = command.options.map((option) => option.attributeName());
  return new Set(names.filter((name) => command.getOptionValueSource(name) === 'cli'));
}

function programOf(command: Command): Command {
  return command.parent ? programOf(command.parent) : command;
}

/**
 * Throws `UsageError` for a flag of a command above that means nothing to this one:
 * `validate --port 80`.
 */
function refuseFlagsOfOthers(command: DeclaredCommand): void {
  for (const option of command.parent?.options ?? []) {
    const isTyped = command.parent?.getOptionValueSource(option.attributeName()) === 'cli';
    if (!isTyped || !command.parent?.parent || command.takesFromAbove(option)) continue;

    const flag = option.long ?? option.flags;
    const name = `${command.parent.name()} ${command.name()}`;
    throw new UsageError(`${flag} means nothing to adreport ${name}.`, {
      hint: `Leave ${flag} out. See: adreport help ${name}`,
    });
  }
}

/** An option of a command, and the command that declares it. */
interface TakenOption {
  readonly option: Option;
  readonly declaring: Command;
}

/**
 * The options that a command takes and help shows: its own, those of the command above that mean
 * something to it, and those of the whole program.
 */
export function optionsTakenBy(command: Command): TakenOption[] {
  const taken: TakenOption[] = [];
  const take = (declaring: Command, options: readonly Option[]) => {
    for (const option of options) if (!option.hidden) taken.push({ option, declaring });
  };

  const { parent } = command;
  take(command, command.options);
  if (parent?.parent && command instanceof DeclaredCommand) {
    take(
      parent,
      parent.options.filter((option) => command.takesFromAbove(option)),
    );
  }
  if (parent) take(programOf(command), programOf(command).options);
  return taken;
}

function countRare(groups: readonly FlagGroup[]): number {
  const flags = groups.flatMap((group) => Object.values<Flag>(group.flags));
  return flags.filter(({ isRare, isHidden }) => isRare && !isHidden).length;
}

/**
 * Declares `--help-all`, for the lists of flags: `wordsToParse` of `program.ts` makes `--help` of
 * it.
 */
function addHelpAll(command: Command, rareCount: number): void {
  const option = new Option('--help-all', `print every flag: ${rareCount} more`);
  command.addOption(option.helpGroup('Help:'));
}

/**
 * The command that words lead to from one above it: that one for no words, `undefined` where there
 * is none.
 */
export function findCommand(
  above: Command,
  [name, ...more]: readonly string[],
): Command | undefined {
  if (name === undefined) return above;
  const child = above.commands.find((candidate) => candidate.name() === name);
  return child && findCommand(child, more);
}
