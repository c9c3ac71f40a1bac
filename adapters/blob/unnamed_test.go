package blob_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/blob"
)

// unnamed are the names of the files of which nobody has said that an event names them.
func unnamed(t *testing.T, s *blob.Store) []string {
	t.Helper()
	found, err := s.Unnamed(t.Context())
	require.NoError(t, err)
	return slices.Sorted(maps.Keys(found))
}

// Given files that were put, when somebody looks for those that nothing names, then each is found until it is said to be named or is
// deleted, and again when it is put again.
func TestWhatIsPutIsUnnamedUntilSomebodySaysOtherwise(t *testing.T) {
	for kind, s := range map[string]*blob.Store{"folder": first(folder(t)), "bucket": bucketOf(t, newPeer(t))} {
		t.Run(kind, func(t *testing.T) {
			require.Empty(t, unnamed(t, s))
			var all []string
			for n := range 5 {
				name, err := s.Put(t.Context(), fmt.Sprintf("attachments/acme é/%d", n), "text/plain", []byte("content"))
				require.NoError(t, err)
				all = append(all, name)
			}
			require.Equal(t, all, unnamed(t, s))
			require.NoError(t, s.Named(t.Context(), all[0]))
			require.NoError(t, s.Named(t.Context(), all[0]), "twice")
			require.NoError(t, s.Delete(t.Context(), all[1]))
			require.Equal(t, all[2:], unnamed(t, s))
			_, err := s.Put(t.Context(), "attachments/acme é/0", "text/plain", []byte("content"))
			require.NoError(t, err)
			require.Contains(t, unnamed(t, s), all[0])
		})
	}
}

// Given a file that nothing names, when it is deleted, then it is gone and looked for no more; one that was put again since it was
// listed is there behind it.
func TestAnUnnamedFileIsDeletedUnlessItIsPutAgain(t *testing.T) {
	for kind, s := range map[string]*blob.Store{"folder": first(folder(t)), "bucket": bucketOf(t, newPeer(t))} {
		t.Run(kind, func(t *testing.T) {
			put := func() string {
				name, err := s.Put(t.Context(), "completions/acme/1", "text/plain", []byte("content"))
				require.NoError(t, err)
				return name
			}
			name := put()
			listed, err := s.Unnamed(t.Context())
			require.NoError(t, err)
			at := listed[name]
			require.NoError(t, s.DeleteUnnamed(t.Context(), name, at.AddDate(0, 0, -1)), "of before this put")
			require.Equal(t, "content", read(t, s, name))
			require.Equal(t, []string{name}, unnamed(t, s))

			require.NoError(t, s.DeleteUnnamed(t.Context(), name, at))
			_, err = s.Open(t.Context(), name)
			require.ErrorIs(t, err, blob.ErrNotFound)
			require.Empty(t, unnamed(t, s))
			require.NoError(t, s.DeleteUnnamed(t.Context(), name, at), "another node was faster")
			require.Equal(t, name, put())
			require.Equal(t, "content", read(t, s, name))
		})
	}
}

// Given what somebody stores under a name of his own, when it is deleted, then no note of it is asked for: there are a thousand of them.
func TestWhatIsReplacedHasNoNote(t *testing.T) {
	p := newPeer(t)
	s := bucketOf(t, p)
	require.NoError(t, s.Replace(t.Context(), "spoken/0001", "audio/wav", []byte("content")))
	require.Empty(t, unnamed(t, s))
	before := len(p.requests())
	require.NoError(t, s.Delete(t.Context(), "spoken/0001"))
	require.Len(t, p.requests(), before+1)
}

// Given a storage that fails, when it is asked for files that nothing names, then that is an error and not none.
func TestAListingThatFailsIsNone(t *testing.T) {
	p := newPeer(t)
	s := bucketOf(t, p)
	for _, answer := range []http.HandlerFunc{refuse(403, "AccessDenied"),
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<ListBucketResult>")) },
		func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"))
		}} {
		p.answer = []http.HandlerFunc{answer}
		_, err := s.Unnamed(t.Context())
		require.Error(t, err)
		require.False(t, errors.Is(err, blob.ErrNotFound))
	}
	p.answer = []http.HandlerFunc{refuse(403, "AccessDenied")}
	_, err := s.Put(t.Context(), "p", "text/plain", []byte("content"))
	require.Error(t, err)
	require.Empty(t, p.objects, "no file without its note")
}
