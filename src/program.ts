import { Command, type CommanderError, type Help, Option } from 'commander';
import { addGlobalFlags, rareRunFlags } from './app/flags.ts';
import type { Perform } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { version } from './context.ts';
import { exitCodes, UsageError } from './errors.ts';
import { summaryOf, topics } from './help/index.ts';
import { layOutExamples, type Pair } from './ui/page.ts';

/** Where commander's own texts go: help and version to one side, nothing to the other (errors are thrown). */
type ProgramOutput = { readonly write: (text: string) => void; readonly width: number };

/** The root command with the command that the first word names; with every command where it names none. */
export function createProgram(
  perform: Perform,
  output: ProgramOutput,
  argv: readonly string[] = [],
): Command {
  const program = addGlobalFlags(new Command('adreport'))
    .description(
      'Advertising reports from an asynchronous reporting service: ask, wait, download.\n' +
        'Every command runs without an account against a built-in service with --local.',
    )
    .version(version, '-V, --version', 'print the version');
  // `help` and `complete` speak of all the others.
  const named = commands.filter(
    ([, name]) => name === argv[0] && !['help', 'complete'].includes(name),
  );
  for (const [heading, , build] of named.length > 0 ? named : commands) {
    program.addCommand(build(perform).helpGroup(heading), { hidden: heading === '' });
  }
  configure(program, output);
  return program.configureHelp({
    formatHelp: (_command, helper) => rootHelp(program, helper, output.width),
  });
}

/** The help of the program: what is looked up most, its commands, stands last, where a small terminal shows it. */
function rootHelp(program: Command, helper: Help, outputWidth: number): string {
  const section = (heading: string, pairs: readonly Pair[], least = 0): string => {
    const width = Math.max(least, ...pairs.map(([term]) => term.length));
    return [
      heading,
      ...pairs.map(([term, meaning]) => helper.formatItem(term, width, meaning, helper)),
    ].join('\n');
  };
  const examples: readonly Pair[] = [
    [
      'adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv',
      'try it, no account needed',
    ],
    ['adreport login', 'then drop the --local'],
  ];
  const flags = helper
    .visibleOptions(program)
    .map((option): Pair => [option.flags, option.description]);
  const codes = exitCodes.map(([code, meaning]): Pair => [String(code).padStart(3), meaning]);
  const headings = [...new Set(commands.map(([heading]) => heading))].filter(Boolean);
  const listed = headings.map((heading) => {
    const own = program.commands.filter((command) => command.helpGroup() === heading);
    return section(
      heading,
      own.map((command) => [command.name(), command.summary()]),
      12,
    );
  });
  return `${[
    'Usage: adreport [flags] COMMAND',
    program.description(),
    `Examples:\n${layOutExamples(examples, outputWidth)}`,
    section('Flags of every command:', flags),
    section('Exit codes:', codes),
    section(
      'Topics (adreport help TOPIC):',
      Object.entries(topics).map(([name, text]) => [name, summaryOf(text)]),
    ),
    listed.join('\n'),
  ].join('\n\n')}\n`;
}

/** Settles how a command and those below it show their help and their errors. */
function configure(command: Command, { write, width }: ProgramOutput): void {
  const help = new Option('-h, --help', 'print this help').helpGroup('Help:');
  const listed = ({ options }: Command): Option[] =>
    (options as Option[]).filter(({ hidden }) => !hidden);
  // Only run has so many flags that the rare ones are left to --help-all.
  let rare: readonly string[] = command.name() === 'run' ? rareRunFlags : [];
  if (rare.length > 0) {
    command
      .optionsGroup('Help:')
      .option('--help-all', 'print every flag')
      .on('option:help-all', () => {
        rare = [];
        command.help();
      });
  }
  command
    // `adreport help` is a command of its own, and explains every other one.
    .helpCommand(false)
    .addHelpOption(help)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({
      subcommandTerm: (child) => child.name(),
      showGlobalOptions: command.parent?.name() === 'local-server',
      visibleOptions: (shown) =>
        [...listed(shown), help].filter(({ long }) => !rare.includes(long ?? '')),
      visibleGlobalOptions: ({ parent }) => (parent?.parent ? listed(parent) : []),
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
      '\n--json, -q, -v, --no-color and --progress hold for every command: adreport --help',
    );
  }
  for (const child of command.commands) configure(child as Command, { write, width });
}

/** Commander's error as one of ours; `undefined` where it is no error at all (help and version were printed). */
export function fromCommanderError(error: CommanderError): UsageError | undefined {
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  const [first = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  const message = `${first[0]?.toUpperCase() ?? ''}${first.slice(1)}${/[.!?]$/.test(first) ? '' : '.'}`;
  const hint =
    suggestion.join(' ').replace(/^\((.*)\)$/, '$1') || 'See --help for what is accepted.';
  return new UsageError(message, { hint });
}
