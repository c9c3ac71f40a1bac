package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostBytes is what the stripped binary may take (docs/dependencies.md tells what is in it).
const mostBytes = 77_000_000

// byName is how the linker ends the line of what looks methods up by names that are known only when it
// runs: that keeps every exported method of every type in the binary, a tenth of it
// (docs/decisions/2026-11-23-size-of-the-binary.md). It writes 300,000 lines, for which an expression
// takes more than a minute with the race detector.
const byName = " <ReflectMethod>"

// A limit that nobody checks is lost again.
func TestTheBinaryStaysSmall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it links the whole command: not with -short")
	}
	stripped := filepath.Join(t.TempDir(), "parley")
	var linker bytes.Buffer
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w -dumpdep", "-o", stripped, ".")
	build.Stderr = &linker
	require.NoError(t, build.Run(), "building the command")

	var culprits []string
	for line := range strings.Lines(linker.String()) {
		if kept, is := strings.CutSuffix(strings.TrimSuffix(line, "\n"), byName); is {
			_, culprit, _ := strings.Cut(kept, " -> ")
			culprits = append(culprits, culprit)
		}
	}
	slices.Sort(culprits)
	require.Contains(t, linker.String(), "main.main -> ", "the linker tells what it keeps because of what")
	require.Empty(t, slices.Compact(culprits), "these look methods up by name, as text/template and parts of kong do")
	info, err := os.Stat(stripped)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(mostBytes), "see docs/dependencies.md for how to find what it is")
}
