package turns_test

import (
	"encoding/json"
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
