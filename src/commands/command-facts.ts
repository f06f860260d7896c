import type { Argument, Command, Option } from 'commander';
import { variableOfOption } from '../account/settings.ts';
import { version } from '../context.ts';
import { exitCodes } from '../errors.ts';
import { summaryOf, topics } from '../help/index.ts';
import { FlagOption, isList } from '../plan/flags/flag.ts';
import type { Pair } from '../ui/examples.ts';
import { DeclaredCommand, optionsTakenBy } from './command.ts';

// Help as data. Everything is read from Commander's own declarations, so that the two agree.

/** One flag of a command; absent properties are `null`. */
interface FlagFacts {
  /** `--output`. */
  readonly flag: string;

  /** `-o`. */
  readonly short: string | null;

  /** The name of the value in help; `null` for a switch. */
  readonly value: string | null;

  /** True if the value may be left out. */
  readonly valueOptional: boolean;

  /** The possible words of the value. */
  readonly choices: readonly string[] | null;

  /** The default, as it would be typed. */
  readonly default: unknown;

  /** The environment variable for the same setting. */
  readonly environment: string | null;
  readonly repeatable: boolean;
  readonly required: boolean;

  /** The flags that exclude this one. */
  readonly conflicts: readonly string[];
  readonly description: string;

  /** The heading of the flag in help. */
  readonly group: string;

  /** True if only `--help-all` shows the flag. */
  readonly rare: boolean;

  /** The command that declares the flag: this one, or one above it. */
  readonly declaredBy: string;
}

/** A positional argument. */
interface ArgumentFacts {
  readonly argument: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly choices: readonly string[] | null;
  readonly description: string;
}

/** A command line that runs as printed. */
interface ExampleFacts {
  readonly line: string;
  readonly description: string;
}

interface ExitCodeFacts {
  readonly code: number;
  readonly meaning: string;
}

/** An entry of a list of commands or topics. */
interface ListedFacts {
  readonly name: string;
  readonly summary: string;
}

/** The output of `adreport help COMMAND --json`. */
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

/** The output of `adreport help --json`. */
interface ProgramFacts extends CommandFacts {
  readonly version: string;
  readonly topics: readonly ListedFacts[];
}

/** The output of `adreport help TOPIC --json`; the text is Markdown. */
interface TopicFacts {
  readonly topic: string;
  readonly summary: string;
  readonly text: string;
}

/** The facts about the program, with every visible command and every topic. */
export function factsOfProgram(program: Command): ProgramFacts {
  const listedTopics = Object.entries(topics).map(([name, text]): ListedFacts => {
    return { name, summary: summaryOf(text) };
  });
  return { version, ...factsOfCommand(program), topics: listedTopics };
}

/** The facts about a command, with the flags it takes from the commands above it. */
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

/** The facts about a topic, with its Markdown. */
export function factsOfTopic(name: string, text: string): TopicFacts {
  return { topic: name, summary: summaryOf(text), text };
}

/** A command as typed: `adreport report create`. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function examplesOf(command: Command): readonly Pair[] {
  return command instanceof DeclaredCommand ? command.examples : [];
}

/** All commands below one, as typed after its name: `create`. */
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
    // The default of a counted switch is 0, which cannot be typed.
    default: value === null ? null : defaultValue,
    environment: variableOfOption(option.attributeName()) ?? null,
    repeatable:
      flag !== undefined && (flag.isRepeatable === true || flag.isCounted === true || isList(flag)),
    required: option.mandatory,
    conflicts: namesOfFlags(declaring, flag?.conflicts ?? []),
    description: option.description,
    group: option.helpGroupHeading?.replace(/:$/, '') ?? 'Options',
    rare: flag?.isRare === true,
    declaredBy: nameOf(declaring),
  };
}

/** Options as typed: `--output`. */
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
