package voicemails_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/domain/wav"
)

func TestWhatIsSaidOnATelephoneIsARecording(t *testing.T) {
	for ms, samples := range map[int64][]int16{400: voicemails.Beep(), 0: nil, 1_000: make([]int16, wav.Rate)} {
		file := wav.File(samples)
		require.Len(t, file, 44+2*len(samples))
		require.Equal(t, ms, voicemails.DurationMs(file))
		media, field, problem := voicemails.CheckAudio("audio/wav", file)
		if ms > 0 {
			require.Equal(t, []string{"audio/wav", "", ""}, []string{media, field, problem})
		}
	}
}

func TestWordsForWhoLeavesAMessage(t *testing.T) {
	require.Contains(t, voicemails.WordsIn("de-AT").Before, "nach dem Ton")
	for _, language := range []string{"", "tlh", "EN-us"} {
		require.Equal(t, "Thank you. Your message was recorded.", voicemails.WordsIn(language).Behind)
	}
}
