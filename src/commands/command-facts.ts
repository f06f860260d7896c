import type { Argument, Command, Option } from 'commander';
import { variableOfOption } from '../account/settings.ts';
import { version } from '../context.ts';
import { exitCodes } from '../errors.ts';
import { summaryOf, topics } from '../help/index.ts';
import { FlagOption } from '../plan/flags/flag.ts';
import type { Pair } from '../ui/page.ts';
import { DeclaredCommand, optionsTakenBy } from './command.ts';

// What help says, as data. Everything is read from what Commander was given for the command line,
// so that the two agree.

/** One flag of a command. What it does not have is `null`. */
interface FlagFacts {
  /** `--output`. */
  readonly flag: string;

  /** `-o`. */
  readonly short: string | null;

  /** What help calls the value of the flag; `null` for a switch. */
  readonly value: string | null;

  /** Whether the flag may stand without its value. */
  readonly valueOptional: boolean;

  /** The only words that the value can be. */
  readonly choices: readonly string[] | null;

  /** What holds where the flag is absent, as it would be typed. */
  readonly default: unknown;

  /** The variable of the environment that stands in for the flag. */
  readonly environment: string | null;
  readonly repeatable: boolean;
  readonly required: boolean;

  /** The flags that exclude this one. */
  readonly conflicts: readonly string[];
  readonly description: string;

  /** The heading that help shows the flag under. */
  readonly group: string;

  /** Whether only `--help-all` shows the flag. */
  readonly rare: boolean;

  /** The command that declares the flag: this one, or one above it. */
  readonly declaredBy: string;
}

/** One word of a command line that is no flag. */
interface ArgumentFacts {
  readonly argument: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly choices: readonly string[] | null;
  readonly description: string;
}

/** A command line that runs as it stands. */
interface ExampleFacts {
  readonly line: string;
  readonly description: string;
}

interface ExitCodeFacts {
  readonly code: number;
  readonly meaning: string;
}

/** A line of a list of commands or topics. */
interface ListedFacts {
  readonly name: string;
  readonly summary: string;
}

/** What `adreport help COMMAND --json` prints. */
interface CommandFacts {
  readonly command: string;
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly ArgumentFacts[];
  readonly flags: readonly FlagFacts[];
  readonly examples: readonly ExampleFacts[];
  readonly commands: readonly ListedFacts[];
  readonly exitCodes: readonly ExitCodeFacts[];
}

/** What `adreport help --json` prints. */
interface ProgramFacts extends CommandFacts {
  readonly version: string;
  readonly topics: readonly ListedFacts[];
}

/** What `adreport help TOPIC --json` prints; the text is Markdown. */
interface TopicFacts {
  readonly topic: string;
  readonly summary: string;
  readonly text: string;
}

/** The facts of the program, with every command that help lists and every topic. */
export function factsOfProgram(program: Command): ProgramFacts {
  const listedTopics = Object.entries(topics).map(([name, text]): ListedFacts => {
    return { name, summary: summaryOf(text) };
  });
  return { version, ...factsOfCommand(program), topics: listedTopics };
}

/** The facts of a command, with the flags of the commands above it that it takes too. */
export function factsOfCommand(command: Command): CommandFacts {
  const helper = command.createHelp();
  const taken = optionsTakenBy(command);
  const flags = taken.map(({ option, declaring }) => factsOfFlag(option, declaring));

  return {
    command: nameOf(command),
    usage: helper.commandUsage(command),
    description: command.description(),
    arguments: command.registeredArguments.map(factsOfArgument),
    flags,
    examples: examplesOf(command).map(([line, description]) => ({ line, description })),
    commands: listCommands(command),
    exitCodes: exitCodes.map(([code, meaning]) => ({ code, meaning })),
  };
}

/** The facts of a topic: its text as it is written. */
export function factsOfTopic(name: string, text: string): TopicFacts {
  return { topic: name, summary: summaryOf(text), text };
}

/** A command as it is typed: `adreport report create`. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function examplesOf(command: Command): readonly Pair[] {
  return command instanceof DeclaredCommand ? command.examples : [];
}

/** The commands below one, as they are typed after its name; those below them stand with them. */
function listCommands(command: Command): ListedFacts[] {
  const listed: ListedFacts[] = [];

  for (const child of command.createHelp().visibleCommands(command)) {
    listed.push({ name: child.name(), summary: child.summary() });
    for (const { name, summary } of listCommands(child)) {
      listed.push({ name: `${child.name()} ${name}`, summary });
    }
  }
  return listed;
}

function factsOfFlag(option: Option, declaring: Command): FlagFacts {
  const flag = option instanceof FlagOption ? option.flag : undefined;
  const [, bracket, value = null] = /([<[])(.*)[\]>]$/.exec(option.flags) ?? [];
  const defaultValue = option.defaultValueDescription ?? option.defaultValue ?? null;

  return {
    flag: option.long ?? option.flags,
    short: option.short ?? null,
    value,
    valueOptional: bracket === '[',
    choices: option.argChoices ?? null,
    // A switch that is counted begins at 0, which nobody types.
    default: value === null ? null : defaultValue,
    environment: variableOfOption(option.attributeName()) ?? null,
    repeatable: flag?.isRepeatable === true || flag?.isCounted === true,
    required: option.mandatory,
    conflicts: namesOfFlags(declaring, flag?.conflicts ?? []),
    description: option.description,
    group: option.helpGroupHeading?.replace(/:$/, '') ?? 'Options',
    rare: flag?.isRare === true,
    declaredBy: nameOf(declaring),
  };
}

/** How the options of a command are typed. */
function namesOfFlags(command: Command, optionNames: readonly string[]): string[] {
  const named: string[] = [];
  for (const option of command.options) {
    const isNamed = optionNames.includes(option.attributeName());
    if (isNamed && !option.hidden && option.long) named.push(option.long);
  }
  return named;
}

function factsOfArgument(argument: Argument): ArgumentFacts {
  return {
    argument: argument.name(),
    required: argument.required,
    repeatable: argument.variadic,
    choices: argument.argChoices ?? null,
    description: argument.description,
  };
}
