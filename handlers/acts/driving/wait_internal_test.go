package driving

import (
	"context"
	"errors"
	"fmt"
	"github.com/parley-platform/parley/handlers/acts"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// Given a session of many turns, then each is the same, read from the session's end, as it is in the session's whole history: its
// events, and what they left, whatever came behind.
func TestATurnOfALongSessionIsReadFromItsEnd(t *testing.T) {
	store := memory.New().Open(eventstore.Config{Node: "n0-1"})
	t.Cleanup(store.Close)
	x, stream := &Turns{Log: acts.Log{Store: store}}, sessions.Sessions.Stream("s-1")
	add := func(all ...event.Payload) {
		t.Helper()
		require.NoError(t, eventstore.Do(t.Context(), store, sessions.Sessions, stream, eventstore.Command{Tenant: "acme", Actor: "test"},
			func(sessions.State) ([]event.Payload, error) { return all, nil }))
	}
	add(sessions.Opened{SessionID: "s-1", TenantID: "acme"})
	const turns = 120
	for n := 1; n <= turns; n++ {
		in := sessions.InTurn{Turn: n}
		begins := event.Payload(sessions.MessageReceived{InTurn: in, MessageID: fmt.Sprint("m-", n), Text: "Hi"})
		if n%7 == 0 {
			begins = sessions.GivenBack{InTurn: in}
		}
		add(sessions.VariablesSet{InTurn: in}, begins)
		add(sessions.Said{InTurn: in, MessageID: fmt.Sprint("a-", n), Text: "Hello."})
		if n < turns {
			add(sessions.TurnEnded{InTurn: in, Action: sessions.Continue, Figures: sessions.Figures{Turns: n, Messages: 2 * n}})
			add(sessions.ContactLinked{ContactID: "c-1"})
		}
	}
	for range 5 { // wherever what is read from the end begins
		add(sessions.ContactLinked{ContactID: "c-1"})
		told, err := eventstore.History(t.Context(), store, sessions.Sessions, stream)
		require.NoError(t, err)
		for n := 1; n <= turns; n++ {
			of, upTo := inTurn(told.Events, n)
			got, err := x.turn(t.Context(), stream, n)
			require.NoError(t, err)
			require.Equal(t, of, got.Events, n)
			var then sessions.State
			for _, e := range told.Events[:upTo] {
				sessions.Sessions.Fold(&then, e.Payload)
			}
			require.Equal(t, n, then.Talk.Turns)
			require.Equal(t, then.Talk.Figures, got.State.Talk.Figures)
			require.Equal(t, then.Talk.Running, got.State.Talk.Running)
		}
	}
}

// Given read models that catch up for a while, then who waits for a turn waits for them too, until
// he goes away; any other failure is told at once.
func TestWhoWaitsForATurnWaitsForTheReadModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shut, asked := fault.New(fault.CatchingUp, "not yet"), 0
		got, err := patiently(t.Context(), func() (string, error) {
			if asked++; asked < 3 {
				return "", shut
			}
			return "said", nil
		})
		require.NoError(t, err)
		require.Equal(t, []any{"said", 3}, []any{got, asked})

		gone, cancel := context.WithTimeout(t.Context(), lookAgain/2)
		defer cancel()
		_, err = patiently(gone, func() (string, error) { return "", shut })
		require.ErrorIs(t, err, shut)

		broken := errors.New("broken")
		_, err = patiently(t.Context(), func() (string, error) { asked++; return "", broken })
		require.ErrorIs(t, err, broken)
		require.Equal(t, 4, asked)
	})
}
