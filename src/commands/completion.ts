import { resolve } from 'node:path';
import { Argument, type Command, type Option } from 'commander';
import type { GlobalFlags } from '../app/flags.ts';
import { savedKeys } from '../app/saved-reports.ts';
import { findProjectFile, readProjectFile } from '../config/project-file.ts';
import type { Context } from '../context.ts';
import { profiles, vocabularyOf } from '../contract/vocabulary.ts';
import { summaryOf, topics } from '../help/index.ts';
import { formatNames, formats } from '../output/formats/index.ts';
import { printable } from '../text/printable.ts';
import { type CommandBuilder, declareCommand, findCommand } from './command.ts';

export const completionCommand: CommandBuilder = (perform) =>
  declareCommand('completion', 'print the script that completes command lines in bash, zsh or fish', [
    ['source <(adreport completion bash)', 'bash: in ~/.bashrc'],
    ['source <(adreport completion zsh)', 'zsh: in ~/.zshrc, below compinit'],
    ['adreport completion fish | source', 'fish: in ~/.config/fish/config.fish'],
  ])
    .addArgument(new Argument('<shell>', 'whose script to print').choices(['bash', 'zsh', 'fish']))
    .action(
      perform(({ console }: Context, _options: GlobalFlags, shell: keyof typeof scripts) =>
        console.result(scripts[shell]),
      ),
    );

/** What the shells' scripts call while a command line is being typed; the words come after `--`. */
export const completeCommand: CommandBuilder = (perform) => {
  const command = declareCommand(
    'complete <shell> [words...]',
    'the completions of a command line, for the shell scripts',
    [
      ["adreport complete fish -- run --by ''", 'the breakdowns, with their meanings'],
      ['adreport complete bash -- run --format nd', 'the formats that begin so'],
    ],
  );
  return command.action(
    perform((context: Context, _options: GlobalFlags, shell: string, words: readonly string[]) =>
      complete(context, command.parent as Command, shell, words),
    ),
  );
};

// Each script hands over the words before the cursor, and puts in the lines behind the first, which says what they are.

/** Works with bash 3.2 (macOS) and later, with or without the bash-completion package. */
const bash = String.raw`# Completes the command lines of adreport in bash: source <(adreport completion bash)
_adreport() {
  local line=\${COMP_LINE:0:COMP_POINT} words kind= IFS=$' \t\n'
  read -ra words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(adreport complete bash -- "\${words[@]:1}" 2>/dev/null)
  # An empty answer lets readline complete file names, which is right for files alone.
  [[ $kind == files ]] && compopt +o nospace 2>/dev/null || compopt +o default 2>/dev/null
}
complete -o default -o nospace -F _adreport adreport
`.replaceAll('\\$', '$');

const zsh = String.raw`#compdef adreport
# Completes the command lines of adreport in zsh: source <(adreport completion zsh), or a file _adreport in fpath
_adreport() {
  local -a before lines values space
  local line
  before=("\${(@Q)words[2,CURRENT-1]}")
  lines=("\${(@f)$(adreport complete zsh -- "\${before[@]}" "\${PREFIX}" 2>/dev/null)}")
  [[ \${lines[1]} == files ]] && { _files; return; }
  [[ \${lines[1]} == open ]] && space=(-S '')
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${\${line%%$'\t'*}//:/\:}:\${line#*$'\t'}")
  done
  _describe -V -t adreport 'adreport' values "\${space[@]}" -M 'm:{a-zA-Z}={A-Za-z}'
}
if [[ \${funcstack[1]} == _adreport ]]; then _adreport "$@"; else compdef _adreport adreport; fi
`.replaceAll('\\$', '$');

const fish = String.raw`# Completes the command lines of adreport in fish: adreport completion fish | source
function __adreport_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (adreport complete fish -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case words open
            printf '%s\n' $lines[2..-1]
    end
end
complete -c adreport -e
complete -c adreport -f -k -a '(__adreport_complete)'
`;

const scripts = { bash, zsh, fish };

interface Candidate {
  readonly value: string;
  readonly meaning?: string;
}

/** `open`: more may follow in the same word; `files` are the shell's own to complete. */
type Offer = readonly [kind: 'words' | 'open' | 'files', candidates: readonly Candidate[]];

/** Where on a command line the next word stands; `pending` is the flag that waits for its value. */
type Place = ReturnType<typeof findPlace>;

/**
 * Prints what the last word may become, for the script of a shell: `words`, `open` or `files` on the first line, then a
 * candidate a line. It asks this machine alone, and fails in silence: a person is in the middle of a line.
 */
async function complete(context: Context, program: Command, shell: string, words: readonly string[]): Promise<void> {
  // bash hands over its words as they are typed, quotes included.
  const typed = shell === 'bash' ? words.map((word) => word.replaceAll(/["'\\]/g, '')) : words;
  const current = typed.at(-1) ?? '';
  try {
    const [kind, candidates] = await offerAt(context, findPlace(program, typed.slice(0, -1)), current);
    const matching = candidates.filter(
      ({ value }) => value.toLowerCase().startsWith(current.toLowerCase()) && printable(value) === value,
    );
    const isQuoted = words.at(-1) !== current;
    const lines =
      shell === 'bash'
        ? matching.flatMap(({ value }) => forBash(value, current, kind === 'words' && !isQuoted) ?? [])
        : matching.map(({ value, meaning = '' }) => `${value}\t${printable(meaning)}`);
    await context.console.result([kind, ...lines].join('\n'));
  } catch (error) {
    context.console.trace(1, String(error));
  }
}

/** A candidate as bash puts it in; none that bash could run: names come from files. */
function forBash(value: string, current: string, isWhole: boolean): string | undefined {
  if (!/^[\p{L}\p{N}_@%+=,./-]+$/u.test(value)) return undefined;
  // readline replaces only what stands behind the last `=`.
  return value.slice(current.lastIndexOf('=') + 1) + (isWhole ? ' ' : '');
}

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
    } else if (word.startsWith('-') && word.length > 1) {
      const [flag, value] = word.split('=', 2);
      const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
      if (option?.required && value === undefined) pending = option;
      else if (option) given[option.attributeName()] = value ?? '';
    } else if (child) command = child;
    else operands.push(word);
  }
  return { command, options: optionsOf(command), pending, given, operands };
}

function optionsOf({ options, parent }: Command): Option[] {
  return [...(options as Option[]), ...(parent ? optionsOf(parent as Command) : [])];
}

async function offerAt(context: Context, place: Place, current: string): Promise<Offer> {
  const { command, pending, operands, options } = place;
  if (pending) return offerValues(context, place, pending, current);
  const [, flag, value = ''] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  const option = options.find(({ long }) => long === flag);
  if (option) {
    const [kind, candidates] = await offerValues(context, place, option, value);
    return [kind, candidates.map((one) => ({ ...one, value: `${flag}=${one.value}` }))];
  }
  const operand = await offerOperands(context, place);
  const offered: Offer = operands.length === 0 ? [operand[0], [...commandsOf(command), ...operand[1]]] : operand;
  if (!current.startsWith('-') && (offered[1].length > 0 || offered[0] === 'files')) return offered;
  const shown = options.filter(({ hidden, long }) => !hidden && long);
  return ['words', shown.map(({ long = '', description }) => ({ value: long, meaning: description }))];
}

function commandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((child) => ({ value: child.name(), meaning: child.summary() }));
}

/** What the value of a flag may be. */
async function offerValues(context: Context, place: Place, option: Option, current: string): Promise<Offer> {
  if (option.argChoices) return ['words', option.argChoices.map((value) => ({ value }))];
  const name = option.attributeName();
  if (name === 'format') return ['words', formatNames.map((value) => ({ value, meaning: formats[value].meaning }))];
  if (name === 'account') {
    const { accounts } = await context.store().read();
    return ['words', Object.entries(accounts).map(([value, { baseUrl }]) => ({ value, meaning: baseUrl }))];
  }
  if (/<(file|dir)>/.test(option.flags)) return ['files', []];
  const { breakdowns, metrics, filters } = await vocabularyAt(context, place);
  if (name === 'filter') return ['open', filters.map((filter) => ({ ...filter, value: `${filter.name}=` }))];
  const listed = name === 'metrics' ? metrics : name === 'by' ? breakdowns : [];
  // Of a list with commas the last name is being typed.
  const head = current.slice(0, current.lastIndexOf(',') + 1);
  const free = listed.filter(({ name: known }) => !head.toUpperCase().split(',').includes(known.toUpperCase()));
  return ['open', free.map((entry) => ({ ...entry, value: head + entry.name }))];
}

/** What the next word may be that is neither a command nor a flag. */
async function offerOperands(context: Context, place: Place): Promise<Offer> {
  const { command, operands, given } = place;
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined);
  if (argument?.argChoices) return ['words', argument.argChoices.map((value) => ({ value }))];
  if (['file', 'dir', 'command'].includes(argument?.name() ?? '')) return ['files', []];
  switch (command.name()) {
    case 'run':
      return ['words', await savedReports(context, given.file)];
    case 'fields': {
      const { breakdowns, metrics, filters } = await vocabularyAt(context, place);
      return ['words', [...breakdowns, ...metrics, ...filters].map((entry) => ({ ...entry, value: entry.name }))];
    }
    case 'help': {
      const above = findCommand(command.parent as Command, operands);
      const texts = operands.length === 0 ? Object.entries(topics) : [];
      const known = texts.map(([value, text]) => ({ value, meaning: summaryOf(text) }));
      return ['words', [...(above ? commandsOf(above) : []), ...known]];
    }
    default:
      return ['words', []];
  }
}

/** The vocabulary of the profile that the command line or a setting names. */
async function vocabularyAt(context: Context, { given }: Place) {
  const profile = profiles.find((name) => name === given.profile);
  return vocabularyOf(profile ?? (await context.settings()).profile.value);
}

/** The reports of `adreport.yaml`, or of another file, with their window and breakdowns. */
async function savedReports({ host }: Context, file: string | undefined): Promise<Candidate[]> {
  const path = file === undefined ? findProjectFile(host.cwd) : resolve(host.cwd, file);
  if (path === undefined) return [];
  return [...(await readProjectFile(path, path, savedKeys())).reports].map(([value, { entries }]) => {
    const told = ['period', 'since', 'by'].flatMap((key) => entries.get(key)?.texts.join(',') ?? []);
    return { value, meaning: told.join(', ') };
  });
}
