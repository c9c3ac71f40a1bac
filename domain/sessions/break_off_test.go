package sessions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given a turn with which the server cannot go on, then it ends as one that failed, with what it waits
// for, and says why; one that somebody else goes on with is left to them.
func TestATurnIsBrokenOff(t *testing.T) {
	off := sessions.BreakOff{Try: claimed.Try, Why: sessions.CodeSource, Detail: "line 3", At: cancelled}
	in := sessions.InTurn{Turn: 1, At: cancelled}
	got, err := off.Decide(sessions.Sessions.State(chat, heard, claimed))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{callCut(claimed, sessions.CallCancelled),
		sessions.Noticed{InTurn: in, Kind: "limit", Agent: "front", What: "SOURCE_REFUSED", Detail: "line 3"},
		sessions.TurnEnded{InTurn: in, Action: sessions.Continue, Waits: sessions.Waiting{For: sessions.ForMessage}, Failed: "SOURCE_REFUSED",
			Figures: sessions.Figures{Turns: 1, Messages: 1, Traces: 4, Errors: 1}}}, got)
	require.Nil(t, sessions.Sessions.State(append([]event.Payload{chat, heard, claimed}, got...)...).Talk.Running)

	suspended := sessions.Sessions.State(chat, heard, later, sent)
	got, err = off.Decide(suspended)
	require.NoError(t, err)
	require.Empty(t, got, "it waits for somebody outside")
	off.Try = ""
	got, err = off.Decide(suspended)
	require.NoError(t, err)
	require.Len(t, got, 3)

	for _, past := range [][]event.Payload{nil, {chat}, {chat, heard, claimed}} {
		off.Try = "another"
		got, err = off.Decide(sessions.Sessions.State(past...))
		require.NoError(t, err)
		require.Empty(t, got)
	}
}
