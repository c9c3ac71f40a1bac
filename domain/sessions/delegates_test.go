package sessions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

var (
	inOne = sessions.InTurn{Turn: 1, Delegate: "1", At: noon}
	given = sessions.WorkGiven{InTurn: turn1, Agent: "front", Step: "ask", Wish: "w1", Group: "offers", Delegates: []string{"air", "rail"},
		Retry: 1, Waits: sessions.Waiting{For: sessions.ForMessage}, ExpiresAt: noon.Add(15 * time.Second)}
	begun = sessions.DelegateBegun{InTurn: turn1, DelegateID: "1", Name: "air", From: "front", To: "flights", Task: "Find one", Retry: 1,
		ExpiresAt: noon.Add(12 * time.Second)}
	inside   = sessions.SlotsFilled{InTurn: inOne, Agent: "flights", Values: map[string]json.RawMessage{"to": json.RawMessage(`"Rome"`)}}
	murmured = sessions.DelegateSaid{InTurn: inOne, Agent: "flights", Step: "look", Text: "Looking."}
	worked   = sessions.DelegateEnded{InTurn: turn1, DelegateID: "1", Name: "air", From: "front", To: "flights", Task: "Find one",
		Outcome: sessions.DelegateFailed, Code: "TIMEOUT", Result: map[string]json.RawMessage{"price": json.RawMessage(`7`)},
		Left: []string{"c9"}, TookMs: 12_000}
	workDone = sessions.WorkDone{InTurn: turn1, Agent: "front", Group: "offers", Failed: "air", Code: "TIMEOUT"}
)

// Given a delegate, then what happens in it changes nothing of the conversation, but for what is
// counted; the delegate has what it was given, and what it said.
func TestADelegateHasAScopeOfItsOwn(t *testing.T) {
	opened := sessions.CallOpened{InTurn: inOne, CallID: "c9", Key: "c9", Agent: "flights", Tool: "find",
		Claimed: sessions.Claimed{Process: "n-1@a", Try: "t1"}}
	past := []event.Payload{chat, heard, filled, set, given, begun, inside, murmured, opened,
		sessions.VariablesSet{InTurn: inOne, Values: map[string]json.RawMessage{"n": json.RawMessage(`1`)}},
		sessions.StepEntered{InTurn: inOne, Agent: "flights", Step: "look"}}
	s := sessions.Sessions.State(past...)
	require.Equal(t, []any{"front", "", 1, 1}, []any{s.Talk.Agent, s.Talk.Step, s.Talk.Messages, s.Talk.Calls})
	require.NotContains(t, s.Talk.Slots, "flights")
	require.NotContains(t, s.Talk.Vars, "n")
	require.Equal(t, "find", s.Talk.Running.Call("c9").Tool)
	require.Equal(t, []string{"c9"}, s.Talk.Running.Left())
	require.Equal(t, noon.Add(12*time.Second), s.Talk.Running.Ends())
	require.Equal(t, []sessions.Claimed{opened.Claimed}, s.Talk.Running.Claims())

	in, is := s.Within("1")
	require.True(t, is)
	require.Equal(t, []any{"flights", "look", "1", []string{"front"}, chat.Begun.Language, 1}, []any{in.Talk.Agent, in.Talk.Step,
		in.Talk.Place, in.Talk.For, in.Talk.Language, in.Talk.Calls})
	require.Equal(t, []sessions.Line{{Text: "Find one"}, {Agent: "flights", Text: "Looking."}}, in.Talk.History)
	require.Equal(t, map[string]json.RawMessage{"n": json.RawMessage(`1`)}, in.Talk.Vars, "nothing of the session's")
	require.Equal(t, map[string]json.RawMessage{"to": json.RawMessage(`"Rome"`)}, in.Talk.Slots["flights"])

	s = sessions.Sessions.State(append(past, worked)...)
	require.Empty(t, s.Talk.Running.Left(), "nobody waits for it any more")
	require.True(t, s.Talk.Running.Work.Delegates[0].Wrote, "a write was on its way")
	_, is = s.Within("1")
	require.False(t, is)
	s = sessions.Sessions.State(append(past, worked, murmured, workDone)...)
	require.Nil(t, s.Talk.Running.Work)
	require.Len(t, s.Talk.History, 1, "what comes late leads nowhere")
}
