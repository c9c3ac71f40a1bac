package completion

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// program is a command line with all that there is of kinds.
type program struct {
	Keys struct {
		List struct {
			Output string `short:"o" enum:"table,json" default:"table" help:"Form. It is json or a table."`
		} `cmd:"" default:"withargs" help:"List."`
		Create struct {
			Name string `required:""`
			Dry  bool   `short:"n"`
		} `cmd:"" help:"Make one: it is told once."`
		Hidden struct{} `cmd:"" hidden:""`
	} `cmd:"" aliases:"key" help:"Keys."`
	Shell struct {
		Name  string `arg:"" enum:"bash,fish"`
		Other string `arg:"" optional:""`
	} `cmd:""`
	Secret string `hidden:""`
	Top    string `enum:",a,b" default:""`
}

func modelOf(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := kong.New(&program{}, kong.Name("tool"))
	require.NoError(t, err)
	return parser.Model
}

func TestWhatMayComeNext(t *testing.T) {
	model := modelOf(t)
	for typed, want := range map[string]string{
		"":                        "keys shell",
		"k":                       "keys",
		"x":                       "",
		"keys ":                   "list create",
		"key c":                   "create",
		"keys --":                 "--help --top --output",
		"keys --output ":          "table json",
		"keys list -o j":          "json",
		"keys list --output=j":    "--output=json",
		"keys --output=":          "--output=table --output=json",
		"keys create --n":         "--name",
		"keys create --name ":     "",
		"keys create --name x --": "--help --top --name --dry",
		"keys create -n --d":      "--dry",
		"--top ":                  "a b",
		"--top a ke":              "keys",
		"--unknown ke":            "keys",
		"shell ":                  "bash fish",
		"shell bash ":             "",
		"shell -- f":              "fish",
		"keys create -- --":       "",
	} {
		words := strings.Split(typed, " ")
		var got []string
		for _, p := range proposals(model, words) {
			got = append(got, p.word)
		}
		require.ElementsMatch(t, strings.Fields(want), got, "%q", typed)
	}
	var out bytes.Buffer
	require.NoError(t, Answer(&out, model, []string{"keys", "c"}))
	require.Equal(t, "create\tMake one\n", out.String())
	require.NotEmpty(t, proposals(model, nil))
}

// Bash takes a word apart at =, and wants the part that it completes.
func TestWordsThatBashTookApart(t *testing.T) {
	model := modelOf(t)
	for _, words := range [][]string{{"keys", "--output", "=", "j"}, {"keys", "--output", "="}} {
		got := proposals(model, words)
		require.NotEmpty(t, got)
		require.Equal(t, "json", got[len(got)-1].word)
	}
}

// Each shell that is there takes its script.
func TestShellsTakeTheirScripts(t *testing.T) {
	dir := t.TempDir()
	tried := 0
	for shell := range scripts {
		text := script(shell, "tool")
		require.NotContains(t, text, "PROGRAM")
		require.Contains(t, text, Asking)
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not on this machine", shell)
			continue
		}
		file := filepath.Join(dir, shell)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		said, err := exec.CommandContext(t.Context(), path, "-n", file).CombinedOutput()
		require.NoError(t, err, "%s: %s", shell, said)
		tried++
	}
	require.NotZero(t, tried)
}
