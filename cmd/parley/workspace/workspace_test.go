package workspace_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/workspace"
	"github.com/parley-platform/parley/examples"
)

// A second start finds what the first one made; a key whose file is lost, or that is of
// another log, is replaced.
func TestTheWorkspaceIsMadeOnceAndItsKeyKept(t *testing.T) {
	dir := t.TempDir()
	n, err := node.Start(t.Context(), node.Config{Data: dir, Listen: "127.0.0.1:0", KafkaBrokers: embeddedtest.Broker(t),
		DatabaseURL: embeddedtest.Database(t), Dev: true, Roles: []node.Role{node.RoleAPI,
			node.RoleProjector}, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer n.Close(t.Context())
	require.NoError(t, n.Await(t.Context()))
	prepare := func() workspace.Workspace {
		w, err := workspace.Prepare(t.Context(), n, dir)
		require.NoError(t, err)
		known, err := n.KnowsKey(t.Context(), w.APIKey)
		require.NoError(t, err)
		require.True(t, known)
		return w
	}
	first := prepare()
	require.Equal(t, []string{examples.Account, examples.Project, examples.Scope}, []string{first.Account, first.Project, first.Scope})
	require.NotEqual(t, first.Token, first.Token2, "each tenant's")
	require.Equal(t, first.APIKey, prepare().APIKey)

	file := filepath.Join(dir, "dev-api-key")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, os.WriteFile(file, []byte("ak-of-another-log\n"), 0o600))
	require.NotEqual(t, first.APIKey, prepare().APIKey)
	require.NoError(t, os.Remove(file))
	require.NotEqual(t, first.APIKey, prepare().APIKey)
}
