package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/blob"
	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// TestMain lets this binary be the writer that is killed, too: one that puts blobs and does
// nothing else.
func TestMain(m *testing.M) {
	childtest.Main(m, childtest.Roles{"writer": func(dir string) error {
		ctx := context.Background()
		s, err := blob.Open(ctx, "file://"+dir)
		if err != nil {
			return err
		}
		for content := bytes.Repeat([]byte("x"), 16<<20); ; {
			name, err := s.Put(ctx, "voicemails/acme", "audio/wav", content)
			if err != nil {
				return err
			}
			if err := s.Delete(ctx, name); err != nil {
				return err
			}
		}
	}})
}

// killedWriter has writers killed until one of them has left a part of a blob, and gives
// that.
func killedWriter(t *testing.T, dir string) string {
	t.Helper()
	parts := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, "voicemails/acme", blob.NewFile))
		require.NoError(t, err)
		return found
	}
	for {
		writer := childtest.Start(t, "writer", dir)
		require.Eventually(t, func() bool { return len(parts()) > 0 }, time.Minute, time.Millisecond)
		writer.Kill9()
		if left := parts(); len(left) == 1 {
			return left[0]
		}
	}
}

// unfinished is a file as a writer has it while it writes.
func unfinished(t *testing.T, dir string) string {
	t.Helper()
	file, err := os.CreateTemp(dir, blob.NewFile)
	require.NoError(t, err)
	_, err = file.WriteString("part")
	require.NoError(t, errors.Join(err, file.Close()))
	return file.Name()
}

func files(t *testing.T, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// dated sets when a file was written last.
func dated(t *testing.T, path string, at time.Time) {
	t.Helper()
	require.NoError(t, os.Chtimes(path, at, at))
}

// fileClock is what the files of a folder are dated by.
func fileClock(t *testing.T) time.Time {
	t.Helper()
	path := filepath.Join(t.TempDir(), "now")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.ModTime()
}

func TestWhatAKilledWriterLeftIsRemoved(t *testing.T) {
	s, dir := folder(t)
	left := killedWriter(t, dir)
	name, err := s.Put(t.Context(), "voicemails/acme", "audio/wav", []byte("whole"))
	require.NoError(t, err)
	require.FileExists(t, left)
	for _, path := range files(t, filepath.Join(dir, "voicemails")) { // whenever the writer was killed, each of its files has a note
		if matched, _ := filepath.Match(blob.NewFile, filepath.Base(path)); !matched {
			whole, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			require.Contains(t, unnamed(t, s), filepath.ToSlash(whole))
		}
	}
	longAgo := fileClock(t).Add(-2 * time.Hour)
	for _, path := range []string{left, filepath.Join(dir, name)} {
		dated(t, path, longAgo)
	}

	s.Tidy(t.Context(), slog.New(slog.DiscardHandler))

	require.Equal(t, []string{filepath.Join(dir, name)}, files(t, filepath.Join(dir, "voicemails")), "only the whole blob is left")
	require.Equal(t, "whole", read(t, s, name))
}

// Another node may be writing it: it is looked at again later. The clock of this machine,
// which the bubble sets to the year 2000, says nothing about the age of a file.
func TestWhatMayStillBeWrittenIsLeftUntilItIsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := folder(t)
		left := unfinished(t, dir)
		now := fileClock(t)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Tidy(t.Context(), slog.New(slog.DiscardHandler))
		}()
		synctest.Wait()
		require.Equal(t, []string{left}, files(t, dir), "written just now")

		dated(t, left, now.Add(time.Hour)) // by a node whose clock is ahead
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, []string{left}, files(t, dir), "written in the future")

		dated(t, left, now.Add(-time.Hour))
		time.Sleep(time.Hour)
		<-ended
		require.Empty(t, files(t, dir))
	})
}

func TestSeveralNodesTidyOneFolder(t *testing.T) {
	s, dir := folder(t)
	longAgo := fileClock(t).Add(-2 * time.Hour)
	for range 200 {
		dated(t, unfinished(t, dir), longAgo)
	}
	done := make(chan struct{})
	for range 4 {
		go func() {
			s.Tidy(context.Background(), slog.New(slog.DiscardHandler))
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done // none of them fails because another was first: it would look again in an hour
	}
	require.Empty(t, files(t, dir))
}

func TestTidyTouchesNothingElse(t *testing.T) {
	s, dir := folder(t)
	outside := filepath.Join(t.TempDir(), "outside")
	longAgo := fileClock(t).Add(-2 * time.Hour)
	others := []string{filepath.Join(outside, ".new-1"), filepath.Join(dir, ".new-"), filepath.Join(dir, ".new-1x"),
		filepath.Join(dir, "new-1"), filepath.Join(dir, ".new-2", "file")}
	for _, path := range others {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		dated(t, path, longAgo)
	}
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(others[0], filepath.Join(dir, ".new-3")))

	s.Tidy(t.Context(), slog.New(slog.DiscardHandler))

	for _, path := range append(others, filepath.Join(dir, ".new-3")) {
		require.FileExists(t, path)
	}
}

// What cannot be searched is said and tried again; it stops nobody.
func TestTidyWithoutItsFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := folder(t)
		require.NoError(t, os.RemoveAll(dir))
		var said bytes.Buffer
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Tidy(t.Context(), slog.New(slog.NewTextHandler(&said, nil)))
		}()
		synctest.Wait()
		require.Contains(t, said.String(), "never finished failed")
		require.NoError(t, os.Mkdir(dir, 0o700))
		time.Sleep(time.Hour)
		<-ended
	})
}

func TestTidyEndsWithItsContext(t *testing.T) {
	s, dir := folder(t)
	unfinished(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Tidy(ctx, slog.New(slog.DiscardHandler))
	bucketOf(t, newPeer(t)).Tidy(t.Context(), slog.New(slog.DiscardHandler)) // at once
}
