package blob_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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
	for _, wrong := range []string{"", "/var/blobs", "file://blobs/x", "file:blobs", "file:///x?create_dir=true", "s3://", "s3://b?no_such_option=1", "gs://bucket", "http://x", "://"} {
		_, err := blob.Open(t.Context(), wrong)
		require.ErrorContains(t, err, "--blob-url", wrong)
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := blob.Open(t.Context(), "file://"+file)
	require.Error(t, err, "a file is no folder")
}

// startOf2026 is when every object of the bucket was stored.
var startOf2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// bucket answers what the storage asks of S3, with conditional writes and ranges.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	signed  bool // every request was
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.signed = b.signed && strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=test/")
	object, there := b.objects[r.URL.Path]
	refuse := func(status int, code string) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>no</Message></Error>")
	}
	switch {
	case r.URL.Path == "/parley" || r.URL.Path == "/parley/":
		_, _ = io.WriteString(w, `<?xml version="1.0"?><ListBucketResult><Name>parley</Name></ListBucketResult>`)
	case r.Method == http.MethodPut && there && r.Header.Get("If-None-Match") == "*":
		refuse(http.StatusPreconditionFailed, "PreconditionFailed")
	case r.Method == http.MethodPut:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			refuse(http.StatusBadRequest, "IncompleteBody")
			return
		}
		if strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
			body = unchunked(body)
		}
		b.objects[r.URL.Path] = body
		w.Header().Set("ETag", `"e"`)
	case r.Method == http.MethodDelete:
		delete(b.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		refuse(http.StatusNotFound, "NoSuchKey")
	default:
		http.ServeContent(w, r, "", startOf2026, bytes.NewReader(object))
	}
}

// unchunked takes the chunks of a streamed upload apart: size in hexadecimal, content,
// and trailers at the end.
func unchunked(body []byte) (out []byte) {
	for {
		head, rest, _ := bytes.Cut(body, []byte("\r\n"))
		size, err := strconv.ParseInt(strings.Split(string(head), ";")[0], 16, 32)
		if err != nil || size == 0 {
			return out
		}
		out, body = append(out, rest[:size]...), rest[size+2:]
	}
}

func TestABucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", hex.EncodeToString([]byte("secret")))
	b := &bucket{objects: map[string][]byte{}, signed: true}
	peer := httptest.NewServer(b)
	defer peer.Close()
	checkStore(t, open(t, "s3://parley?region=eu-central-1&use_path_style=true&endpoint="+url.QueryEscape(peer.URL)))
	require.True(t, b.signed)
}
