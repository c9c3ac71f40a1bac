//go:build interop

package interop

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The agent-to-agent protocol's own SDK for Python talks with an agent of ours, in both versions, and has an
// agent to which ones of ours delegate and hand conversations.
func TestPeerAgentToAgentForPython(t *testing.T) {
	t.Parallel()
	s := server(t)
	dir := filepath.Join(repository, ".tools", "interop", "a2a-python")
	require.NoError(t, quietly(repository, "scripts/pinned.sh", "venv", dir, "interop/tools/a2a.txt"))
	require.Contains(t, job{env: s.environ()}.run(t, filepath.Join(dir, "bin", "python"), "interop/a2a/talk.py"), "both ways")
}

// So does that for Node.
func TestPeerAgentToAgentForNode(t *testing.T) {
	t.Parallel()
	s := server(t)
	dir := filepath.Join(repository, ".tools", "interop", "a2a-node")
	require.NoError(t, quietly(repository, "scripts/pinned.sh", "npm", dir, "interop/tools/a2a/package-lock.json"))
	require.Contains(t, job{env: s.environ()}.run(t, "node", "interop/a2a/talk.mjs", filepath.Join(dir, "node_modules")), "both ways")
}
