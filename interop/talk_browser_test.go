//go:build interop

package interop

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a browser whose microphone is a file, when it opens the page of examples/talk and calls, then it
// hears the agent over one UDP port, in PCMU, the agent is cut off when the person speaks, hears keys, and each
// side hangs up.
func TestAnAgentTalksInABrowser(t *testing.T) {
	s := server(t)
	dir, err := npm()
	require.NoError(t, err)
	said, wav := filepath.Join(t.TempDir(), "said.wav"), filepath.Join(t.TempDir(), "microphone.wav")
	job{}.run(t, "espeak-ng", "-w", said, "Hello there, I would like to ask you something about my last bill, if you have a moment for me.")
	job{}.run(t, "sox", said, "-r", "48000", "-c", "1", "-b", "16", wav, "pad", "8", "4")
	out := job{dir: t.TempDir(), env: s.environ()}.run(t, "node", filepath.Join(repository, "interop", "browser", "talk.mjs"),
		filepath.Join(dir, "node_modules"), t.TempDir(), wav)
	var seen struct {
		Troubles []string
		Address  string
		Loudest  float64
		Status   string
		HungUp   string
		Pressed  string
		Ended    string
		Stats    struct {
			Came, Lost, Went int
			Codec            string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &seen), out)
	require.Empty(t, seen.Troubles)
	require.Empty(t, seen.Address, "a token does not stay in the address")
	require.Equal(t, []string{"inProgress", "Caller-disconnected", "47", "completed"}, []string{seen.Status, seen.HungUp, seen.Pressed,
		seen.Ended})
	require.Greater(t, seen.Loudest, 0.02, "the agent was heard")
	require.Equal(t, "audio/PCMU", seen.Stats.Codec)
	require.Greater(t, seen.Stats.Came, 100)
	require.Greater(t, seen.Stats.Went, 100)
	require.Less(t, seen.Stats.Lost, seen.Stats.Came/10)
}
