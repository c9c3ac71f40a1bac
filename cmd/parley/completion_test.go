package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/completion"
)

// Every command and every flag that help shows is proposed where it may stand.
func TestCompletionForgetsNoCommand(t *testing.T) {
	model := parser(&CLI{}).Model
	proposed := func(words ...string) []string {
		var out bytes.Buffer
		require.NoError(t, completion.Answer(&out, model, words))
		var all []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(line, "\t")
			all = append(all, word)
		}
		return all
	}
	seen := 0
	var walk func(node *kong.Node, words []string)
	walk = func(node *kong.Node, words []string) {
		seen++
		flags := proposed(append(slices.Clone(words), "--")...)
		for _, f := range node.Flags {
			require.True(t, f.Hidden || slices.Contains(flags, "--"+f.Name), "%v --%s", words, f.Name)
		}
		for _, c := range node.Children {
			require.True(t, c.Hidden || slices.Contains(proposed(append(slices.Clone(words), "")...), c.Name), "%v %s", words, c.Name)
			walk(c, append(slices.Clone(words), c.Name))
		}
	}
	walk(model.Node, nil)
	require.Greater(t, seen, 20)
}

// forShells print what nobody but a shell or an operator's screen reads.
var forShells = []string{"completion", "serve"}

// Every other command can print for programs, and the page of the command line names it.
func TestEveryCommandPrintsForProgramsAndHasItsPlaceOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/command-line.md")
	require.NoError(t, err)
	for _, leaf := range parser(&CLI{}).Model.Leaves(true) {
		words := strings.Fields(leaf.Path())
		words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "(") || strings.HasPrefix(w, "<") })
		require.Contains(t, string(page), words[0], leaf.Path())
		if slices.Contains(forShells, words[0]) {
			continue
		}
		require.True(t, slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool {
			return f.Name == "output" && f.Short == 'o' && slices.Contains(f.EnumSlice(), "json")
		}), "%v has no -o json", words)
		require.Regexp(t, "(?m)^\\|[^|]*`"+words[0], string(page), "the table of outputs")
	}
}

// A slash at the end of --public-url does not become two in what is made of it.
func TestAPublicURLHasNoSlashAtItsEnd(t *testing.T) {
	for said, want := range map[string]string{"https://x/parley/": "https://x/parley", "https://x": "https://x", "": ""} {
		var cli struct {
			Serve ServeCmd `cmd:""`
		}
		parser, err := kong.New(&cli)
		require.NoError(t, err)
		_, err = parser.Parse([]string{"serve", "--public-url=" + said})
		require.NoError(t, err)
		cfg, err := cli.Serve.config()
		require.NoError(t, err)
		require.Equal(t, want, cfg.PublicURL)
	}
}

// A shell that has read the script completes what is typed.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	folder := filepath.Dir(binary(t))
	for typed, want := range map[string]string{
		"parley camp":                 "campaigns",
		"parley keys cr":              "create",
		"parley calls --status f":     "failed",
		"parley tail --output = j":    "json",
		"parley call --machine-detec": "--machine-detection",
		"parley completion z":         "zsh",
	} {
		words := strings.Fields(typed)
		script := `source <(parley completion bash) && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _parley && printf '%s\n' "${COMPREPLY[@]}"`
		cmd := exec.CommandContext(t.Context(), "bash", append([]string{"-c", script, "bash"}, words...)...)
		cmd.Env = append(clean(os.Environ()), "PATH="+folder+":"+os.Getenv("PATH"))
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", typed, said)
		require.Equal(t, want, strings.TrimSpace(string(said)), typed)
	}
}
