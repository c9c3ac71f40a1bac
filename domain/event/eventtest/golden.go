// Package eventtest holds the tests that every package of events shares.
//
// It owns the rule that an event's JSON, once written, is never changed: the log is
// never rewritten, so what is there must decode for good. Only tests import it.
package eventtest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
)

// Erasure is the sample of every Erased.
var Erasure = event.Erasure{ErasureID: "er-1", At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}

// Golden compares one sample of every event of the category with its file
// dir/<name>.v<version>.json: the sample is written as the file says, and the file
// decodes to the sample. A kind without a sample, and a file without a kind, fail.
// Files of older versions must still decode. A kind may have several samples; the
// first is the one in the file, the others only have to survive writing and reading.
//
// UPDATE_GOLDEN=1 writes files that are missing, and never touches one that exists.
func Golden(t *testing.T, category *event.Category, dir string, samples ...event.Payload) {
	t.Helper()
	firsts := map[string]bool{}
	for _, sample := range samples {
		kind, err := category.KindOf(sample)
		require.NoError(t, err)
		written, err := json.Marshal(sample)
		require.NoError(t, err, kind.Type())
		requireDecodes(t, kind, kind.Type(), written, sample)
		if !firsts[kind.Name] {
			firsts[kind.Name] = true
			compare(t, kind, dir, written, sample)
		}
	}
	for _, kind := range category.Kinds() {
		require.Truef(t, firsts[kind.Name], "%s has no sample: add one to the test that calls eventtest.Golden", kind.Type())
	}
	requireKnown(t, category, dir)
}

func compare(t *testing.T, kind *event.Kind, dir string, written []byte, sample event.Payload) {
	t.Helper()
	file := filepath.Join(dir, kind.Name+".v"+strconv.Itoa(kind.Version)+".json")
	golden, err := os.ReadFile(file)
	if os.IsNotExist(err) && os.Getenv("UPDATE_GOLDEN") != "" {
		golden = pretty(t, written)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(file, golden, 0o644))
	} else {
		require.NoErrorf(t, err, "a new event needs its file: run this test once with UPDATE_GOLDEN=1")
	}
	require.JSONEqf(t, string(golden), string(written), "%s: the log holds the old form; make a new version with an upcaster", file)
	requireDecodes(t, kind, file, golden, sample)
}

// requireDecodes reads the JSON without its layout, which raw members would keep.
func requireDecodes(t *testing.T, kind *event.Kind, what string, data []byte, sample event.Payload) {
	t.Helper()
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, data), what)
	read, err := kind.Category.Decode(kind.Type(), compact.Bytes())
	require.NoError(t, err, what)
	require.Equal(t, sample, read, what)
}

// requireKnown decodes every file of the folder, those of older versions included.
func requireKnown(t *testing.T, category *event.Category, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		_, err = category.Decode("parley."+category.Name+"."+name, data)
		require.NoError(t, err, file)
	}
}

func pretty(t *testing.T, written []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, written, "", "  "))
	return append(out.Bytes(), '\n')
}
