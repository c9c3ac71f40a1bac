package channels

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Given a mail that is longer than a message of a session, then the session hears as much as it can, and is told
// how much that leaves out; one that just fits is heard in whole.
func TestALongMailIsAnswered(t *testing.T) {
	for more, about := range map[int]any{0: nil, 3: 3.} {
		w := newFilesWorld(t)
		w.people()
		w.do(threads.Take{Number: 1, SessionID: "s-1", At: time.Now()})
		w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "email", At: time.Now(), Entry: channels.Entry{ExternalID: "2",
			Thread: "t", From: "U1", Text: strings.Repeat("é", turns.LongestText+more)}})
		m := w.state().Waiting[0]
		require.NoError(t, w.handle(t.Context(), reactors.Event{Stream: conversation, Tenant: "acme", ID: "e-1", Payload: m}))

		require.Empty(t, w.state().Waiting)
		told, err := eventstore.History(t.Context(), w.store, sessions.Sessions, sessions.Sessions.Stream("s-1"))
		require.NoError(t, err)
		passed, is := told.Events[len(told.Events)-1].Payload.(sessions.PassedOn)
		require.True(t, is)
		require.Equal(t, strings.Repeat("é", turns.LongestText), passed.Text)
		shown := map[string]any{}
		require.NoError(t, json.Unmarshal((&giving{message: m}).about(), &shown))
		require.Equal(t, about, shown["charactersLeftOut"])
	}
}
