import type { Command, Option } from 'commander';
import { parseSettingChoice } from '../account/setting-values.ts';
import { declareCommand, findCommand, listVisibleOptions } from './command.ts';

// Each script passes the words up to the cursor. Without candidates, the shell completes file
// names.
const scripts = {
  bash: String.raw`_adreport() {
  local IFS=$'\n'
  COMPREPLY=($(adreport complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _adreport adreport
`.replaceAll('\\$', '$'),
  zsh: String.raw`#compdef adreport
_adreport() {
  local -a candidates
  candidates=("\${(@f)$(adreport complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $candidates ]]; then compadd -U -a candidates; else _files; fi
}
compdef _adreport adreport
`.replaceAll('\\$', '$'),
  fish: String.raw`function __adreport_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l candidates (adreport complete -- $before[2..] "$current" 2>/dev/null)
    set -q candidates[1]; and printf '%s\n' $candidates; or __fish_complete_path "$current"
end
complete -c adreport -f -a '(__adreport_complete)'
`,
  // Windows PowerShell drops empty words.
  powershell: `Register-ArgumentCompleter -Native -CommandName adreport -ScriptBlock {
  param($word, $line, $cursor)
  $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor })
  $words = @($before | Select-Object -Skip 1 | ForEach-Object { "$_" })
  $current = if ($word) { $word } else { ' ' }
  adreport complete -- @words $current 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
};

export const completionCommand = declareCommand({
  name: 'completion',
  args: ['<shell>'],
  summary: 'print a completion script for bash, zsh, fish or PowerShell',
  examples: [
    ['source <(adreport completion bash)', 'bash: in ~/.bashrc'],
    ['source <(adreport completion zsh)', 'zsh: in ~/.zshrc, below compinit'],
    ['adreport completion fish | source', 'fish: in ~/.config/fish/config.fish'],
    ['adreport completion powershell | Out-String | Invoke-Expression', 'PowerShell: in $PROFILE'],
  ],
  async action({ context, args: [shell] }) {
    const shells = Object.keys(scripts) as (keyof typeof scripts)[];
    await context.console.result(scripts[parseSettingChoice('shell', shells, shell)]);
  },
});

/** Called by the shell scripts on Tab. */
export const completeCommand = declareCommand({
  name: 'complete',
  args: ['[words...]'],
  summary: 'print candidates for the last word of a line, for shell scripts',
  examples: [
    ["adreport complete -- report ''", 'the commands below report'],
    ['adreport complete -- run --format nd', 'formats that begin with nd'],
  ],
  async action({ context, program, args: [args] }) {
    const current = args.at(-1)?.trim() ?? '';
    const candidates = listCandidates(program, args.slice(0, -1), current);
    const lines = candidates.filter((candidate) => candidate.startsWith(current));
    await context.console.write(lines.map((line) => `${line}\n`).join(''));
  },
});

/**
 * Lists candidates for the current word: values of the preceding flag, commands, argument values
 * and flags.
 */
function listCandidates(program: Command, before: readonly string[], current: string): string[] {
  const { command, operandCount } = findPosition(program, before);
  const option = findOptionWithValue(command, before.at(-1) ?? '');
  if (option) return [...(option.argChoices ?? [])];

  const flags = listVisibleOptions(command).flatMap(({ long }) => long ?? []);
  if (current.startsWith('-')) return flags;

  const names = operandCount === 0 ? listCommandNames(command) : [];
  if (command.name() === 'help') names.push(...listCommandNames(program));
  return names.length === 0 && command.registeredArguments.length === 0 ? flags : names;
}

/** Finds the command of a command line, and counts the arguments after it. */
function findPosition(program: Command, args: readonly string[]) {
  let command = program;
  let operandCount = 0;
  for (const [index, arg] of args.entries()) {
    const isValue = findOptionWithValue(command, args[index - 1] ?? '') !== undefined;
    if (isValue || arg.startsWith('-')) continue;

    const child = operandCount === 0 ? findCommand(command, [arg]) : undefined;
    if (child) command = child;
    else operandCount += 1;
  }
  return { command, operandCount };
}

function findOptionWithValue(command: Command, flag: string): Option | undefined {
  const takesValue = ({ long, short, required }: Option) =>
    required && [long, short].includes(flag);
  return listVisibleOptions(command).find(takesValue);
}

function listCommandNames(command: Command): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => child.name());
}
