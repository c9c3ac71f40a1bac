package turns_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const counter = `
GATHER: {n: {TYPE: number}}
FLOW: {START: a, STEPS: {a: {GATHER: [n], NEXT: b}, b: {SAY: "{{ gather.n }}"}}}
`

// Given no source of the agent who is at it, then a message is refused, whatever comes with it.
func TestAMessageToAnAgentWhoWasNotGivenIsRefused(t *testing.T) {
	state := with(t, agent("counter", counter)).state
	for label, in := range map[string]turns.Receive{
		"text":            {Text: "hi"},
		"slots of a test": {Text: "hi", Slots: map[string]json.RawMessage{"n": json.RawMessage(`7`)}},
	} {
		in.At = noon
		got, err := in.Decide(state)
		require.Empty(t, got, label)
		require.True(t, fault.Is(err, fault.Internal), "%s: %v", label, err)
		require.ErrorContains(t, err, `"counter" was not given`, label)
	}
	state.Talk.People = &sessions.People{TransferID: "t-1"}
	_, err := turns.Receive{Text: "hi", At: noon}.Decide(state)
	require.ErrorContains(t, err, `"counter" was not given`, "a message for people is judged by its guardrails")
}

// The values that a test brings are taken as the agent takes them, and stay the test's as they were: they may be played
// again to another version.
func TestTheValuesOfATestStayAsTheyWere(t *testing.T) {
	given := map[string]json.RawMessage{"n": json.RawMessage(`"7"`)}
	c := with(t, agent("counter", counter))
	got, err := c.turn(turns.Receive{Text: "hi", Slots: given})
	require.NoError(t, err)
	require.JSONEq(t, `7`, string(got[0].(sessions.MessageReceived).Brought.Slots["n"]))
	require.Equal(t, map[string]json.RawMessage{"n": json.RawMessage(`"7"`)}, given)
}

// A test that wants no ON_START has none of it, and so has no later message.
func TestATestGoesWithoutTheBeginning(t *testing.T) {
	const source = "ON_START: {SAY: Good day.}\nFLOW: {START: a, STEPS: {a: {SAY: \"What is it?\"}}}\n"
	c := with(t, agent("desk", source))
	require.Equal(t, "Good day. | What is it?", c.answer(turns.Receive{Text: "Hi"}))

	c = with(t, agent("desk", source))
	require.Equal(t, "What is it?", c.answer(turns.Receive{Text: "Hi", SkipOnStart: true}))
	require.NotContains(t, c.says("Well?"), "Good day.")
}

// A delegate is given nothing that is larger than a value may be, and told nothing that is blank.
func TestADelegateIsGivenWhatAValueMayBe(t *testing.T) {
	c := with(t, agent("boss", "GOAL: Help.\nDELEGATE: [{ID: price, AGENT: clerk, PURPOSE: Tell the price., INPUT: {what: '\"a\"'}}]\n"),
		agent("clerk", "GOAL: Reckon.\n"))
	c.hears("What is it?")
	c.thinks("", `delegate_to_price {"task":"  ","what":"`+strings.Repeat("x", 17<<10)+`"}`)
	require.JSONEq(t, `{"error":"ARGUMENTS","hint":"this was not done"}`, c.told()[0])

	c = with(t, agent("boss", "GOAL: Help.\nDELEGATE: [{ID: price, AGENT: clerk, PURPOSE: Tell the price.}]\n"),
		agent("clerk", "GOAL: Reckon.\n"))
	c.hears("What is it?")
	c.thinks("", `delegate_to_price {"task":"  "}`)
	require.Equal(t, "Tell the price.", c.questions()[0].Request.Messages[1].Text)
}
