//go:build interop

package interop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// OpenAI's own client for Python takes Parley for OpenAI.
func TestOpenAIsClientWorks(t *testing.T) {
	t.Parallel()
	s := server(t)
	require.Contains(t, job{env: s.environ()}.run(t, pythonProgram(t, "python"), "-W", "error::ResourceWarning",
		"interop/openai/talk.py"), "all answers were right")
}
