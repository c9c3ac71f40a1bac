//go:build interop

package interop

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// OpenAI's own client for Python takes Parley for OpenAI.
func TestPeerOpenAIForPython(t *testing.T) {
	t.Parallel()
	s := server(t)
	require.Contains(t, job{env: s.environ()}.run(t, pythonProgram(t, "python"), "-W", "error::ResourceWarning",
		"interop/openai/talk.py"), "all answers were right")
}

// OpenAI's client for Node does, and so do its agents: theirs asks our model, and runs its own tool.
func TestPeerOpenAIForNode(t *testing.T) {
	t.Parallel()
	s := server(t)
	dir, err := npm()
	require.NoError(t, err)
	require.Contains(t, job{env: s.environ()}.run(t, "node", "interop/openai/talk.mjs", filepath.Join(dir, "node_modules")),
		"all answers were right")
}
