package node

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	nodeslices "github.com/parley-platform/parley/cmd/parley/slices"
)

// Nodes compare the settings that all should have alike: what holds counts, however it was said.
func TestNodesCompareWhatHolds(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	told := func(c Config) map[string]string { return c.shared() }
	own, named := told(Config{Data: data}), told(Config{Data: t.TempDir(), BlobURL: "file://" + filepath.Join(data, "blobs")})
	require.Equal(t, own, named, "a node that keeps files in its own folder, and one that was given this folder")
	require.NotEqual(t, own["--blob-url"], told(Config{Data: t.TempDir()})["--blob-url"], "two that keep them in folders of their own")

	require.NotEqual(t, own["--dev"], told(Config{Data: data, Dev: true})["--dev"], "where agents reach other hosts")
	listed := told(Config{Data: data, Providers: nodeslices.Providers{ModelsHash: "sha256:0102"}})
	require.NotEqual(t, own["--models"], listed["--models"], "where others answer")

	projecting := told(Config{Data: data, Dev: true, Roles: []Role{RoleProjector}})
	require.Equal(t, map[string]string{"--blob-url": own["--blob-url"]}, projecting, "it answers nobody")
}
