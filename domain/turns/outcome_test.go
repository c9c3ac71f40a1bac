package turns_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

var (
	mine  = sessions.Claimed{Process: "n-1@a", Try: "t-1"}
	other = sessions.Claimed{Process: "n-2@b", Try: "t-2"}
)

// ends says what came of the call that is open, and gives what followed.
func (c *talk) ends(e sessions.CallEnded) string {
	c.t.Helper()
	open := c.state.Talk.Running.Open
	require.Len(c.t, open, 1)
	return words(c.decides(turns.Outcome{CallID: open[0].CallID, Ended: e, Programs: c.programs, At: noon, Try: mine}.Decide))
}

// decides folds what a decision gives, which is the same each time.
func (c *talk) decides(decide func(sessions.State) ([]event.Payload, error)) []event.Payload {
	c.t.Helper()
	got, err := decide(sessions.Sessions.State(c.past...))
	require.NoError(c.t, err)
	again, _ := decide(sessions.Sessions.State(c.past...))
	require.Equal(c.t, got, again)
	c.add(got...)
	return got
}

func (c *talk) wants(try string) []turns.Wanted {
	c.t.Helper()
	wanted, err := turns.WantedOf(c.state, c.programs, try)
	require.NoError(c.t, err)
	return wanted
}

func ok(result string) sessions.CallEnded {
	return sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(result), Status: 200, Tries: 1}
}

func failed(code string) sessions.CallEnded {
	return sessions.CallEnded{Outcome: sessions.CallFailed, Code: code}
}

// Given calls that nothing mocks, then the turn stands still at each of them, and goes on where
// it stood with what came of it.
func TestATurnGoesOnBehindEachCall(t *testing.T) {
	c := calling(t)
	got, err := c.turn(turns.Receive{Text: "Ann", Try: mine})
	require.NoError(t, err)
	require.Empty(t, words(got), "ON_START calls first")
	require.Equal(t, "ok  | Found 1. | Looking.", c.ends(ok(`{"n":1}`)))

	wanted := c.wants(mine.Try)
	require.Equal(t, map[string]any{"name": "Ann"}, wanted[0].Scope["args"])
	require.Equal(t, map[string]any{"id": wanted[0].CallID}, wanted[0].Scope["call"])
	require.True(t, wanted[0].Repeat, "it reads")
	require.Empty(t, c.wants(other.Try), "each call is one try's")

	require.Equal(t, "error TIMEOUT", c.ends(failed("TIMEOUT")))
	require.Equal(t, wanted[0].Key, c.wants(mine.Try)[0].Key, "RETRY has the key of the first")
	require.Equal(t, "ok  | Many, 6. | Paying.", c.ends(ok(`{"n":6}`)))
	require.False(t, c.wants(mine.Try)[0].Repeat, "a write")
	require.Equal(t, "error BROKE | Maybe paid.", c.ends(failed("BROKE")))
	require.Equal(t, "ok  | n is 7. | Next? | .", c.ends(ok(`null`)))
	require.Nil(t, c.state.Talk.Running)
	require.Equal(t, 2, c.state.Talk.Errors)
}

// What is masked on the log is whole in what is asked.
func TestArgumentsAreMaskedOnTheLogAlone(t *testing.T) {
	c := calling(t)
	got, err := c.turn(turns.Receive{Text: "Ann", Try: mine})
	require.NoError(t, err)
	opened := got[len(got)-1].(sessions.CallOpened)
	require.JSONEq(t, `"***"`, string(opened.Arguments["pin"]))
	require.Equal(t, map[string]any{"name": "start", "pin": "1234"}, c.wants(mine.Try)[0].Scope["args"])
}

func TestTheFirstOutcomeCounts(t *testing.T) {
	c := calling(t)
	_, err := c.turn(turns.Receive{Text: "Ann", Try: mine})
	require.NoError(t, err)
	first := c.state.Talk.Running.Open[0]
	c.ends(ok(`{"n":1}`))
	require.Empty(t, c.decides(turns.Outcome{CallID: first.CallID, Ended: ok(`{"n":9}`), Programs: c.programs, At: noon}.Decide))
}

// Given a turn that waits for a call, when the user says something else, then that has to wait.
func TestMessagesWaitForTheTurn(t *testing.T) {
	c := calling(t)
	_, err := c.turn(turns.Receive{Text: "Ann", Try: mine})
	require.NoError(t, err)
	_, err = c.turn(turns.Receive{Text: "Bob", Try: mine})
	require.True(t, turns.IsRunning(err))
}

// Given a try that is no more, then what reads is made again by another, and a write never: what
// came of it is not known, and ON_ERROR goes on without a RETRY.
func TestAnotherGoesOnInPlaceOfATryThatIsGone(t *testing.T) {
	c := calling(t)
	_, err := c.turn(turns.Receive{Text: "Ann", Try: mine})
	require.NoError(t, err)
	over := turns.TakeOver{From: mine.Try, Programs: c.programs, At: noon, Try: other}
	require.Len(t, c.decides(over.Decide), 1)
	require.Empty(t, c.decides(over.Decide), "which is another's now")
	require.Len(t, c.wants(other.Try), 1)
	c.ends(ok(`{"n":1}`))
	c.ends(ok(`{"n":6}`))
	require.Equal(t, "unknown UNKNOWN_OUTCOME | Maybe paid.", words(c.decides(turns.TakeOver{From: mine.Try, Programs: c.programs,
		At: noon, Try: other}.Decide)))
	require.Equal(t, "book", c.wants(other.Try)[0].CallOpened.Tool, "the turn went on")
	require.True(t, c.wants(other.Try)[0].Repeat, "it knows its key")
}

func TestAWriteOfUnknownOutcomeIsNotRepeated(t *testing.T) {
	c := with(t, agent("shop", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}}
FLOW: {START: pay, STEPS: {pay: {CALL: pay, ON_ERROR: {RETRY: 3, SAY: "Not known.", END: true}, SAY: Paying.}}}
`))
	_, err := c.turn(turns.Receive{Text: "x", Try: mine})
	require.NoError(t, err)
	require.Equal(t, "unknown UNKNOWN_OUTCOME | Not known. | .", c.ends(sessions.CallEnded{Outcome: sessions.CallUnknown,
		Code: "UNKNOWN_OUTCOME"}))
	require.Equal(t, sessions.Ended, c.state.Status)
}

func TestATurnThatTookTooLongFails(t *testing.T) {
	c := calling(t)
	_, err := c.turn(turns.Receive{Text: "Ann", Try: mine})
	require.NoError(t, err)
	late := turns.Outcome{CallID: c.state.Talk.Running.Open[0].CallID, Ended: ok(`{"n":1}`), Programs: c.programs,
		At: noon.Add(turns.TurnFor + time.Second), Try: mine}
	require.Equal(t, "ok  | .TURN_TIMEOUT", words(c.decides(late.Decide)))
}

// Given two calls that a model has wanted at once, when the one ends the turn, then nobody waits for the other any more.
func TestACallThatNobodyWaitsForIsCutOff(t *testing.T) {
	const helps = "GOAL: Help.\n"
	for name, c := range map[string]struct {
		changed string
		at      time.Duration
		want    string
	}{
		"the turn took too long": {"", turns.TurnFor + time.Second, "ok  | cancelled CANCELLED | .TURN_TIMEOUT"},
		"the tool is no more":    {helps, time.Second, "cancelled CANCELLED | cancelled CANCELLED | .UNKNOWN_TOOL"},
	} {
		t.Run(name, func(t *testing.T) {
			x := with(t, agent("a", helps+"TOOLS: {look: {KIND: http, URL: \"https://t.example.com/look\"}}\n"))
			x.hears("Hi")
			x.thinks("", `look {"n":1}`, `look {"n":2}`)
			require.Len(t, x.state.Talk.Running.Open, 2)
			if c.changed != "" {
				x.changed(agent("a", c.changed))
			}
			require.Equal(t, c.want, words(x.decides(turns.Outcome{CallID: x.state.Talk.Running.Open[0].CallID, Ended: ok("1"),
				Programs: x.programs, At: noon.Add(c.at), Try: mine}.Decide)))
		})
	}
}

// Given a message that a guardrail blocks, and an ON_START that calls, then it is blocked behind
// that as well.
func TestWhatIsBlockedStaysSoBehindACall(t *testing.T) {
	c := with(t, agent("shop", `
TOOLS: {find: {KIND: http, URL: "https://crm.example.com/"}}
GUARDRAILS: {rude: {ON: input, CHECK: 'text != "no"', ACTION: block, MESSAGE: "Not so."}}
ON_START: {CALL: find, SAY: Hello.}
FLOW: {START: a, STEPS: {a: {SAY: "You said {{ turn.text }}."}}}
`))
	_, err := c.turn(turns.Receive{Text: "no", Try: mine})
	require.NoError(t, err)
	require.Equal(t, "ok  | Hello. | Not so. | .", c.ends(ok(`null`)))
}

// Given a handoff to an agent who fails, then it comes back, and the events say why.
func TestAHandoffThatFailsSaysWhy(t *testing.T) {
	c := with(t, agent("front", "HANDOFF: [{TO: desk, WHEN: 'turn.text == \"in\"', ON_FAIL: {SAY: Nobody is there.}}]\n"+
		"FLOW: {START: a, STEPS: {a: {SAY: Yes.}}}\n"),
		agent("desk", "TOOLS: {look: {KIND: http, URL: \"https://a.example.com/\"}}\nFLOW: {START: a, STEPS: {a: {CALL: look, END: true}}}\n"))
	c.hears("Hi")
	c.hears("in")
	require.Equal(t, "error BROKE | Nobody is there. | .", c.ends(failed("BROKE")))
	back := eventsOf[sessions.HandedBack](c)
	require.Len(t, back, 1)
	require.Equal(t, []any{"desk", "front", "TOOL_FAILED"}, []any{back[0].From, back[0].To, back[0].Failed})
}
