import { Command, type CommanderError, Option } from 'commander';
import { addGlobalFlags, rareRunFlags } from './app/flags.ts';
import type { Perform } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { version } from './context.ts';
import { exitCodes, UsageError } from './errors.ts';
import { summaryOf, topics } from './help/index.ts';
import { layOutExamples, type Pair, wrap } from './ui/page.ts';

/** Where commander's own texts go: help and version to one side, nothing to the other (errors are thrown). */
interface ProgramOutput {
  readonly write: (text: string) => void;
  readonly columns: number;
}

/** The root command with the command that the first word names; with every command where it names none. */
export function createProgram(perform: Perform, output: ProgramOutput, argv: readonly string[] = []): Command {
  const program = addGlobalFlags(new Command('adreport'))
    .description(
      'Advertising reports from an asynchronous reporting service: ask, wait, download.\n' +
        'Every command runs without an account against a built-in service with --local.',
    )
    .version(version, '-V, --version', 'print the version');
  // `help` and `complete` speak of all the others.
  const named = commands.filter(([, name]) => name === argv[0] && !['help', 'complete'].includes(name));
  for (const [heading, , build] of named.length > 0 ? named : commands) {
    program.addCommand(build(perform).helpGroup(heading), { hidden: heading === '' });
  }
  configure(program, output);
  return program.configureHelp({ formatHelp: () => rootHelp(program, output.columns) });
}

/** The help of the program: what is looked up most, its commands, stands last, where a small terminal shows it. */
function rootHelp(program: Command, columns: number): string {
  const headings = [...new Set(commands.map(([heading]) => heading))].filter(Boolean);
  const listed = headings.map((heading) => {
    const own = program.commands.filter((command) => command.helpGroup() === heading);
    const pairs = own.map((command) => [command.name(), command.summary()] as const);
    return `${heading}\n${layOutTerms(pairs, columns, 12)}`;
  });
  const examples: readonly Pair[] = [
    ['adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv', 'try it, no account needed'],
    ['adreport login', 'then drop the --local'],
  ];
  return `Usage: adreport [flags] COMMAND

${program.description()}

Examples:
${layOutExamples(examples, columns)}

Flags of every command:
${layOutTerms(
  [...listedOptions(program), helpOption].map(({ flags, description }) => [flags, description]),
  columns,
)}

Exit codes:
${layOutTerms(
  exitCodes.map(([code, meaning]) => [String(code).padStart(3), meaning]),
  columns,
)}

Topics (adreport help TOPIC):
${layOutTerms(
  Object.entries(topics).map(([name, text]) => [name, summaryOf(text)]),
  columns,
)}

${listed.join('\n')}
`;
}

/** Terms with their meanings, broken at blanks. */
function layOutTerms(pairs: readonly Pair[], columns: number, least = 0): string {
  const width = Math.max(least, ...pairs.map(([term]) => term.length));
  const indent = `\n${' '.repeat(width + 4)}`;
  const lines = (meaning: string) => wrap(meaning, Math.max(20, columns - width - 4)).join(indent);
  return pairs.map(([term, meaning]) => `  ${term.padEnd(width)}  ${lines(meaning)}`).join('\n');
}

const helpOption = new Option('-h, --help', 'print this help').helpGroup('Help:');

function listedOptions({ options }: { readonly options: readonly Option[] }): Option[] {
  return options.filter(({ hidden }) => !hidden);
}

/** Settles how a command and those below it show their help and their errors. */
function configure(command: Command, output: ProgramOutput): void {
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
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({
      subcommandTerm: (child) => child.name(),
      showGlobalOptions: command.parent?.name() === 'local-server',
      visibleOptions: (shown) => [...listedOptions(shown), helpOption].filter(({ long }) => !rare.includes(long ?? '')),
      visibleGlobalOptions: ({ parent }) => (parent?.parent ? listedOptions(parent) : []),
      styleTitle: (title) => (title === 'Global Options:' ? 'Flags of local-server:' : title),
    })
    .configureOutput({
      writeOut: output.write,
      // A group without a subcommand is a question, and help is its answer; an error's text is thrown as well.
      writeErr: output.write,
      outputError: () => {},
      getOutHelpWidth: () => output.columns,
      getErrHelpWidth: () => output.columns,
    });
  if (command.parent) {
    command.addHelpText('after', '\n--json, -q, -v, --no-color and --progress hold for every command: adreport --help');
  }
  for (const child of command.commands) configure(child as Command, output);
}

/** Commander's error as one of ours; `undefined` where it is no error at all (help and version were printed). */
export function fromCommanderError(error: CommanderError): UsageError | undefined {
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  const [first = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  const message = `${first[0]?.toUpperCase() ?? ''}${first.slice(1)}${/[.!?]$/.test(first) ? '' : '.'}`;
  const hint = suggestion.join(' ').replace(/^\((.*)\)$/, '$1') || 'See --help for what is accepted.';
  return new UsageError(message, { hint });
}
