export const fishScript = String.raw`# Completes the command lines of adreport in fish.
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
