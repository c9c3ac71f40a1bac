package voicemails_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/voicemails"
)

// Whoever records a voicemail says of its audio the same.
func TestARecordingSaysItsSizeLengthAndSum(t *testing.T) {
	got := voicemails.Record{VoicemailID: "v1", Blob: "b"}.Holding([]byte("abc"), "audio/mpeg")
	require.Equal(t, voicemails.Record{VoicemailID: "v1", Blob: "b", ContentType: "audio/mpeg", SizeBytes: 3,
		SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}, got)
	require.Equal(t, int64(250), voicemails.Record{}.Holding(wavOf(4000, make([]byte, 4000)), "audio/wav").DurationMs)
}
