package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/parley-platform/parley/"

// may says which of our own packages each part may import (docs/architecture.md "The house"):
// arrows run one way. Tests may import anything.
var may = map[string][]string{
	"domain":      {"domain"},
	"eventstore":  {"domain/event", "domain/fault"},
	"projections": {"domain", "eventstore"},
	"handlers":    {"handlers", "projections", "eventstore", "domain"},
	"adapters":    {"adapters", "eventstore", "domain"},
	"migrations":  {},
	"consumer":    {"eventstore", "adapters/kafka"},
	"examples":    {"consumer", "domain"},
	"cmd":         {"cmd", "handlers", "projections", "eventstore", "domain", "adapters", "consumer", "migrations", "examples"},
}

func TestArrowsRunOneWay(t *testing.T) {
	for path, imports := range packages(t) {
		part, _, _ := strings.Cut(path, "/")
		allowed, known := may[part]
		require.True(t, known, "package %s is in no part of the house: give it a room in CONTRIBUTING, Layout, or move it", path)
		for _, imported := range imports {
			require.True(t, within(imported, allowed), "%s must not import %s: %s may import only %v", path, imported, part, allowed)
		}
	}
}

func within(path string, allowed []string) bool {
	for _, a := range allowed {
		if path == a || strings.HasPrefix(path, a+"/") {
			return true
		}
	}
	return false
}

// packages lists our packages and what they import of ours, tests left out.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{"Path":{{printf "%q" .ImportPath}},"Imports":[{{range $i, $x := .Imports}}{{if $i}},{{end}}{{printf "%q" $x}}{{end}}]}`, module+"...").Output()
	require.NoError(t, err)
	all := map[string][]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			Path    string
			Imports []string
		}
		require.NoError(t, dec.Decode(&p))
		var ours []string
		for _, i := range p.Imports {
			if rest, ok := strings.CutPrefix(i, module); ok {
				ours = append(ours, rest)
			}
		}
		all[strings.TrimPrefix(p.Path, module)] = ours
	}
	require.NotEmpty(t, all)
	return all
}

var decides = regexp.MustCompile(`func \(\w+ \*?(\w+)\) Decide\(`)

// Every command of the domain is sent by somebody: an operation, a manifest, a
// reactor or a timer. One that is not is dead, or its way in was forgotten.
func TestEveryCommandHasAWayIn(t *testing.T) {
	var callers strings.Builder
	for _, dir := range []string{"handlers/rest", "handlers/apply", "handlers/reactors", "cmd/parley", "cmd/parley/node"} {
		for _, source := range sources(t, dir) {
			callers.WriteString(source)
		}
	}
	found := 0
	for path := range packages(t) {
		if !strings.HasPrefix(path, "domain/") {
			continue
		}
		all := strings.Join(sources(t, path), "\n")
		for _, m := range decides.FindAllStringSubmatch(all, -1) {
			found++
			sent := filepath.Base(path) + "." + m[1] + "{"
			internal := strings.Contains(all, m[1]+"{") // another command of its context uses it
			require.True(t, strings.Contains(callers.String(), sent) || internal, "%s.%s is sent by nobody: give it an operation, a manifest kind, a reactor or a timer, or remove it", path, m[1])
		}
	}
	require.NotZero(t, found)
}

// sources reads the files of a package, tests left out.
func sources(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	require.NoError(t, err)
	var out []string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		out = append(out, string(data))
	}
	return out
}

// The words that name no idea may not name a package or a file.
func TestNamesNameIdeas(t *testing.T) {
	for path := range packages(t) {
		files, err := filepath.Glob(filepath.Join("..", "..", path, "*.go"))
		require.NoError(t, err)
		for _, f := range append(files, path) {
			base := strings.TrimSuffix(filepath.Base(f), ".go")
			for _, word := range []string{"util", "utils", "common", "helper", "helpers", "manager", "misc", "types"} {
				require.NotEqual(t, word, strings.TrimSuffix(base, "_test"), "%s: name it after what it is about", f)
			}
		}
	}
}

func TestNoFileIsTooLongToRead(t *testing.T) {
	const most = 500
	for path := range packages(t) {
		files, err := filepath.Glob(filepath.Join("..", "..", path, "*.go"))
		require.NoError(t, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			if !strings.HasSuffix(f, "_test.go") {
				require.LessOrEqual(t, strings.Count(string(data), "\n"), most, "%s has more than %d lines: split it by idea", f, most)
			}
		}
	}
}
