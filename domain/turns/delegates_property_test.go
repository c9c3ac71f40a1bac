package turns_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// anyGroup is an agent that has a group of others work, with whatever rules.
func anyGroup(t *rapid.T) string {
	source := "DELEGATE:\n"
	n := rapid.IntRange(1, 4).Draw(t, "delegates")
	for i := range n {
		source += fmt.Sprintf("  - {ID: d%d, GROUP: g, AGENT: worker%s, RETURNS: {price: session.r%d}, TIMEOUT: %ds, ON_FAIL: %s}\n", i,
			rapid.SampledFrom([]string{"", "2", "3"}).Draw(t, "agent"), i, rapid.IntRange(1, 5).Draw(t, "timeout"),
			rapid.SampledFrom([]string{"stop", "continue", "{RETRY: 2}"}).Draw(t, "fails"))
	}
	join := rapid.SampledFrom([]string{"all", "any", fmt.Sprint(n)}).Draw(t, "join")
	return agent("boss", source+fmt.Sprintf(`FAN_OUT: {g: {JOIN: %s, TIMEOUT: %ds, MAX_PARALLEL: %d}}
FLOW: {START: a, STEPS: {a: {DELEGATE: g, NEXT: b, ON_ERROR: {RETRY: 1, SAY: Failed., END: true}}, b: {SAY: Done., END: true}}}
`, join, rapid.IntRange(2, 8).Draw(t, "group"), rapid.IntRange(1, 4).Draw(t, "parallel")))
}

// Workers: one reads twice, one writes, one has another read for it.
var workers = []string{
	agent("worker", `
TOOLS: {find: {KIND: http, URL: "https://o.example.com/"}}
FLOW: {START: a, STEPS: {a: {CALL: find, NEXT: b}, b: {CALL: find, ON_ERROR: {CONTINUE: true}, END: true}}}
`),
	agent("worker2", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}}
FLOW: {START: a, STEPS: {a: {CALL: pay, NEXT: b}, b: {SAY: Paid., END: true}}}
`),
	agent("worker3", `
DELEGATE: [{AGENT: worker, TIMEOUT: 2s, ON_FAIL: {RETRY: 1}}]
FLOW: {START: a, STEPS: {a: {DELEGATE: worker, END: true}}}
`),
}

// Given whatever delegates, and calls that end well, badly, late or never, made by processes that come
// and go, then the turn ends once; each delegate that began ends once; no call has two outcomes; and
// none that made a write without a key, or may have, begins again. The same decided on the same
// events gives the same.
func TestDelegatesEndOnceWhateverHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := with(t, append([]string{anyGroup(rt)}, workers...)...)
		now, tries := noon, 1
		try := func() sessions.Claimed { return sessions.Claimed{Process: "n", Try: fmt.Sprint("t-", tries)} }
		_, err := c.turn(turns.Receive{Text: "x", Try: try()})
		require.NoError(t, err)
		var known []string // calls that ever were open
		for steps := 0; c.state.Talk.Running != nil; steps++ {
			require.Less(t, steps, 400, "it comes to an end")
			known = append(known, c.state.Talk.Running.Left()...)
			var decide func(sessions.State) ([]event.Payload, error)
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0, 1:
				now = now.Add(time.Duration(rapid.IntRange(0, 1500).Draw(rt, "ms")) * time.Millisecond)
				decide = turns.Late{Programs: c.programs, At: now, Try: try()}.Decide
			case 2:
				gone := rapid.SampledFrom(c.state.Talk.Running.Claims()).Draw(rt, "gone").Try
				tries++
				decide = turns.TakeOver{From: gone, Programs: c.programs, At: now, Try: try()}.Decide
			default:
				ended := rapid.SampledFrom([]sessions.CallEnded{ok(`{"n":1}`), ok(`{"n":2}`), failed("HTTP_500"),
					{Outcome: sessions.CallUnknown, Code: sessions.CodeUnknown}}).Draw(rt, "outcome")
				call := rapid.SampledFrom(known).Draw(rt, "call")
				if of := c.state.Talk.Running.Call(call); of != nil && of.Repeat && ended.Outcome == sessions.CallUnknown {
					continue // of what reads, that is known
				}
				decide = turns.Outcome{CallID: call, Ended: ended, Programs: c.programs, At: now, Try: try()}.Decide
			}
			c.decides(decide)
		}
		checkDelegates(t, c.past)
	})
}

func checkDelegates(t *testing.T, past []event.Payload) {
	open, ended, called, wrote, turnEnds := map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, 0
	writes := map[string]string{} // calls that write and are open, by the delegate
	for _, p := range past {
		switch e := p.(type) {
		case sessions.DelegateBegun:
			require.False(t, e.Retry > 0 && wrote[e.Delegate+e.Name], "it wrote before")
			require.Empty(t, open[e.DelegateID])
			open[e.DelegateID] = e.Delegate + e.Name
		case sessions.CallOpened:
			if !e.Repeat {
				writes[e.CallID] = open[e.Delegate]
			}
		case sessions.CallEnded:
			require.False(t, called[e.CallID], "a call ends once")
			called[e.CallID] = true
			if of, is := writes[e.CallID]; is && e.Outcome != sessions.CallFailed {
				wrote[of] = true
			}
		case sessions.DelegateEnded:
			require.NotEmpty(t, open[e.DelegateID])
			require.False(t, ended[e.DelegateID], "it ends once")
			ended[e.DelegateID] = true
			for _, call := range e.Left {
				if of, is := writes[call]; is {
					wrote[of] = true
				}
			}
		case sessions.WorkGiven:
			require.False(t, e.Retry > 0 && len(wrote) > 0, "one of them wrote before")
		case sessions.TurnEnded:
			turnEnds++
		}
	}
	require.Equal(t, 1, turnEnds)
	for id := range open {
		if !ended[id] {
			within := false // what it was in has ended before it
			for parent := range ended {
				within = within || len(id) > len(parent) && id[:len(parent)+1] == parent+"."
			}
			require.True(t, within, "delegate %s has no end", id)
		}
	}
}
