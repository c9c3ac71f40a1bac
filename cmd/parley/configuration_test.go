package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// A row of the table of serve's flags: the flag, its variable, its default.
var flagRow = regexp.MustCompile("(?m)^\\| `--([a-z-]+)[^`]*` \\| `(PARLEY_[A-Z_]+)` \\|([^|]*)\\|")

// Operators look flags up in docs/configuration.md, and find each of them there, with the
// variable that stands for it, and no flag that is gone.
func TestConfigurationNamesEveryFlagOfServe(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	rows := map[string][]string{}
	for _, m := range flagRow.FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = m[2:]
	}
	known := map[string]bool{}
	var cli CLI
	for _, group := range serveNode(t, parser(&cli)).AllFlags(true) {
		for _, flag := range group {
			known[flag.Name] = true
			if flag.Name == "help" || flag.Name == "version" {
				continue
			}
			if row, ok := rows[flag.Name]; ok {
				require.Contains(t, flag.Envs, row[0], "docs/configuration.md: the variable of --%s", flag.Name)
				if flag.Default != "" && flag.Default != "false" {
					require.Contains(t, row[1], flag.Default, "docs/configuration.md: the default of --%s", flag.Name)
				}
				continue
			}
			require.True(t, strings.Contains(string(page), "`--"+flag.Name+"`"), "docs/configuration.md has no word on --%s", flag.Name)
		}
	}
	require.NotEmpty(t, rows)
	for name := range rows {
		require.True(t, known[name], "docs/configuration.md describes --%s, which serve does not have", name)
	}
}

func serveNode(t *testing.T, app *kong.Kong) *kong.Node {
	t.Helper()
	for _, node := range app.Model.Leaves(false) {
		if node.Name == "serve" {
			return node
		}
	}
	t.Fatal("there is no command serve")
	return nil
}
