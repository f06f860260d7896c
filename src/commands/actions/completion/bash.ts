/** Works with bash 3.2 (macOS) and later, with or without the bash-completion package. */
export const bashScript = String.raw`# Completes the command lines of adreport in bash.
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
