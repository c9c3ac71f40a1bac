package sessions_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given what a user said, some of it twice, then what they take back is what models see no more, with its files, and
// nothing else.
func TestWhatAUserTakesBackIsSeenByNoModel(t *testing.T) {
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	says := func(id, text string, files ...string) sessions.MessageReceived {
		return sessions.MessageReceived{MessageID: id, Text: text, Attachments: files}
	}
	begun := &sessions.Begun{Manifest: map[string]sessions.Pinned{"a": {}}}
	all := []event.Payload{sessions.Opened{SessionID: "s", Channel: "line", Begun: begun},
		sessions.Attached{AttachmentID: "f-1"}, sessions.Attached{AttachmentID: "f-2"}, says("m-1", "yes"),
		sessions.Said{MessageID: "m-2", Agent: "a", Text: "yes"}, says("m-3", "", "f-1"), says("m-4", "yes"),
		sessions.PersonSaid{MessageID: "m-5", Text: "yes"}, sessions.SessionEnded{}}
	s := sessions.Sessions.State(all...)
	seen := func() (out []string) {
		for _, l := range s.Talk.History {
			out = append(out, l.Text)
		}
		return out
	}
	takes := func(m sessions.MessageReceived) {
		t.Helper()
		got, err := sessions.TakeBack{Message: m, At: at}.Decide(s)
		require.NoError(t, err)
		require.Len(t, got, 1)
		sessions.Sessions.Fold(&s, got[0])
	}
	takes(all[6].(sessions.MessageReceived))
	require.Equal(t, []string{"yes", "yes", sessions.OnlyFiles, sessions.TakenBackLine, "yes"}, seen())
	takes(all[5].(sessions.MessageReceived))
	require.Equal(t, []string{"yes", "yes", sessions.TakenBackLine, sessions.TakenBackLine, "yes"}, seen())
	require.Nil(t, s.Attachment("f-1"))
	require.NotNil(t, s.Attachment("f-2"))
	before := seen()
	takes(says("m-9", "never heard"))
	require.Equal(t, before, seen())
	none, err := sessions.TakeBack{Message: says("m-1", "yes"), At: at}.Decide(sessions.State{})
	require.NoError(t, err)
	require.Empty(t, none)
}
