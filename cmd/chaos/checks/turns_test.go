package checks

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Turns is heard of what a turn must not do.
func TestTurns(t *testing.T) {
	at := sessions.InTurn{Turn: 1, At: time.Unix(0, 0)}
	next := sessions.InTurn{Turn: 2, At: at.At}
	opened := sessions.Opened{SessionID: "s-1", TenantID: tenant, AgentName: "a", Begun: &sessions.Begun{}}
	whole := []event.Payload{opened, sessions.MessageReceived{InTurn: at}, sessions.CallOpened{InTurn: at, CallID: "c-1"}, // 2
		sessions.CallEnded{InTurn: at, CallID: "c-1", Outcome: sessions.CallOK}, sessions.TurnEnded{InTurn: at}}
	put := func(i int, p event.Payload) []event.Payload { return slices.Insert(slices.Clone(whole), i, p) }
	for name, c := range map[string]struct {
		events []event.Payload
		found  bool
	}{
		"as it should be":       {whole, false},
		"has not ended":         {whole[:4], true},
		"ends twice":            {put(5, sessions.TurnEnded{InTurn: at}), true},
		"begins twice":          {put(5, sessions.MessageReceived{InTurn: at}), true},
		"begins in another":     {put(3, sessions.MessageReceived{InTurn: next}), true},
		"a call ends twice":     {put(4, sessions.CallEnded{InTurn: at, CallID: "c-1"}), true},
		"a call has no outcome": {slices.Delete(slices.Clone(whole), 3, 4), true},
		"a write is taken over": {put(3, sessions.CallClaimed{InTurn: at, CallID: "c-1"}), true},
		"behind the end":        {append(slices.Clone(whole), sessions.SessionEnded{}, sessions.Said{InTurn: next}), true},
	} {
		w, out := newLog(t), &Findings{}
		for _, p := range c.events {
			w.add(sessions.Sessions.Category, sessions.Sessions.Stream("s-1"), "", p)
		}
		Turns(w.f, out)
		require.Equal(t, c.found, !out.OK(), "%s: %v", name, out.Problems)
	}
}
