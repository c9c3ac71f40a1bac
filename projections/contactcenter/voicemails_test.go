package contactcenter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given voicemails of sessions, then those of one are listed, oldest first.
func TestAnswersAboutVoicemails(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewVoicemails(w.DB)
	for i, id := range []string{"v-1", "v-2", "v-3"} {
		w.Given(contactcenter.VoicemailsModel, id, given.Filled(func(e *voicemails.Recorded) {
			e.At = given.Second(9 - i)
			if id == "v-3" {
				e.SessionID = "another"
			}
		}))
	}
	w.Given(contactcenter.VoicemailsModel, "v-1", given.Filled[voicemails.Transcribed]())
	of, err := x.Of(t.Context(), "tenantId", "projectId", "sessionId")
	require.NoError(t, err)
	require.Len(t, of, 2)
	require.Equal(t, "v-2", of[0].ID)
	require.Equal(t, voicemails.TranscriptPending, of[0].Transcription)
	require.Equal(t, "ID=v-1 FileID=fileId FileName=fileName CallerID=callerId Language=language DurationMs=10 RecordedAt=12:00:09 "+
		"Transcription=done Transcript=text Provider=provider TranscribedAt=12:00:10", given.Shown(of[1]))

	for _, c := range []struct {
		tenant, project string
		there           bool
	}{{"tenantId", "projectId", true}, {"other", "projectId", false}, {"tenantId", "other", false}} {
		has, err := x.Has(t.Context(), c.tenant, c.project, "v-1")
		require.NoError(t, err)
		require.Equal(t, c.there, has)
		has, err = x.HasSession(t.Context(), c.tenant, c.project, "another")
		require.NoError(t, err)
		require.Equal(t, c.there, has, "a session of which there is only a voicemail")
		of, err := x.Of(t.Context(), c.tenant, c.project, "another")
		require.NoError(t, err)
		require.Equal(t, c.there, len(of) == 1)
	}
	for id, begun := range map[string]*sessions.Begun{"quiet": nil, "assisting": {Assists: "c-1"}} {
		w.Given(voice.SessionsModel, id, given.Filled(func(e *sessions.Opened) { e.SessionID, e.Begun = id, begun }))
		has, err := x.HasSession(t.Context(), "tenantId", "projectId", id)
		require.NoError(t, err)
		require.True(t, has, id)
		has, err = x.HasSession(t.Context(), "tenantId", "other", id)
		require.NoError(t, err)
		require.False(t, has, id)
	}
}
