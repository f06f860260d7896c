import { type Command, Help, Option } from 'commander';
import {
  DeclaredCommand,
  findProgram,
  listVisibleOptions,
  type Perform,
} from './commands/command.ts';
import { commandGroups, hiddenCommands } from './commands/index.ts';
import { version } from './context.ts';
import { topics } from './help/index.ts';
import { addFlags, FlagOption } from './query/flags/flag.ts';
import { globalFlags } from './query/flags/global-flags.ts';
import { wrap } from './text/cell-width.ts';
import { layOutExamples, layOutPairs, type Pair } from './ui/pairs.ts';

interface HelpOutput {
  readonly write: (text: string) => void;
  readonly width: number;

  /** Examples are quoted for its shells. */
  readonly platform: NodeJS.Platform;
}

/** Returns the words before `--`. Those after it belong to another program. */
export function argsBeforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/**
 * Turns `--help-all` into `--help`, for which `createProgram` then shows all flags. In `help
 * COMMAND --help-all`, the flag is dropped.
 */
export function expandHelpAll(argv: readonly string[]): string[] {
  const isHelpOfCommand = argv[0] === 'help' && argv[1]?.startsWith('-') === false;
  const args: string[] = [];
  for (const arg of argsBeforeDashes(argv)) {
    if (arg !== '--help-all') args.push(arg);
    else if (!isHelpOfCommand) args.push('--help');
  }
  return [...args, ...argv.slice(argsBeforeDashes(argv).length)];
}

/** Commands that list all others. */
const commandsThatNeedAll: readonly string[] = ['help', 'complete'];

/** Width next to the longest flag of `run` on a terminal with 60 columns. */
const minWidthToWrap = 25;

/** At 80 columns, the comments fit next to the commands. */
const firstExamples: readonly Pair[] = [
  ['adreport run --local --period last-week --by DAILY -o week.csv', 'a file'],
  ['adreport view week.csv --chart line', 'a chart'],
];

/** Commands in the help of the program. `--help-all` lists all of them. */
const commonCommands: Readonly<Record<string, readonly string[]>> = {
  'Get reports': ['run', 'view', 'check', 'update', 'fields'],
  'Set up': ['login', 'doctor', 'local-server'],
};

const defaultNameWidth = Math.max(
  ...Object.values(commonCommands)
    .flat()
    .map(({ length }) => length),
);

const moreHelp: readonly Pair[] = [
  ['adreport run --help', 'flags and examples of a command'],
  ['adreport --help-all', 'every command and global flag'],
  ['adreport help cron', `help on a word or a topic: ${Object.keys(topics).join(', ')}`],
];

/** Builds the program with the command in the first word, or with all commands. */
export function createProgram(
  perform: Perform,
  output: HelpOutput,
  argv: readonly string[] = [],
): Command {
  const program = new DeclaredCommand('adreport', firstExamples).description(
    'Download advertising reports as complete, checked files.',
  );
  program.usage('COMMAND [flags]');
  addFlags(program, [globalFlags]);
  program.version(version, '-V, --version', 'print the version');

  addCommands(program, perform, argv[0]);
  const showsAll = argsBeforeDashes(argv).includes('--help-all');
  configureHelp(program, { ...output, showsRare: showsAll });
  if (showsAll) return program;
  return program.configureHelp({
    formatHelp: (_command, helper) => formatRootHelp(program, helper, output),
  });
}

function addCommands(program: Command, perform: Perform, firstArg = ''): void {
  const needsOneCommand = !commandsThatNeedAll.includes(firstArg);

  for (const { heading, commands } of commandGroups) {
    const named = commands.find(({ name }) => name === firstArg);
    if (needsOneCommand && named) {
      program.addCommand(named.build(perform).helpGroup(heading));
      return;
    }
  }

  for (const { heading, commands } of commandGroups) {
    for (const { build } of commands) program.addCommand(build(perform).helpGroup(heading));
  }
  for (const { build } of hiddenCommands) {
    program.addCommand(build(perform), { hidden: true });
  }
}

/** Formats the help of the program, which fits into 24 lines. */
function formatRootHelp(program: Command, helper: Help, output: HelpOutput): string {
  const { width } = output;
  const lists: string[] = [];
  for (const [heading, names] of Object.entries(commonCommands)) {
    const pairs = names.map((name): Pair => {
      const command = program.commands.find((child) => child.name() === name);
      return [name, command?.summary() ?? ''];
    });
    lists.push(`${heading}:\n${layOutPairs(pairs, width, defaultNameWidth)}`);
  }
  const sections = [
    wrap(program.description(), width).join('\n'),
    `Usage: ${helper.commandUsage(program)}`,
    lists.join('\n'),
    [
      `Try it now, without an account:\n${layOutExamples(firstExamples, output)}`,
      `More help:\n${layOutPairs(moreHelp, width)}`,
    ].join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Configures the help of a command and its subcommands. */
function configureHelp(command: Command, page: HelpOutput & { readonly showsRare: boolean }): void {
  const { write, width, showsRare } = page;
  const help = new Option('-h, --help', 'print this help').helpGroup('Help:');
  const isRare = (option: Option) => option instanceof FlagOption && option.flag.isRare === true;

  command
    // `adreport help` is our own command.
    .helpCommand(false)
    .addHelpOption(help)
    .exitOverride()
    .configureHelp({
      subcommandTerm: (child) => child.name(),
      minWidthToWrap,
      visibleOptions: (explained) => {
        const options: Option[] = [];
        // Global flags are listed once, in the help of the program.
        const globals = explained.parent ? findProgram(explained).options : [];
        for (const option of listVisibleOptions(explained)) {
          if (globals.includes(option) || (isRare(option) && !showsRare)) continue;
          options.push(option);
        }
        const helpAll = options.filter((option) => !isNotHelpAll(option));
        return [...options.filter(isNotHelpAll), ...(showsRare ? [] : helpAll), help];
      },
      // Groups have the order of their flags, so help comes last. A few flags need no groups.
      groupItems: (_unsorted, visible, groupOf) => {
        const isShort = !showsRare && visible.length <= 12 && visible[0] instanceof Option;
        return new Help().groupItems([], visible, isShort ? () => 'Flags:' : groupOf);
      },
      optionDescription: describeOption,
      commandUsage: (explained) =>
        new Help().commandUsage(explained).replace('[options]', '[flags]'),
    })
    // The help of a command group goes to stdout even if a subcommand is missing.
    .configureOutput({
      writeOut: write,
      writeErr: write,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    });

  if (command.parent) {
    const { examples } = command as DeclaredCommand;
    command.addHelpText('after', () => `\nExamples:\n${layOutExamples(examples, page)}`);
    command.addHelpText('after', '\nGlobal flags: adreport --help-all');
  }
  for (const child of command.commands) configureHelp(child, page);
}

function isNotHelpAll({ long }: Option): boolean {
  return long !== '--help-all';
}

/** Adds the values and the default that the description does not mention. */
function describeOption(option: Option): string {
  const { argChoices = [], defaultValue, defaultValueDescription, description } = option;
  const facts: string[] = [];
  const isNamed = argChoices.every((choice) => description.includes(choice));
  if (!isNamed) facts.push(`choices: ${argChoices.join(', ')}`);

  const takesValue = option.required || option.optional;
  const hasDefault = takesValue && defaultValue !== undefined;
  if (hasDefault && !description.includes('default')) {
    facts.push(`default: ${defaultValueDescription ?? defaultValue}`);
  }
  return facts.length === 0 ? description : `${description} (${facts.join(', ')})`;
}
