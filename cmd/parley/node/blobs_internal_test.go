//go:build !apache

package node

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A node removes what a killed one left of a blob in the folder that they share, and not
// what another may be writing. It ends in order while it waits for that to become old.
func TestANodeTidiesTheFolderOfBlobs(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, ".new-1"), filepath.Join(dir, ".new-2")
	for _, path := range []string{old, fresh} {
		require.NoError(t, os.WriteFile(path, []byte("a part of a recording"), 0o600))
	}
	longAgo := time.Now().Add(-24 * time.Hour)
	require.NoError(t, os.Chtimes(old, longAgo, longAgo))

	n := &Node{cfg: Config{BlobURL: "file://" + dir}, log: slog.New(slog.DiscardHandler)}
	require.NoError(t, n.openBlobs(t.Context()))

	require.EventuallyWithT(t, func(t *assert.CollectT) { assert.NoFileExists(t, old) }, time.Minute, time.Millisecond)
	n.Close(t.Context())
	require.FileExists(t, fresh)
}
