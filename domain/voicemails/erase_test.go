package voicemails_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/voicemails"
)

// Given a transcript in the making, when the caller is to be erased, then it is not taken.
func TestAVoicemailWhoseCallerIsErasedGetsNoTranscript(t *testing.T) {
	forget := voicemails.Forget{At: t0}
	got, err := forget.Decide(voicemails.Voicemails.State(recorded))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{voicemails.TranscriptionFailed{Attempts: 1, Reason: "the caller was erased", At: t0}}, got)
	after := voicemails.Voicemails.State(recorded, got[0])
	late, err := voicemails.Transcribe{Round: 1, Transcript: voicemails.Transcript{Text: "It is Ann"}, At: t0}.Decide(after)
	require.NoError(t, err)
	require.Empty(t, late)
	for _, s := range []voicemails.State{{}, after, voicemails.Voicemails.State(recorded, transcribed)} {
		got, err := forget.Decide(s)
		require.NoError(t, err)
		require.Empty(t, got)
	}
}

// Given a voicemail whose call is forgotten before it, then it keeps whose it is, once, until the caller is erased.
func TestAVoicemailThatOutlivesItsCallKeepsWhoseItIs(t *testing.T) {
	keep := voicemails.Attribute{Persons: []string{"p1"}, At: t0}
	got, err := keep.Decide(voicemails.Voicemails.State(recorded))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{voicemails.Attributed{Persons: []string{"p1"}, At: t0}}, got)
	kept := voicemails.Voicemails.State(recorded, got[0])
	forgotten := voicemails.Voicemails.State(recorded, got[0], voicemails.Erased{})
	require.Empty(t, forgotten.Persons)
	for _, s := range []voicemails.State{{}, kept, forgotten} {
		got, err := keep.Decide(s)
		require.NoError(t, err)
		require.Empty(t, got)
	}
}
