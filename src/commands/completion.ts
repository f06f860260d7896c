import { resolve } from 'node:path';
import type { Command, Option } from 'commander';
import { savedKeys } from '../app/saved-reports.ts';
import { findProjectFile, readProjectFile } from '../config/project-file.ts';
import type { Context } from '../context.ts';
import { profiles, vocabularyOf } from '../contract/vocabulary.ts';
import { topics } from '../help/index.ts';
import { declareCommand, findCommand } from './command.ts';

// Each script hands over the line as far as it is typed, and puts in what it is given; where that is nothing, files.
const scripts = {
  bash: String.raw`_adreport() {
  local IFS=$'\n'
  COMPREPLY=($(adreport complete "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
  [[ $COMPREPLY ]] || compopt +o nospace 2>/dev/null
}
complete -o default -o nospace -F _adreport adreport
`.replaceAll('\\$', '$'),
  zsh: String.raw`#compdef adreport
_adreport() {
  local -a lines
  lines=("\${(@f)$(adreport complete "\${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}")
  [[ -n $lines && $PREFIX == --*=* ]] && lines=("\${PREFIX%%=*}=\${^lines}")
  if [[ -n $lines ]]; then compadd -U -Q -S '' -V adreport -a lines; else _files; fi
}
if [[ \${funcstack[1]} == _adreport ]]; then _adreport "$@"; else compdef _adreport adreport; fi
`.replaceAll('\\$', '$'),
  fish: String.raw`function __adreport_complete
    set -l lines (adreport complete (commandline -cp) 2>/dev/null | string trim)
    set -l flag (commandline -ct | string match -r '^--.*=')
    set -q lines[1]; and printf '%s\n' "$flag"$lines; or __fish_complete_path (commandline -ct)
end
complete -c adreport -e
complete -c adreport -f -k -a '(__adreport_complete)'
`,
};

/** The shells that have a script. */
const shells = Object.keys(scripts) as readonly (keyof typeof scripts)[];

export const completionCommand = declareCommand({
  name: 'completion',
  args: [{ name: '<shell>', meaning: 'whose script to print', words: shells }],
  summary: 'print the script that completes command lines in bash, zsh or fish',
  examples: [
    ['source <(adreport completion bash)', 'bash: in ~/.bashrc'],
    ['source <(adreport completion zsh)', 'zsh: in ~/.zshrc, below compinit'],
    ['adreport completion fish | source', 'fish: in ~/.config/fish/config.fish'],
  ],
  async action({ context, args: [shell] }) {
    await context.console.result(scripts[shell]);
    return 0;
  },
});

/** What the scripts of the shells call while a command line is being typed. */
export const completeCommand = declareCommand({
  name: 'complete',
  args: ['<line>'],
  summary: 'what the last word of a line may become, for the shell scripts',
  examples: [
    ["adreport complete 'adreport run --by '", 'the breakdowns'],
    ["adreport complete 'adreport run --format nd'", 'the formats that begin so'],
  ],
  async action({ context, program, args: [line] }) {
    await complete(context, program, line);
    return 0;
  },
});

/**
 * Prints what the last word may become, one a line; a blank behind it says that the next word follows. It asks this machine
 * alone, and fails in silence: a person is in the middle of a line.
 */
async function complete(context: Context, program: Command, line: string): Promise<void> {
  // A value may stand behind an `=`, of which the shells keep what is before it.
  const [, ...words] = line
    .replaceAll(/["'\\]|(?<= --[\w-]+)(=)/g, (_mark, equals) => (equals ? ' ' : ''))
    .split(/\s+/);
  const current = words.pop() ?? '';
  try {
    const offered = await offer(context, findPlace(program, words), current);
    const fitting = offered.filter(
      // None that a shell could run: names come from files.
      (word) =>
        word.toLowerCase().startsWith(current.toLowerCase()) &&
        /^[\p{L}\p{N}_@%+=,./-]+ ?$/u.test(word),
    );
    // Within quotes a blank would belong to the name.
    const isQuoted = /["'\\]\S*$/.test(line);
    await context.console.write(
      fitting.map((word) => `${isQuoted ? word.trimEnd() : word}\n`).join(''),
    );
  } catch (error) {
    context.console.trace(1, String(error));
  }
}

/** Where on a command line the next word stands. */
type Place = ReturnType<typeof findPlace>;

/** Reads the words before the one that is being typed, as the parser would, but without minding what is wrong. */
function findPlace(program: Command, words: readonly string[]) {
  let command = program;
  let pending: Option | undefined;
  const given: Record<string, string> = {};
  const operands: string[] = [];
  for (const word of words) {
    const child = operands.length === 0 ? findCommand(command, [word]) : undefined;
    if (pending) {
      given[pending.attributeName()] = word;
      pending = undefined;
    } else if (word.startsWith('-')) {
      pending = optionsOf(command).find(
        ({ long, short, required }) => required && [long, short].includes(word),
      );
    } else if (child) command = child;
    else operands.push(word);
  }
  return { command, pending, given, operands };
}

function optionsOf({ options, parent }: Command): Option[] {
  return [...(options as Option[]), ...(parent ? optionsOf(parent as Command) : [])];
}

async function offer(context: Context, place: Place, current: string): Promise<readonly string[]> {
  if (place.pending) return offerValues(context, place, place.pending, current);
  const operands = current.startsWith('-') ? undefined : await offerOperands(context, place);
  const flags = optionsOf(place.command).flatMap(({ hidden, long }) =>
    hidden ? [] : (long ?? []),
  );
  return operands ?? asWords(flags);
}

function asWords(names: readonly string[]): string[] {
  return names.map((name) => `${name} `);
}

/** What the value of a flag may be. */
async function offerValues(context: Context, { given }: Place, option: Option, current: string) {
  const name = option.attributeName();
  if (name === 'account') return asWords(Object.keys((await context.store().read()).accounts));
  if (option.argChoices || !['filter', 'metrics', 'by'].includes(name))
    return asWords(option.argChoices ?? []);
  const { breakdowns, metrics, filters } = await vocabularyAt(context, given.profile);
  if (name === 'filter') return filters.map((filter) => `${filter.name}=`);
  // Of a list with commas the last name is being typed.
  const head = current.slice(0, current.lastIndexOf(',') + 1);
  const taken = head.toUpperCase().split(',');
  const listed = (name === 'metrics' ? metrics : breakdowns).map((entry): string => entry.name);
  return listed
    .filter((known) => !taken.includes(known.toUpperCase()))
    .map((known) => head + known);
}

/** What the next word may be that is no flag: `undefined` where that is nothing, none where it is a file. */
async function offerOperands(
  context: Context,
  { command, operands, given }: Place,
): Promise<string[] | undefined> {
  const isFirst = operands.length === 0;
  const last = command.registeredArguments.at(-1);
  const argument =
    command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined);
  if (['file', 'dir', 'command'].includes(argument?.name() ?? '')) return [];
  const names = [...(isFirst ? commandsOf(command) : []), ...(argument?.argChoices ?? [])];
  if (command.name() === 'run') {
    const { cwd } = context.host;
    const path = given.file === undefined ? findProjectFile(cwd) : resolve(cwd, given.file);
    if (path !== undefined)
      names.push(...(await readProjectFile(path, path, savedKeys())).reports.keys());
  } else if (command.name() === 'fields') {
    const { breakdowns, metrics, filters } = await vocabularyAt(context, given.profile);
    names.push(...[...breakdowns, ...metrics, ...filters].map(({ name }) => name));
  } else if (command.name() === 'help' && isFirst) {
    names.push(...commandsOf(command.parent as Command), ...Object.keys(topics));
  }
  return names.length > 0 ? asWords(names) : undefined;
}

function commandsOf(command: Command): string[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((child) => child.name());
}

/** The vocabulary of the profile that the command line or a setting names. */
async function vocabularyAt(context: Context, named: string | undefined) {
  const profile = profiles.find((name) => name === named);
  return vocabularyOf(profile ?? (await context.settings()).profile.value);
}
