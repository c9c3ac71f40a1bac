package speech_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/domain/voicemails"
)

func TestTheMessageOfASimulatedCaller(t *testing.T) {
	for caller, words := range map[string]string{
		"":             "Hello, nobody could take my call. Please call me back.",
		"+15550000001": "Hello, this is +15550000001. Nobody could take my call. Please call me back.",
	} {
		audio := speech.LeaveMessage(caller)
		require.Equal(t, audio, speech.LeaveMessage(caller))
		got, err := speech.Local{}.Transcribe(t.Context(), voicemails.Audio{Name: "a.wav", ContentType: "audio/wav",
			Data: bytes.NewReader(audio)})
		require.NoError(t, err)
		require.Equal(t, words, got.Text)
	}
}
