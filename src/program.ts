import { Command, CommanderError } from 'commander';
import { addSubcommand, type Perform } from './commands/command.ts';
import { addGlobalFlags } from './commands/flags.ts';
import { commands } from './commands/index.ts';
import { exitCodes, UsageError } from './errors.ts';
import { version } from './version.ts';

/** Where commander's own texts go: help and version to one side, nothing to the other (errors are thrown). */
export interface ProgramOutput {
  readonly write: (text: string) => void;
  readonly columns: number;
}

/**
 * The root command and its global flags, with every command below it. Given a command line, only the commands that it
 * names are declared in full; the others are there by name, for the list and for suggestions.
 */
export async function createProgram(
  perform: Perform,
  output: ProgramOutput,
  argv?: readonly string[],
): Promise<Command> {
  const program = addGlobalFlags(new Command('adreport'))
    .description(
      'Advertising reports from an asynchronous reporting service: ask, wait, download.\n' +
        'Every command runs without an account against a built-in service with --local.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', () => `\nExamples:\n${rootExamples}\n\nExit codes:\n${exitCodeTable()}`)
    .helpCommand('help [command]', 'help for a command');
  for (const { name, summary, load } of commands) {
    const isWanted = argv === undefined || argv.includes(name);
    addSubcommand(program, summary, isWanted ? (await load())(perform) : new Command(name));
  }
  for (const command of [program, ...descendants(program)]) configure(command, output);
  return program;
}

const rootExamples = [
  '  adreport run --local --period last-week --by DAILY,CAMPAIGN -o week.csv   # try it, no account needed',
  '  adreport login                                                            # then drop the --local',
].join('\n');

function exitCodeTable(): string {
  return exitCodes.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n');
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...descendants(child as Command)]);
}

function configure(command: Command, output: ProgramOutput): void {
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (child) => child.name() })
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

export { CommanderError };
