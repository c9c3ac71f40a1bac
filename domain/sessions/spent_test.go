package sessions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given a question to a model that was cut off, then what it had taken is counted once, whenever that is said; what was answered, or
// asked by nobody, or of which nothing is known, is not.
func TestWhatACutModelHadTakenIsCounted(t *testing.T) {
	cost := int64(7)
	took := sessions.ModelAnswered{ModelID: "m-1", Provider: "openai", TokensIn: 10, TokensOut: 2, Estimated: true, CostPico: &cost, TookMs: 5}
	cut := sessions.ModelAnswered{InTurn: sessions.InTurn{Turn: 1, Test: true, At: opened.At}, CallID: "c5", Agent: "front",
		Failed: sessions.CodeCancelled}
	want := sessions.ModelCounted{InTurn: sessions.InTurn{Turn: 1, Test: true, At: cancelled}, CallID: "c5", ProjectID: chat.ProjectID,
		Agent: "front", ModelID: "m-1", Provider: "openai", TokensIn: 10, TokensOut: 2, Estimated: true, CostPico: &cost, TookMs: 5}
	answered := cut
	answered.Failed, answered.ModelID = "", "m-1"
	over := sessions.SessionEnded{Reason: "deleted", At: cancelled}
	for name, c := range map[string]struct {
		given []event.Payload
		took  sessions.ModelAnswered
		then  []event.Payload
	}{
		"cut off":               {[]event.Payload{chat, heard, cut}, took, []event.Payload{want}},
		"of an ended session":   {[]event.Payload{chat, heard, cut, over}, took, []event.Payload{want}},
		"twice":                 {[]event.Payload{chat, heard, cut, want}, took, nil},
		"answered":              {[]event.Payload{chat, heard, answered}, took, nil},
		"still asked":           {[]event.Payload{chat, heard, askedMind}, took, nil},
		"before it had begun":   {[]event.Payload{chat, heard, cut}, sessions.ModelAnswered{}, nil},
		"of a cancelled worker": {[]event.Payload{chat, heard, given, begun, askedInside, ended1}, took, []event.Payload{inWorker(want)}},
	} {
		got, err := sessions.CountCut{CallID: "c5", Took: c.took, At: cancelled}.Decide(sessions.Sessions.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
	s := sessions.Sessions.State(chat, heard, cut, want)
	require.Equal(t, sessions.Spent{Pico: 7}, s.Spent, "and it is spent")
	require.Empty(t, s.Cuts)
	many := []event.Payload{chat, heard}
	for range 100 {
		many = append(many, cut)
	}
	require.Len(t, sessions.Sessions.State(many...).Cuts, 64, "as many as delegates of delegates ask at once")
}

var askedInside = sessions.ModelAsked{InTurn: sessions.InTurn{Turn: 1, Delegate: "1", At: opened.At}, CallID: "c5", Agent: "flights"}

var ended1 = sessions.DelegateEnded{InTurn: sessions.InTurn{Turn: 1, At: cancelled}, DelegateID: "1", Outcome: sessions.DelegateCancelled}

func inWorker(e sessions.ModelCounted) sessions.ModelCounted {
	e.Delegate, e.Agent, e.Test = "1", "flights", false
	return e
}
