import type { Argument, Command, Option } from 'commander';
import { findProjectFile } from '../account/project-file.ts';
import type { Context } from '../context.ts';
import {
  breakdowns,
  derivedBreakdowns,
  derivedMetrics,
  filters,
  metrics,
  type VocabularyEntry,
} from '../contract/vocabulary.ts';
import { topics } from '../help/index.ts';
import { periodNames } from '../query/period.ts';
import { readSavedReports } from '../query/saved-reports.ts';
import { declareCommand, findCommand, listVisibleOptions } from './command.ts';

/** Printed by `complete` if there are no candidates and files make no sense. */
const nothingToOffer = ' ';

/** Makes the shell complete file names itself. */
const files = 'files';

/** Possible next words; may be empty. */
type Candidates = readonly string[] | typeof files;

// Each script passes the line as typed so far and inserts a candidate; without one it offers files.
const scripts = {
  bash: String.raw`_adreport() {
  local IFS=$'\n'
  local typed="\${COMP_LINE:0:COMP_POINT}"
  COMPREPLY=($(adreport complete "$typed" 2>/dev/null))
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
  // For an empty array PowerShell offers files; for an empty string it does not.
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
 * Splits a line without quotes and backslashes into words, at `=` as well, because shells keep the
 * part before it: `run --by="OS,c` has the words `run`, `--by` and `OS,c`.
 */
function wordsOf(line: string): string[] {
  const withBlanks = line.replaceAll(/( --[\w-]+)=/g, '$1 ');
  return withBlanks.replaceAll(/["'\\]/g, '').split(/\s+/);
}

function startsWith(word: string, beginning: string): boolean {
  return word.toLowerCase().startsWith(beginning.toLowerCase());
}

/** Accepts words that a shell takes literally; names of saved reports come from files. */
function isSafe(word: string): boolean {
  return /^[\p{L}\p{N}_@%+=,./-]+ ?$/u.test(word);
}

/** Position of the next word on a command line. */
interface Place {
  readonly command: Command;

  /** Option that needs a value next. */
  readonly pendingOption: Option | undefined;

  /** Number of earlier words that are not commands, flags or values. */
  readonly operandCount: number;
}

/** Parses the words before the last one, ignoring mistakes. */
function findPlace(program: Command, words: readonly string[]): Place {
  let command = program;
  let pendingOption: Option | undefined;
  let operandCount = 0;

  for (const word of words) {
    const child = operandCount === 0 ? findCommand(command, [word]) : undefined;
    if (pendingOption) pendingOption = undefined;
    else if (word.startsWith('-')) pendingOption = findOptionWithValue(command, word);
    else if (child) command = child;
    else operandCount += 1;
  }
  return { command, pendingOption, operandCount };
}

function findOptionWithValue(command: Command, flag: string): Option | undefined {
  const isIt = ({ long, short, required }: Option) => {
    return required && (long === flag || short === flag);
  };
  return listVisibleOptions(command).find(({ option }) => isIt(option))?.option;
}

/** Lists candidates for the next word: values of a pending option, else operands, else flags. */
async function offer(context: Context, place: Place, current: string): Promise<Candidates> {
  const { command, pendingOption } = place;
  if (pendingOption) return offerValues(pendingOption, current);

  const operands = current.startsWith('-') ? undefined : await offerOperands(context, place);
  return operands ?? asWords(flagsOf(command));
}

function flagsOf(command: Command): string[] {
  return listVisibleOptions(command).flatMap(({ option }) => option.long ?? []);
}

function asWords(names: readonly string[]): string[] {
  return names.map((name) => `${name} `);
}

/**
 * Lists candidates for the value of an option. Names are those of both profiles, because settings
 * are not read.
 *
 * @param current value as typed so far
 */
function offerValues(option: Option, current: string): Candidates {
  if (option.argChoices) return asWords(option.argChoices);
  if (/<(file|dir)>$/.test(option.flags)) return files;

  switch (option.attributeName()) {
    case 'period':
      return asWords(usualPeriods);
    case 'since':
    case 'until':
      return asWords(['now', 'today', 'yesterday']);
    case 'filter':
      return namesOf(filters).map((filter) => `${filter}=`);
    case 'by':
      return continueList(current, namesOf([...breakdowns, ...derivedBreakdowns]));
    case 'metrics':
      return continueList(current, metricNames);
    default:
      return [];
  }
}

/** Common periods; the numbers of days, weeks and hours can be any. */
const usualPeriods = [...periodNames, 'last-7d', 'last-30d', 'last-4w', 'last-24h'];

const metricNames = [...namesOf(metrics), ...derivedMetrics.map(({ field }) => field)];

/** Extends the list typed so far by each name that it does not contain yet. */
function continueList(list: string, names: readonly string[]): string[] {
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

/** Lists candidates that are not flags; `undefined` if there are none. */
async function offerOperands(
  context: Context,
  { command, operandCount }: Place,
): Promise<Candidates | undefined> {
  const argument = argumentAt(command, operandCount);
  if (argument && argumentsOfShell.includes(argument.name())) return files;

  const isFirst = operandCount === 0;
  const names = isFirst ? commandsOf(command) : [];
  names.push(...(argument?.argChoices ?? []));
  if (command.name() === 'run') names.push(...(await savedReportNames(context)));
  if (command.name() === 'help' && isFirst) names.push(...helpNames(command));
  return names.length > 0 ? asWords(names) : undefined;
}

/** Returns the declared argument at a position; the last one may be repeatable. */
function argumentAt(command: Command, index: number): Argument | undefined {
  const ownArguments = command.registeredArguments;
  const last = ownArguments.at(-1);
  return ownArguments[index] ?? (last?.variadic ? last : undefined);
}

async function savedReportNames({ host }: Context): Promise<string[]> {
  const path = findProjectFile(host.cwd);
  if (path === undefined) return [];

  const { reports } = await readSavedReports(path, path);
  return [...reports.keys()];
}

/** Lists commands and topics. */
function helpNames(help: Command): string[] {
  return [...commandsOf(help.parent as Command), ...Object.keys(topics)];
}

function commandsOf(command: Command): string[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((child) => child.name());
}
