//go:build !apache

package node_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// kept are the files of the cluster that have a text in them.
func (c *cluster) kept(t *testing.T, text string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(c.blobs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), text) {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// Given answers of a model that are kept for who repeats the request, of which two named a session of a person, then these are told
// with what is known of her, and go when she is erased; who repeats is told so.
func TestAnswersThatAreKeptForAPersonAreErased(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.a = c.start(t, erasesSoon)
	c.b = c.a
	w := c.talks(t)
	session, marker := w.begin(t, "meter"), "mark"+uuid.NewString()
	her := w.ask(t, "POST", contactsPath, fields{"identity": "C-17", "identityType": "external"}).must(t, 201).contact(t)
	w.ask(t, "POST", contactsPath+"/"+her["id"].(string)+"/link-session", fields{"sessionId": session}).must(t, 200)
	about := chatBody(fields{"sessionId": session, "messages": []fields{said("user", marker)}})
	others := chatBody(fields{"messages": []fields{said("user", "of nobody "+marker)}})
	for _, path := range []string{completePath, streamPath} {
		w.ask(t, "POST", path, about, "Idempotency-Key", "hers").must(t, 200)
	}
	w.ask(t, "POST", completePath, others, "Idempotency-Key", "nobody's").must(t, 200)
	files := c.kept(t, marker)
	require.Len(t, files, 3)

	told := func() (answers int) {
		for name, content := range handedOut(t, w.a, w.auth, fields{"kind": "external", "value": "C-17"}) {
			if strings.HasPrefix(name, "answers/") {
				require.Contains(t, content, "You said: "+marker)
				answers++
			}
		}
		return answers
	}
	require.Equal(t, 2, told())
	for _, file := range files {
		require.NoError(t, os.Rename(file, file+".away"))
	}
	require.Zero(t, told(), "one whose time is over at this moment keeps nothing else back")
	for _, file := range files {
		require.NoError(t, os.Rename(file+".away", file))
	}

	forgotten := w.forgets(t, w.a, "external", "C-17")
	require.Equal(t, map[string]int{"contacts": 1, "completions": 2}, forgotten, "nothing was said in the session itself")
	require.Len(t, c.kept(t, marker), 1, "that of nobody")
	for _, path := range []string{completePath, streamPath} {
		w.ask(t, "POST", path, about, "Idempotency-Key", "hers").refused(t, 410, fault.Gone)
	}
	w.ask(t, "POST", completePath, others, "Idempotency-Key", "nobody's").must(t, 200)
}
