package channels

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// shared are the folders that are no adapter: the suite that they all run, and what several ask by.
var shared = []string{"channelstest", "graph", "wire"}

// A folder beside this file is an adapter, unless several share it.
func folders(t *testing.T) (names []string) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(shared, e.Name()) {
			names = append(names, e.Name())
		}
	}
	require.NotEmpty(t, names)
	return names
}

func TestEveryAdapterCanBeConnected(t *testing.T) {
	for _, name := range folders(t) {
		assert.Contains(t, Kinds(), name, "adapters/channels/%s has no line in adapters/channels/channels.go: no connection can name it", name)
	}
	for _, kind := range Kinds() {
		_, known := channels.Named(kind)
		assert.True(t, known, "the kinds in domain/channels/channels.go lack %q: filters and call details would not know it", kind)
		adapter, err := New(kind, "")
		require.NoError(t, err)
		assert.Error(t, adapter.Check(channels.Connection{}), "%s: a connection without credentials must be refused by Check", kind)
	}
	_, err := New("smoke signals", "")
	require.ErrorContains(t, err, `"smoke signals"`)
}

// An adapter that does not run the suite promises nothing.
func TestEveryAdapterRunsTheSuite(t *testing.T) {
	for _, name := range folders(t) {
		files, err := filepath.Glob(filepath.Join(name, "*_test.go"))
		require.NoError(t, err)
		runs := false
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			runs = runs || strings.Contains(string(data), "channelstest.Run(t, ")
		}
		assert.True(t, runs, "adapters/channels/%s does not run the suite: call channelstest.Run in a test of it", name)
	}
}
