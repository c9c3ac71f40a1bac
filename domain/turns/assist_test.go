package turns_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const helper = `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", CONFIRM: always}}
ESCALATE: [{QUEUE: desk, WHEN: session.angry == true}]
FLOW:
  START: a
  STEPS:
    a: {SAY: "Say hello.", NEXT: b}
    b: {GATHER: [what], NEXT: c}
    c: {CALL: pay, ON_ERROR: {SAY: Do not pay., CONTINUE: true}, NEXT: d}
    d: {SAY: A colleague takes over., ESCALATE: desk, NEXT: e}
    e: {SAY: Welcome back.}
GATHER: {what: {TYPE: string, PROMPT: "Ask what it is about."}}
`

// assisting is a session that assists people in a conversation.
func assisting(t *testing.T, source string) *talk {
	t.Helper()
	c := with(t, source)
	opened := c.past[0].(sessions.Opened)
	opened.Begun.Assists = "conv-1"
	c.past = nil
	c.add(opened)
	return c
}

// asked is what follows from a message of that conversation.
func (c *talk) asked(text string) []event.Payload {
	c.t.Helper()
	got, err := c.turn(turns.Receive{Text: text, Asked: true})
	require.NoError(c.t, err)
	return got
}

// A session that assists people takes what is said in their conversation, and nothing of others.
func TestAnAssistingSessionIsOfItsConversationAlone(t *testing.T) {
	c := assisting(t, agent("helper", helper))
	_, err := c.turn(turns.Receive{Text: "Hi"})
	require.True(t, fault.Is(err, fault.Conflict), err)
	require.Equal(t, "Say hello. | Ask what it is about.", uttered(c.asked("Hi")))
}

// Nobody is asked for a yes, and people have the conversation already: the turn ends, and no
// transfer is wanted.
func TestAnAssistingAgentGivesNothingToPeople(t *testing.T) {
	c := assisting(t, agent("helper", helper))
	c.asked("Hi")
	for range 2 {
		got := c.asked("A bill")
		require.Contains(t, uttered(got), "A colleague takes over.")
		require.Equal(t, []any{sessions.Continue, sessions.ForMessage}, []any{ended(got).Action, ended(got).Waits.For})
		require.Contains(t, c.noticed(), sessions.EscalationInVain+" desk")
		require.Nil(t, c.state.Talk.People)
	}
	require.Contains(t, uttered(c.past), "Do not pay.", "what is to be confirmed is not done")

	c = assisting(t, agent("helper", helper))
	opened := c.past[0].(sessions.Opened)
	opened.Begun.Variables = map[string]json.RawMessage{"angry": json.RawMessage("true")}
	require.Empty(t, uttered(c.asked("Grr")), "a rule gives it to people")
}

// Given people who have the conversation already, then a model that assists them has no tool that would give it to some.
func TestAnAssistingModelGivesNothingToPeople(t *testing.T) {
	c := assisting(t, agent("helper", "GOAL: Help.\nESCALATE: [{QUEUE: desk}]\n"))
	_, err := c.turn(turns.Receive{Text: "Hi", Asked: true, Try: mine})
	require.NoError(t, err)
	require.Empty(t, c.question().Tools)
	c.thinks("", "escalate_to_desk {}")
	require.Contains(t, c.told()[0], "UNKNOWN_TOOL")
}
