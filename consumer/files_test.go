package consumer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/consumer"
)

// counting is a Fold whose results are a count of events.
func counting(_ context.Context, b consumer.Batch, results json.RawMessage) (json.RawMessage, error) {
	n := 0
	if results != nil {
		if err := json.Unmarshal(results, &n); err != nil {
			return nil, err
		}
	}
	for _, c := range b.Commits {
		n += len(c)
	}
	return json.Marshal(n)
}

var zero = consumer.Place{Topic: topic, Partition: 0}

func open(t *testing.T, dir string, fold consumer.Fold) *consumer.Files {
	t.Helper()
	f, err := consumer.OpenFiles(dir, fold)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func counted(t *testing.T, f *consumer.Files) int {
	t.Helper()
	n, err := strconv.Atoi(string(f.Results(zero)))
	require.NoError(t, err)
	return n
}

// batch is the nth batch of a partition of its own making: one event of one stream.
func batch(n int, stream string) consumer.Batch {
	return consumer.Batch{Place: zero, Commits: []consumer.Commit{commitOf(stream, 1, "", 1)}, Progress: consumer.Progress{
		Position: consumer.Position{LogID: "log", Next: int64(n), Mark: strconv.Itoa(n)}, Heads: map[string]consumer.Head{
			stream: {Version: int64(n), Commit: "c", Tenant: "acme"}}}}
}

// Given a state folder, when consumer after consumer reads on with it, then results
// and position agree each time.
func TestFilesResumeWithTheirResults(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	total := 0
	for round := range 5 {
		for i := range 3 {
			w.append(t, 0, messages(commitOf(streamOn(0, round*10+i), 1, "", 2)...)...)
			total += 2
		}
		f := open(t, dir, counting)
		require.NoError(t, w.read(t, f, func(c *consumer.Config) { c.BatchRecords = 2 }))
		require.Equal(t, total, counted(t, f))
		require.NoError(t, f.Close())
	}
}

// A crash at any byte of the last line leaves the state of the line before it.
func TestFilesStandACrashAtAnyByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, topic+"-0.journal")
	f := open(t, dir, counting)
	_, err := f.Load(t.Context(), zero)
	require.NoError(t, err)
	require.NoError(t, f.Take(t.Context(), batch(1, "a")))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, f.Take(t.Context(), batch(2, "b")))
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	for cut := len(before); cut <= len(after); cut++ {
		require.NoError(t, os.WriteFile(path, after[:cut], 0o644))
		f := open(t, dir, counting)
		s, err := f.Load(t.Context(), zero)
		require.NoError(t, err)
		want := 1
		if cut == len(after) {
			want = 2
		}
		require.EqualValues(t, want, s.Next, "cut at %d of %d", cut, len(after))
		require.Len(t, s.Heads, want)
		require.Equal(t, want, counted(t, f))
		require.NoError(t, f.Take(t.Context(), batch(3, "c")), "it goes on from there")
		s, err = f.Load(t.Context(), zero)
		require.NoError(t, err)
		require.Len(t, s.Heads, want+1)
		require.NoError(t, f.Close())
	}

	damaged := bytes.Replace(after, []byte("acme"), []byte("evil"), 1)
	require.NoError(t, os.WriteFile(path, damaged, 0o644))
	_, err = open(t, dir, counting).Load(t.Context(), zero)
	require.ErrorContains(t, err, "line 1 is damaged")
	require.ErrorContains(t, err, "restore the folder")
}

// A journal is written anew when it has grown, and says the same afterwards; what a
// crash left of a rewriting does not matter.
func TestFilesAreWrittenAnew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, topic+"-0.journal")
	require.NoError(t, os.WriteFile(path+".new", []byte("half of it"), 0o644))
	big := json.RawMessage(strconv.Quote(strings.Repeat("x", 100_000)))
	n := 0
	f := open(t, dir, func(context.Context, consumer.Batch, json.RawMessage) (json.RawMessage, error) {
		n++
		return append(bytes.Clone(big[:len(big)-1]), []byte(strconv.Itoa(n)+`"`)...), nil
	})
	_, err := f.Load(t.Context(), zero)
	require.NoError(t, err)
	largest := int64(0)
	for i := range 60 {
		require.NoError(t, f.Take(t.Context(), batch(i+1, "s"+strconv.Itoa(i))))
		at, err := os.Stat(path)
		require.NoError(t, err)
		largest = max(largest, at.Size())
	}
	require.Less(t, largest, int64(3<<20), "six megabytes were appended")
	results := f.Results(zero)
	s, err := f.Load(t.Context(), zero)
	require.NoError(t, err)
	require.Len(t, s.Heads, 60)
	require.EqualValues(t, 60, s.Next)
	require.Equal(t, string(results), string(f.Results(zero)))
}

// Two processes in one folder would both count.
func TestAFolderHasOneUser(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, nil)
	_, err := consumer.OpenFiles(dir, nil)
	require.ErrorIs(t, err, consumer.ErrInUse)
	require.NoError(t, f.Close())
	open(t, dir, nil)
}

// What a fold refuses is not saved, nor passed over.
func TestAFoldThatFailsSavesNothing(t *testing.T) {
	f := open(t, t.TempDir(), func(context.Context, consumer.Batch, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("not today")
	})
	_, err := f.Load(t.Context(), zero)
	require.NoError(t, err)
	require.ErrorContains(t, f.Take(t.Context(), batch(1, "a")), "not today")
	s, err := f.Load(t.Context(), zero)
	require.NoError(t, err)
	require.Zero(t, s.Next)
	require.ErrorContains(t, f.Take(t.Context(), consumer.Batch{Place: consumer.Place{Topic: "other"}}), "was not loaded")
}
