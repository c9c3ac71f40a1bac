package slices

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/deepgram"
	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a node with a key, then speech is recognised on the calls that ask for it, and on all others where the node says so. The line
// knows by whom.
func TestWhoRecognisesSpeechOnACall(t *testing.T) {
	withKey := deepgram.Config{APIKey: "k"}
	always, names, local := Speech{Deepgram: withKey, Recogniser: deepgram.Provider}, calls.Recognition{Provider: deepgram.Provider},
		calls.Recognition{Provider: speech.ProviderLocal}
	for name, c := range map[string]struct {
		of   Speech
		call calls.Recognition
		want string
	}{
		"a call that names it":     {Speech{Deepgram: withKey}, names, "deepgram"},
		"a call that names nobody": {Speech{Deepgram: withKey}, calls.Recognition{}, ""},
		"a node that names it":     {always, calls.Recognition{}, "deepgram"},
		"a node without a key":     {Speech{}, names, ""},
		"a call that wants none":   {always, local, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := Needs{Settings: Settings{Providers: Providers{Speech: c.of}}}
			opened, err := n.Providers.open()
			require.NoError(t, err)
			o := n.soundOf(opened, slog.New(slog.DiscardHandler), "en", c.call)
			require.Equal(t, c.want, o.Reader)
			require.Equal(t, c.want != "", o.Recogniser != nil)
		})
	}
}
