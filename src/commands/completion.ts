import { resolve } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { findProjectFile, readProjectFile } from '../account/project-file.ts';
import type { Context } from '../context.ts';
import { columnsOf } from '../contract/columns.ts';
import {
  type Profile,
  profiles,
  type VocabularyEntry,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { filtersByName, meaningOf, type NamePlace, wordsFor } from '../contract/words.ts';
import { sections, topics } from '../help/index.ts';
import { savedKeys } from '../plan/saved-reports.ts';
import { periodNames } from '../report/period-names.ts';
import { campaignColumnNames } from './campaigns.ts';
import { declareCommand, findCommand, optionsTakenBy } from './command.ts';
import { helpLists } from './help-lists.ts';

/** Printed by `complete` if there are no candidates and files make no sense. */
const nothingToOffer = ' ';

/** File names, which the shell completes itself. */
const files = 'files';

/** The possible next words; may be empty. */
type Candidates = readonly string[] | typeof files;

// Each script passes the line as typed so far and inserts a candidate; without one it offers files.
const scripts = {
  bash: String.raw`_adreport() {
  local IFS=$'\n'
  local typed="\${COMP_LINE:0:COMP_POINT}"
  COMPREPLY=($(adreport complete "$typed" 2>/dev/null))
  typed="\${typed##*[ =]}"
  [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && COMPREPLY=("\${COMPREPLY[@]#"\${typed%"\${typed##*:}"}"}")
  if [[ $COMPREPLY == ' ' ]]; then COMPREPLY=(); compopt +o default; return; fi
  [[ $COMPREPLY ]] || compopt +o nospace 2>/dev/null
}
complete -o default -o nospace -F _adreport adreport
`.replaceAll('\\$', '$'),
  zsh: String.raw`#compdef adreport
_adreport() {
  local -a lines
  lines=("\${(@f)$(adreport complete "\${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}")
  [[ $lines == ' ' ]] && return 1
  [[ -n $lines && $PREFIX == --*=* ]] && lines=("\${PREFIX%%=*}=\${^lines}")
  if [[ -n $lines ]]; then compadd -U -Q -S '' -V adreport -a lines; else _files; fi
}
if [[ \${funcstack[1]} == _adreport ]]; then _adreport "$@"; else compdef _adreport adreport; fi
`.replaceAll('\\$', '$'),
  fish: String.raw`function __adreport_complete
    set -l lines (adreport complete (commandline -cp) 2>/dev/null)
    test "$lines" = ' '; and return
    set -l flag (commandline -ct | string match -r '^--.*=')
    set -q lines[1]; or __fish_complete_path (commandline -ct)
    set -q lines[1]; and printf '%s\n' "$flag"(string trim --right -- $lines)
end
complete -c adreport -e
complete -c adreport -f -k -a '(__adreport_complete)'
`,
  // For an empty array PowerShell offers files; for an empty text it does not.
  powershell: String.raw`Register-ArgumentCompleter -Native -CommandName adreport -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $end = $cursorPosition - $commandAst.Extent.StartOffset
  $line = $commandAst.ToString().PadRight($end).Substring(0, $end).Replace('"', "'")
  $candidates = @(adreport complete $line 2>$null)
  if ($candidates.Count -eq 1 -and $candidates[0] -eq ' ') { return '' }
  $typed = ($line -split '\s')[-1] -replace '^--[\w-]+=', ''
  $surplus = $typed.Length - $wordToComplete.Length
  foreach ($candidate in $candidates) {
    $text = $candidate.TrimEnd()
    if ($surplus -gt 0) { $text = $text.Substring($surplus) }
    if ($surplus -lt 0) { $text = $wordToComplete.Substring(0, -$surplus) + $text }
    [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $text)
  }
}
`,
};

/** The shells that have a script. */
const shells = Object.keys(scripts) as readonly (keyof typeof scripts)[];

export const completionCommand = declareCommand({
  name: 'completion',
  args: [{ name: '<shell>', meaning: 'bash, zsh, fish or powershell', words: shells }],
  summary: 'print a completion script for bash, zsh, fish or PowerShell',
  examples: [
    ['source <(adreport completion bash)', 'bash: in ~/.bashrc'],
    ['source <(adreport completion zsh)', 'zsh: in ~/.zshrc, below compinit'],
    ['adreport completion fish | source', 'fish: in ~/.config/fish/config.fish'],
    ['adreport completion powershell | Out-String | Invoke-Expression', 'PowerShell: in $PROFILE'],
  ],
  async action({ context, args: [shell] }) {
    await context.console.result(scripts[shell]);
    return 0;
  },
});

/** Called by the shell scripts while a command line is being typed. */
export const completeCommand = declareCommand({
  name: 'complete',
  args: ['<line>'],
  summary: 'print candidates for the last word of a line, for shell scripts',
  examples: [
    ["adreport complete 'adreport run --by '", 'the breakdowns'],
    ["adreport complete 'adreport run --format nd'", 'formats that begin with nd'],
  ],
  async action({ context, program, args: [line] }) {
    await complete(context, program, line);
    return 0;
  },
});

/**
 * Prints candidates for the last word, one per line; a trailing blank means that the word is
 * complete. No output means files, and a single blank means no candidates. Makes no network calls
 * and reports no errors, because they would appear in the middle of a typed line.
 */
async function complete(context: Context, program: Command, line: string): Promise<void> {
  const [, ...words] = wordsOf(line);
  const current = words.pop() ?? '';

  try {
    const place = findPlace(program, words);
    const candidates = await offer(context, place, current);
    if (candidates === files) return;

    const safeCandidates = candidates.filter((candidate) => {
      return startsWith(candidate, current) && isSafe(candidate);
    });

    // Inside quotes a blank would be part of the name.
    const isQuoted = /["'\\]\S*$/.test(line);
    const lines = safeCandidates.map((word) => (isQuoted ? word.trimEnd() : word));
    if (lines.length === 0) lines.push(nothingToOffer);
    await context.console.write(`${lines.join('\n')}\n`);
  } catch (error) {
    context.console.trace(1, String(error));
  }
}

/**
 * The words of a line without quotes and backslashes, split at `=` as well, because shells keep the
 * part before it: `run --by="OS,c` has the words `run`, `--by` and `OS,c`.
 */
function wordsOf(line: string): string[] {
  const withBlanks = line.replaceAll(/( --[\w-]+)=/g, '$1 ');
  return withBlanks.replaceAll(/["'\\]/g, '').split(/\s+/);
}

function startsWith(word: string, beginning: string): boolean {
  return word.toLowerCase().startsWith(beginning.toLowerCase());
}

/** True if a shell takes a word literally; some names come from files. */
function isSafe(word: string): boolean {
  return /^[\p{L}\p{N}_@%+=,.:/-]+ ?$/u.test(word);
}

/** The position of the next word on a command line. */
interface Place {
  readonly command: Command;

  /** The option that needs a value next. */
  readonly pendingOption: Option | undefined;

  /** The values of earlier options, by option name. */
  readonly valuesByOption: Readonly<Record<string, string>>;

  /** Earlier words that are not commands, flags or values. */
  readonly operands: readonly string[];
}

/** Parses the words before the last one, ignoring mistakes. */
function findPlace(program: Command, words: readonly string[]): Place {
  const valuesByOption: Record<string, string> = {};
  const operands: string[] = [];
  let command = program;
  let pendingOption: Option | undefined;

  for (const word of words) {
    const child = operands.length === 0 ? findCommand(command, [word]) : undefined;
    if (pendingOption) {
      valuesByOption[pendingOption.attributeName()] = word;
      pendingOption = undefined;
    } else if (word.startsWith('-')) {
      pendingOption = findOptionWithValue(command, word);
    } else if (child) {
      command = child;
    } else {
      operands.push(word);
    }
  }
  return { command, pendingOption, valuesByOption, operands };
}

function findOptionWithValue(command: Command, flag: string): Option | undefined {
  const isIt = ({ long, short, required }: Option) => {
    return required && (long === flag || short === flag);
  };
  return optionsTakenBy(command).find(({ option }) => isIt(option))?.option;
}

/** Candidates for the next word: values of a pending option, else operands, else flags. */
async function offer(context: Context, place: Place, current: string): Promise<Candidates> {
  const { command, pendingOption } = place;
  if (pendingOption) return offerValues(pendingOption, place, current);

  const operands = current.startsWith('-') ? undefined : await offerOperands(context, place);
  return operands ?? asWords(flagsOf(command));
}

function flagsOf(command: Command): string[] {
  const flags: string[] = [];
  for (const { option } of optionsTakenBy(command)) if (option.long) flags.push(option.long);
  return flags;
}

function asWords(names: readonly string[]): string[] {
  return names.map((name) => `${name} `);
}

/**
 * Candidates for the value of an option.
 *
 * @param current the value as typed so far
 */
function offerValues(option: Option, place: Place, current: string): Candidates {
  const name = option.attributeName();
  if (option.argChoices) return asWords(option.argChoices);
  if (/<(file|dir)>$/.test(option.flags)) return files;
  if (name === 'period') return asWords(usualPeriods);
  if (name === 'since' || name === 'until') return asWords(['now', 'today', 'yesterday']);
  if (name === 'columns' && place.command.name() === 'campaigns') {
    return offerNames('column', campaignColumnNames, current);
  }

  const profile = profileOf(place);
  const { breakdowns, derivedBreakdowns, metrics, derived, filters } = vocabularyOf(profile);
  if (name === 'filter') {
    const words = wordsWithOneMeaning('filter', [
      ...namesOf(filters),
      ...Object.values(filtersByName),
    ]);
    return withWords(namesOf(filters), words, current).map((filter) => `${filter}=`);
  }
  if (name === 'by') {
    return offerNames('breakdown', namesOf([...breakdowns, ...derivedBreakdowns]), current);
  }
  const computed = derived.map(({ field }) => field);
  if (name === 'metrics') return offerNames('metric', [...namesOf(metrics), ...computed], current);
  if (name === 'columns' || name === 'sort') {
    const request = {
      metrics: metrics.map((metric) => metric.name),
      breakdowns: breakdowns.map((breakdown) => breakdown.name),
    };
    const fields = columnsOf(profile, request).map(({ field }) => field);
    return offerNames('column', [...new Set([...fields, ...computed])], current);
  }
  return [];
}

/** The most common periods; the numbers of days, weeks and hours can be any. */
const usualPeriods = [...periodNames, 'last-7d', 'last-30d', 'last-4w', 'last-24h'];

/** The names that a list can go on with, or words that mean one if none begins as it is typed. */
function offerNames(place: NamePlace, names: readonly string[], list: string): string[] {
  const typed = list.slice(list.lastIndexOf(',') + 1);
  return offerListItems(withWords(names, wordsWithOneMeaning(place, names), typed), list);
}

/** Names, or words instead if a beginning is typed that no name has. */
function withWords(
  names: readonly string[],
  words: readonly string[],
  typed: string,
): readonly string[] {
  const hasName = typed === '' || names.some((name) => startsWith(name, typed));
  return hasName ? names : words;
}

/** The words that are accepted for one of the names, as they are typed without quotes. */
function wordsWithOneMeaning(place: NamePlace, names: readonly string[]): string[] {
  const words = wordsFor(place, names).filter(
    (word) => meaningOf(place, word, names)?.names.length === 1,
  );
  return words.map(withoutBlanks);
}

function withoutBlanks(words: string): string {
  return words.replaceAll(' ', '-');
}

/** The list typed so far, extended by each name that it does not contain yet. */
function offerListItems(names: readonly string[], list: string): string[] {
  const head = list.slice(0, list.lastIndexOf(',') + 1);
  const takenNames = head.toUpperCase().split(',');
  const freeNames = names.filter((name) => !takenNames.includes(name.toUpperCase()));
  return freeNames.map((name) => head + name);
}

function namesOf(entries: readonly VocabularyEntry[]): string[] {
  return entries.map(({ name }) => name);
}

/** Arguments that the shell completes itself: files, and commands of other programs. */
const argumentsOfShell: readonly string[] = ['file', 'dir', 'path', 'command'];

/** Candidates that are not flags; `undefined` if there are none. */
async function offerOperands(context: Context, place: Place): Promise<Candidates | undefined> {
  const { command, operands } = place;
  const argument = argumentAt(command, operands.length);
  if (argument && argumentsOfShell.includes(argument.name())) return files;

  const subcommands = operands.length === 0 ? commandsOf(command) : [];
  const choices = argument?.argChoices ?? [];
  const names = [...subcommands, ...choices, ...(await operandNames(context, place))];
  return names.length > 0 ? asWords(names) : undefined;
}

/** The declared argument at a position; the last one may be repeatable. */
function argumentAt(command: Command, index: number): Argument | undefined {
  const ownArguments = command.registeredArguments;
  const last = ownArguments.at(-1);
  return ownArguments[index] ?? (last?.variadic ? last : undefined);
}

/** Operands of a command that are looked up: saved reports, fields, help pages. */
async function operandNames(context: Context, place: Place): Promise<string[]> {
  const { command, operands, valuesByOption } = place;
  switch (command.name()) {
    case 'run':
      return savedReportNames(context, valuesByOption.file);
    case 'fields':
      return fieldNames(profileOf(place));
    case 'help':
      return operands.length === 0 ? helpNames(command) : [];
    default:
      return [];
  }
}

/** @param file the value of `--file` */
async function savedReportNames(context: Context, file: string | undefined): Promise<string[]> {
  const { cwd } = context.host;
  const path = file === undefined ? findProjectFile(cwd) : resolve(cwd, file);
  if (path === undefined) return [];

  const { reports } = await readProjectFile(path, path, savedKeys());
  return [...reports.keys()];
}

function fieldNames(profile: Profile): string[] {
  const { breakdowns, metrics, filters } = vocabularyOf(profile);
  return namesOf([...breakdowns, ...metrics, ...filters]);
}

/** Commands, topics and lists of `help`. */
function helpNames(help: Command): string[] {
  return [
    ...commandsOf(help.parent as Command),
    ...[topics, sections, helpLists].flatMap(Object.keys),
  ];
}

function commandsOf(command: Command): string[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((child) => child.name());
}

/** The profile on the command line, otherwise buyer: settings are not read. */
function profileOf({ valuesByOption }: Place): Profile {
  return profiles.find((name) => name === valuesByOption.profile) ?? 'buyer';
}
