package completion

import (
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// Command prints the script of a shell.
type Command struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown with --help.
func (*Command) Help() string {
	return `Prints a script that has the shell complete commands, flags and their values with Tab. It asks the binary, so it is
right after an upgrade, too.

Examples:
  source <(parley completion bash)                                         # this shell; put it into ~/.bashrc for all
  parley completion zsh > "${fpath[1]}/_parley"                            # then start a new shell
  parley completion fish > ~/.config/fish/completions/parley.fish`
}

// Run prints.
func (c *Command) Run(ctx *kong.Context) error {
	_, err := os.Stdout.WriteString(script(c.Shell, ctx.Model.Name))
	return err
}

// script is that of a shell, for a program of this name.
func script(shell, program string) string {
	return strings.NewReplacer("PROGRAM", program, "ASKING", Asking).Replace(scripts[shell])
}

var scripts = map[string]string{
	"bash": `# bash completion of PROGRAM: source <(PROGRAM completion bash)
_PROGRAM() {
    local word
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        COMPREPLY+=("$word")
    done < <("${COMP_WORDS[0]/#\~/$HOME}" ASKING "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _PROGRAM PROGRAM
`,
	"zsh": `#compdef PROGRAM
# zsh completion of PROGRAM: PROGRAM completion zsh > "${fpath[1]}/_PROGRAM"
_PROGRAM() {
    local word what
    local -a proposed
    while IFS=$'\t' read -r word what; do
        proposed+=("${word//:/\\:}${what:+:$what}")
    done < <("${words[1]/#\~/$HOME}" ASKING "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#proposed} )); then
        _describe -t words PROGRAM proposed
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _PROGRAM ]]; then
    _PROGRAM "$@"
else
    compdef _PROGRAM PROGRAM
fi
`,
	"fish": `# fish completion of PROGRAM: PROGRAM completion fish > ~/.config/fish/completions/PROGRAM.fish
function __PROGRAM_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l proposed ($program ASKING $words "$current" 2>/dev/null)
    if test (count $proposed) -gt 0
        printf '%s\n' $proposed
    else
        __fish_complete_path "$current"
    end
end
complete -c PROGRAM -f -a '(__PROGRAM_complete)'
`,
}
