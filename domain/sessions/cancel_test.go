package sessions_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

var cancelled = noon.Add(time.Minute)

func turnCut(waits sessions.WaitFor, f sessions.Figures) sessions.TurnEnded {
	return sessions.TurnEnded{InTurn: sessions.InTurn{Turn: 1, At: cancelled}, Action: sessions.CutOff, Waits: sessions.Waiting{For: waits},
		Figures: f}
}

func callCut(of sessions.CallOpened, outcome sessions.CallOutcome) sessions.CallEnded {
	return sessions.CallEnded{InTurn: sessions.InTurn{Turn: 1, At: cancelled}, CallID: of.CallID, Agent: of.Agent, Step: of.Step,
		Tool: of.Tool, Wish: of.Wish, Outcome: outcome, Code: sessions.CodeCancelled}
}

// Given a turn that waits, when it is cancelled, then each thing that it waits for has its end,
// and so has the turn: what reads was cancelled, of a write nobody knows.
func TestATurnIsCancelled(t *testing.T) {
	writes := claimed
	writes.CallID, writes.Start, writes.Repeat = "c9", false, false
	inStep := wishOpened
	inStep.Step = "ask"
	inDelegate := writes
	inDelegate.InTurn, inDelegate.CallID = inOne, "c10"
	cutInside := callCut(inDelegate, sessions.CallUnknown)
	cutInside.Delegate = "1"
	for name, c := range map[string]struct {
		past, then []event.Payload
	}{
		"waits for a read": {[]event.Payload{chat, heard, claimed}, []event.Payload{callCut(claimed, sessions.CallCancelled),
			turnCut(sessions.ForMessage, sessions.Figures{Turns: 1, Messages: 1, Traces: 3})}},
		"waits for a write": {[]event.Payload{chat, heard, writes}, []event.Payload{callCut(writes, sessions.CallUnknown),
			turnCut(sessions.ForMessage, sessions.Figures{Turns: 1, Messages: 1, Traces: 3, Errors: 1})}},
		"is suspended": {[]event.Payload{chat, heard, later, sent}, []event.Payload{callCut(later, sessions.CallCancelled),
			turnCut(sessions.ForMessage, sessions.Figures{Turns: 1, Messages: 1, Traces: 4})}},
		"waits for a model": {[]event.Payload{chat, heard, askedMind}, []event.Payload{
			sessions.ModelAnswered{InTurn: sessions.InTurn{Turn: 1, At: cancelled}, CallID: "c5", ProjectID: "bot", Agent: "front", Step: "ask",
				Failed: sessions.CodeCancelled}, turnCut(sessions.ForModel, sessions.Figures{Turns: 1, Messages: 1, Traces: 3})}},
		"waits for what a model wants": {[]event.Payload{chat, heard, askedMind, thought, inStep}, []event.Payload{
			callCut(inStep, sessions.CallUnknown), turnCut(sessions.ForModel, sessions.Figures{Turns: 1, Messages: 1, Traces: 4, Errors: 2})}},
		"has others work": {[]event.Payload{chat, heard, given, begun, inDelegate}, []event.Payload{cutInside,
			sessions.DelegateEnded{InTurn: sessions.InTurn{Turn: 1, At: cancelled}, DelegateID: "1", Name: "air", From: "front", To: "flights",
				Task: "Find one", Outcome: sessions.DelegateCancelled, TookMs: 60_000},
			turnCut(sessions.ForModel, sessions.Figures{Turns: 1, Messages: 1, Traces: 4, Errors: 1})}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessions.Sessions.State(c.past...)
			for _, turn := range []int{0, 1} {
				got, err := sessions.CancelTurn{Turn: turn, At: cancelled}.Decide(s)
				require.NoError(t, err)
				require.Equal(t, c.then, got)
			}
			after := sessions.Sessions.State(append(c.past, c.then...)...)
			require.Nil(t, after.Talk.Running)
			require.Equal(t, sessions.Active, after.Status, "the user may say more")
			again, err := sessions.CancelTurn{At: cancelled}.Decide(after)
			require.NoError(t, err)
			require.Empty(t, again, "once more changes nothing")

			end, err := sessions.End{Reason: "ended", At: cancelled}.Decide(s)
			require.NoError(t, err)
			require.Equal(t, append(c.then, sessions.SessionEnded{Reason: "ended", At: cancelled}), end, "it is cancelled before the end")
			reset, err := sessions.Reset{At: cancelled}.Decide(s)
			require.NoError(t, err)
			require.Equal(t, append(c.then, sessions.WasReset{Before: 1, At: cancelled}), reset, "and before a reset")
		})
	}
}

// Given nothing that runs, or another turn than the one that is meant, then a cancel is refused.
func TestACancelThatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		past []event.Payload
		turn int
		code fault.Code
	}{
		"nothing was said":  {[]event.Payload{chat}, 0, fault.Conflict},
		"the turn is over":  {[]event.Payload{chat, heard, turned}, 1, fault.Conflict},
		"another turn runs": {[]event.Payload{chat, heard, claimed}, 2, fault.Conflict},
		"the end was first": {[]event.Payload{chat, heard, ended}, 0, fault.Conflict},
		"it is of a call":   {[]event.Payload{opened}, 0, fault.Conflict},
		"there is none":     {nil, 0, fault.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sessions.CancelTurn{Turn: c.turn, At: cancelled}.Decide(sessions.Sessions.State(c.past...))
			require.True(t, fault.Is(err, c.code), err)
		})
	}
}

// A try is told by the state whether anybody waits for what it makes.
func TestATryIsWantedWhileTheTurnWaitsForIt(t *testing.T) {
	running := func(past ...event.Payload) *sessions.Running { return sessions.Sessions.State(past...).Talk.Running }
	require.True(t, running(chat, heard, claimed).Claimed("t1"))
	require.False(t, running(chat, heard, claimed, over).Claimed("t1"), "another has taken over")
	require.True(t, running(chat, heard, askedMind).Claimed("t1"))
	require.False(t, running(chat, heard, later, sent).Claimed("t1"), "it was made")
	require.False(t, running(chat, heard, claimed, turned).Claimed("t1"))
}
