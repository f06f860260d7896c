import { type Command, type CommanderError, Help, Option } from 'commander';
import { addFlags, FlagOption } from './app/flags/flag.ts';
import { globalFlags } from './app/flags/global-flags.ts';
import { DeclaredCommand, leavesOutRare, type Perform } from './commands/command.ts';
import { commandGroups, hiddenCommands } from './commands/index.ts';
import { version } from './context.ts';
import { exitCodes, UsageError } from './errors.ts';
import { summaryOf, topics } from './help/index.ts';
import { layOutExamples, type Pair } from './ui/page.ts';

/** Where Commander's help goes, and how wide that is; Commander's errors are thrown. */
interface HelpOutput {
  readonly write: (text: string) => void;
  readonly width: number;
}

/** These commands speak of all the others. */
const commandsOfAll: readonly string[] = ['help', 'complete'];

/** Command lines for somebody who sees the program for the first time. */
const firstExamples: readonly Pair[] = [
  [
    'adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv',
    'try it, no account needed',
  ],
  ['adreport login', 'then drop the --local'],
];

/** The root command with the command that the first word names; with every command where it names none. */
export function createProgram(
  perform: Perform,
  output: HelpOutput,
  argv: readonly string[] = [],
): Command {
  const program = new DeclaredCommand('adreport', firstExamples).description(
    'Advertising reports from an asynchronous reporting service: ask, wait, download.\n' +
      'Every command runs without an account against a built-in service with --local.',
  );
  program.usage('[flags] COMMAND');
  addFlags(program, [globalFlags]);
  program.version(version, '-V, --version', 'print the version');

  addCommands(program, perform, argv[0] ?? '');
  configure(program, output);
  return program.configureHelp({
    formatHelp: (_command, helper) => rootHelp(program, helper, output.width),
  });
}

function addCommands(program: Command, perform: Perform, firstWord: string): void {
  const isOfOne = !commandsOfAll.includes(firstWord);

  for (const { heading, commands } of commandGroups) {
    const named = commands.find(({ name }) => name === firstWord);
    if (isOfOne && named) {
      program.addCommand(named.build(perform).helpGroup(heading));
      return;
    }
  }

  for (const { heading, commands } of commandGroups) {
    for (const { build } of commands) program.addCommand(build(perform).helpGroup(heading));
  }
  for (const { build } of hiddenCommands) program.addCommand(build(perform), { hidden: true });
}

/** The help of the program: what is looked up most, its commands, stands last, where a small terminal shows it. */
function rootHelp(program: Command, helper: Help, outputWidth: number): string {
  const section = (heading: string, pairs: readonly Pair[], least = 0): string => {
    const termWidth = Math.max(least, ...pairs.map(([term]) => term.length));
    const lines = pairs.map(([term, meaning]) =>
      helper.formatItem(term, termWidth, meaning, helper),
    );
    return [heading, ...lines].join('\n');
  };

  const flags = helper
    .visibleOptions(program)
    .map((option): Pair => [option.flags, option.description]);
  const codes = exitCodes.map(([code, meaning]): Pair => [String(code).padStart(3), meaning]);
  const topicPairs = Object.entries(topics).map(([name, text]): Pair => [name, summaryOf(text)]);
  const commandSections = commandGroups.map(({ heading }) => {
    const commands = program.commands.filter((command) => command.helpGroup() === heading);
    const pairs = commands.map((command): Pair => [command.name(), command.summary()]);
    return section(heading, pairs, 12);
  });

  const sections = [
    `Usage: ${helper.commandUsage(program)}`,
    program.description(),
    `Examples:\n${layOutExamples(firstExamples, outputWidth)}`,
    section('Flags of every command:', flags),
    section('Exit codes:', codes),
    section('Topics (adreport help TOPIC):', topicPairs),
    commandSections.join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Settles how a command and those below it show their help and their errors. */
function configure(command: Command, { write, width }: HelpOutput): void {
  const help = new Option('-h, --help', 'print this help').helpGroup('Help:');
  const isRare = (option: Option) => option instanceof FlagOption && option.flag.isRare === true;
  const optionsOf = ({ options }: Command): Option[] => options.filter(({ hidden }) => !hidden);

  command
    // `adreport help` is a command of its own, and explains every other one.
    .helpCommand(false)
    .addHelpOption(help)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({
      subcommandTerm: (child) => child.name(),
      showGlobalOptions: command.parent?.name() === 'local-server',
      visibleOptions: (explained) => {
        const options = [...optionsOf(explained), help];
        return leavesOutRare(explained) ? options.filter((option) => !isRare(option)) : options;
      },
      visibleGlobalOptions: ({ parent }) => (parent?.parent ? optionsOf(parent) : []),
      optionDescription: (option) => {
        const text = new Help().optionDescription(option);
        return text.replace(/\(preset: "(\w+)"\)/, '(default: $1)');
      },
      styleTitle: (title) => (title === 'Global Options:' ? 'Flags of local-server:' : title),
    })
    // A group without a subcommand is a question, and help is its answer; an error's text is thrown as well.
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => {},
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    });

  if (command.parent) {
    command.addHelpText(
      'after',
      '\n--json, -q, -v, --no-color and --progress work with every command: adreport --help',
    );
  }
  for (const child of command.commands) configure(child, { write, width });
}

/** Commander's error as one of ours; `undefined` where it is no error at all (help and version were printed). */
export function fromCommanderError(error: CommanderError): UsageError | undefined {
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;

  const [first = '', ...suggestions] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = suggestions.join(' ').replace(/^\((.*)\)$/, '$1');
  return new UsageError(asSentence(first), {
    hint: suggestion || 'See --help for what is accepted.',
  });
}

function asSentence(text: string): string {
  const ending = /[.!?]$/.test(text) ? '' : '.';
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${ending}`;
}
