import { Command, type CommanderError, Option } from 'commander';
import { addGlobalFlags } from './app/flags.ts';
import { addExamples, type Perform } from './commands/command.ts';
import { commands, hiddenCommands } from './commands/index.ts';
import { exitCodes, UsageError } from './errors.ts';
import { topics } from './help/index.ts';
import { version } from './version.ts';

/** Where commander's own texts go: help and version to one side, nothing to the other (errors are thrown). */
export interface ProgramOutput {
  readonly write: (text: string) => void;
  readonly columns: number;
}

/** The root command and its global flags, with every command below it. */
export function createProgram(perform: Perform, output: ProgramOutput): Command {
  const program = addGlobalFlags(new Command('adreport'))
    .description(
      'Advertising reports from an asynchronous reporting service: ask, wait, download.\n' +
        'Every command runs without an account against a built-in service with --local.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', () => `\nTopics (adreport help TOPIC):\n${topicTable()}`);
  addExamples(program, [
    ['adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv', 'try it, no account needed'],
    ['adreport login', 'then drop the --local'],
  ]).addHelpText('after', () => `\nExit codes:\n${exitCodeTable()}`);
  for (const [heading, builders] of Object.entries(commands)) {
    for (const build of builders) program.addCommand(build(perform).helpGroup(heading));
  }
  for (const build of hiddenCommands) program.addCommand(build(perform), { hidden: true });
  for (const command of [program, ...descendants(program)]) configure(command, output);
  return program;
}

function topicTable(): string {
  const names = Object.keys(topics);
  const width = Math.max(...names.map((name) => name.length));
  return Object.entries(topics)
    .map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
    .join('\n');
}

function exitCodeTable(): string {
  return exitCodes.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n');
}

const helpOption = new Option('-h, --help', 'print this help');

function listedOptions({ options }: { readonly options: readonly Option[] }): Option[] {
  return options.filter(({ hidden }) => !hidden);
}

function ancestors({ parent }: { readonly parent: Command | null }): Command[] {
  return parent ? [parent, ...ancestors(parent)] : [];
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...descendants(child as Command)]);
}

function configure(command: Command, output: ProgramOutput): void {
  command
    // `adreport help` is a command of its own, and explains every other one.
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({
      subcommandTerm: (child) => child.name(),
      showGlobalOptions: true,
      // Commander would give --help a group of its own in the middle of every page.
      visibleOptions: (shown) => (shown.parent ? listedOptions(shown) : [...listedOptions(shown), helpOption]),
      visibleGlobalOptions: (shown) => (shown.parent ? [...ancestors(shown).flatMap(listedOptions), helpOption] : []),
      styleTitle: (title) => (title === 'Global Options:' ? 'Global options:' : title),
    })
    .configureOutput({
      writeOut: output.write,
      // A group without a subcommand is a question, and help is its answer; an error's text is thrown as well.
      writeErr: output.write,
      outputError: () => {},
      getOutHelpWidth: () => output.columns,
      getErrHelpWidth: () => output.columns,
    });
}

/** Commander's error as one of ours; `undefined` where it is no error at all (help and version were printed). */
export function fromCommanderError(error: CommanderError): UsageError | undefined {
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  const [first = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  const message = `${first[0]?.toUpperCase() ?? ''}${first.slice(1)}${/[.!?]$/.test(first) ? '' : '.'}`;
  const hint = suggestion.join(' ').replace(/^\((.*)\)$/, '$1') || 'See --help for what is accepted.';
  return new UsageError(message, { code: 'USAGE', hint });
}
