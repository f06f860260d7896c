export const zshScript = String.raw`#compdef adreport
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
