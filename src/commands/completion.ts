import { Argument } from 'commander';
import type { GlobalFlags } from '../app/flags.ts';
import type { Context } from '../context.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

/** Works with bash 3.2 (macOS) and later, with or without the bash-completion package. */
const bashScript = String.raw`# Completes the command lines of adreport in bash.
#
# For every shell:  echo 'source <(adreport completion bash)' >> ~/.bashrc
# Quicker, where the bash-completion package is there:
#   mkdir -p ~/.local/share/bash-completion/completions
#   adreport completion bash > ~/.local/share/bash-completion/completions/adreport

_adreport() {
  local rest=\${COMP_LINE:0:COMP_POINT} words=() word gap i line kind IFS=$' \t\n'
  # bash breaks words at = and : too; what no blank parts is put together again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    gap=\${rest%%[![:space:]]*}
    rest=\${rest#"$gap"}
    ((i == COMP_CWORD)) && word=$rest
    rest=\${rest#"$word"}
    if [[ -n $gap || i -eq 0 ]]; then
      words+=("$word")
    else
      words[\${#words[@]}-1]+=$word
    fi
  done
  [[ \${#words[@]} -gt 1 ]] || words+=('')
  COMPREPLY=()
  kind=
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(ADREPORT_WORDBREAKS=$COMP_WORDBREAKS adreport complete bash -- "\${words[@]:1}" 2>/dev/null)
  # An empty answer lets readline complete file names, which is right for files alone.
  [[ $kind == files || $kind == folders ]] && compopt +o nospace 2>/dev/null || compopt +o default 2>/dev/null
}

complete -o default -o nospace -F _adreport adreport
`.replaceAll('\\$', '$');

const zshScript = String.raw`#compdef adreport
# Completes the command lines of adreport in zsh.
#
# For every shell:  echo 'source <(adreport completion zsh)' >> ~/.zshrc   (below compinit)
# Quicker, into a folder of fpath:
#   adreport completion zsh > "\${fpath[1]}/_adreport"

_adreport() {
  local -a before lines values
  local kind line value meaning
  before=("\${(@Q)words[2,CURRENT-1]}")
  lines=("\${(@f)$(adreport complete zsh -- "\${before[@]}" "\${PREFIX}" 2>/dev/null)}")
  kind=\${lines[1]}
  case $kind in
    files) _files; return ;;
    folders) _files -/; return ;;
    words | open) ;;
    *) return 1 ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\t'*}
    meaning=\${line#*$'\t'}
    values+=("\${value//:/\\:}:$meaning")
  done
  local -a space
  [[ $kind == open ]] && space=(-S '')
  _describe -V -t adreport 'adreport' values "\${space[@]}" -M 'm:{a-zA-Z}={A-Za-z}'
}

if [[ \${funcstack[1]} == _adreport ]]; then
  _adreport "$@"
else
  compdef _adreport adreport
fi
`.replaceAll('\\$', '$');

const fishScript = String.raw`# Completes the command lines of adreport in fish.
#
# For every shell:
#   mkdir -p ~/.config/fish/completions
#   adreport completion fish > ~/.config/fish/completions/adreport.fish

function __adreport_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (adreport complete fish -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case words open
            printf '%s\n' $lines[2..-1]
    end
end

complete -c adreport -e
complete -c adreport -f -k -a '(__adreport_complete)'
`;

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const completionCommand: CommandBuilder = (perform) =>
  declareCommand('completion', 'print the script that completes command lines in bash, zsh or fish', [
    ['source <(adreport completion bash)', 'bash: in ~/.bashrc'],
    ['source <(adreport completion zsh)', 'zsh: in ~/.zshrc, below compinit'],
    ['adreport completion fish | source', 'fish: in ~/.config/fish/config.fish'],
  ])
    .addArgument(new Argument('<shell>', 'whose script to print').choices(Object.keys(scripts)))
    .action(perform(printScript));

async function printScript({ console }: Context, _options: GlobalFlags, shell: keyof typeof scripts): Promise<void> {
  await console.result(scripts[shell]);
}
