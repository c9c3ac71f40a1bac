package blob_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/blob"
)

func open(t *testing.T, url string) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func folder(t *testing.T) (*blob.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new folder")
	url, err := blob.FolderURL(dir)
	require.NoError(t, err)
	return open(t, url), dir
}

func read(t *testing.T, s *blob.Store, name string) string {
	t.Helper()
	r, err := s.Open(t.Context(), name)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(data)
}

// checkStore is what every storage does.
func checkStore(t *testing.T, s *blob.Store) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, s.Ping(ctx))
	name, err := s.Put(ctx, "exports/acme/fj-1", "application/zip", []byte("content"))
	require.NoError(t, err)
	require.Equal(t, "exports/acme/fj-1/"+blob.Sum([]byte("content")), name)
	again, err := s.Put(ctx, "exports/acme/fj-1", "application/zip", []byte("content"))
	require.NoError(t, err)
	require.Equal(t, name, again)
	require.Equal(t, "content", read(t, s, name))

	other, err := s.Put(ctx, "exports/acme/fj-1", "application/zip", []byte("another"))
	require.NoError(t, err)
	require.NotEqual(t, name, other)
	require.Equal(t, "content", read(t, s, name), "what is there is never replaced")
	for _, content := range []string{"one", "more"} {
		require.NoError(t, s.Replace(ctx, "spoken/0001", "audio/wav", []byte(content)))
		require.Equal(t, content, read(t, s, "spoken/0001"), "unless who has named it says so")
	}
	require.ErrorContains(t, s.Replace(ctx, "../spoken", "audio/wav", nil), "its name is not one")

	r, err := s.Open(ctx, name)
	require.NoError(t, err)
	end, err := r.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	require.Equal(t, int64(7), end)
	_, err = r.Seek(3, io.SeekStart)
	require.NoError(t, err)
	part, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "tent", string(part))
	require.NoError(t, r.Close())

	empty, err := s.Put(ctx, "empty", "text/plain", nil)
	require.NoError(t, err)
	require.Empty(t, read(t, s, empty))

	require.NoError(t, s.Delete(ctx, name))
	require.NoError(t, s.Delete(ctx, name), "twice")
	_, err = s.Open(ctx, name)
	require.ErrorIs(t, err, blob.ErrNotFound)
	require.Equal(t, "another", read(t, s, other))
}

func TestAFolder(t *testing.T) {
	s, dir := folder(t)
	checkStore(t, s)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "recordings are nobody else's")
}

func TestSeveralPutTheSameAtOnce(t *testing.T) {
	s, dir := folder(t)
	content := bytes.Repeat([]byte("x"), 1<<20)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.Put(context.Background(), "p", "text/plain", content); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, string(content), read(t, s, "p/"+blob.Sum(content)))
	files, err := os.ReadDir(filepath.Join(dir, "p"))
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is left beside it")
}

func TestAPutThatIsCancelledLeavesNothing(t *testing.T) {
	s, _ := folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Put(ctx, "p", "text/plain", []byte("content"))
	require.Error(t, err)
	_, err = s.Open(t.Context(), "p/"+blob.Sum([]byte("content")))
	require.ErrorIs(t, err, blob.ErrNotFound)
}

func TestWrongAddresses(t *testing.T) {
	for _, wrong := range []string{"", "/var/blobs", "file://blobs/x", "file:blobs", "file:///x?create_dir=true",
		"gs://bucket", "http://x", "://"} {
		_, err := blob.Open(t.Context(), wrong)
		require.ErrorContains(t, err, "--blob-url", wrong)
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := blob.Open(t.Context(), "file://"+file)
	require.Error(t, err, "a file is no folder")
}

func TestNamesStayInTheStorage(t *testing.T) {
	s, dir := folder(t)
	outside := filepath.Join(filepath.Dir(dir), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("x"), 0o600))
	for _, name := range []string{"../secret", "p/../../secret", "/etc/passwd", "", ".", "p//x", "p/", "p\\..\\x", "p\x00"} {
		_, err := s.Open(t.Context(), name)
		require.ErrorIs(t, err, blob.ErrNotFound, name)
		require.NoError(t, s.Delete(t.Context(), name), name)
		_, err = s.Put(t.Context(), name, "text/plain", []byte("x"))
		require.Error(t, err, name)
	}
	_, err := s.Open(t.Context(), "p")
	require.ErrorIs(t, err, blob.ErrNotFound)
	require.FileExists(t, outside)
}

// What a crash of the machine left of a blob is not taken for it.
func TestAHalfBlobIsWrittenAgain(t *testing.T) {
	s, dir := folder(t)
	name, err := s.Put(t.Context(), "p", "text/plain", []byte("content"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(filepath.Join(dir, name), 0))
	_, err = s.Put(t.Context(), "p", "text/plain", []byte("content"))
	require.NoError(t, err)
	require.Equal(t, "content", read(t, s, name))
}

func TestReadingEndsWithItsContext(t *testing.T) {
	for kind, s := range map[string]*blob.Store{"folder": first(folder(t)), "bucket": bucketOf(t, newPeer(t))} {
		name, err := s.Put(t.Context(), "p", "text/plain", bytes.Repeat([]byte("x"), 1<<20))
		require.NoError(t, err, kind)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := s.Open(ctx, name)
		require.NoError(t, err, kind)
		cancel()
		_, err = io.ReadAll(r)
		require.ErrorIs(t, err, context.Canceled, kind)
		require.NoError(t, r.Close(), kind)
	}
}

func first[A, B any](a A, _ B) A { return a }

// Given a folder that is there and in which nobody can make a file, when it is asked how it is, then that is
// said; a folder that could be written to is not written to for each probe.
func TestAFolderThatCannotBeWrittenToIsSaid(t *testing.T) {
	require.ErrorIs(t, open(t, "file:///proc/self").Ping(t.Context()), blob.ErrReadOnly)

	s, dir := folder(t)
	require.NoError(t, s.Ping(t.Context()))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	before, err := os.Stat(dir)
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, s.Ping(t.Context()))
	}
	after, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime(), "only the first wrote")
}
