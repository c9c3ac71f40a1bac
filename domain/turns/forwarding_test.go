package turns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const elsewhere = `
DESCRIPTION: Finds flights.
GATHER: {to: {TYPE: string, REQUIRED: false}}
REMOTE: {URL: "https://flights.example.com/a2a"}
`

// Given an agent that is elsewhere, when the conversation comes to it, then it is told what was said before, without the message
// itself; a delegate that is elsewhere is told all that it was given, and nothing of the conversation.
func TestWhatAnAgentThatIsElsewhereIsTold(t *testing.T) {
	c := with(t, agent("front", `
HANDOFF: [{TO: desk, WHEN: 'turn.text == "fly"'}]
FLOW: {START: a, STEPS: {a: {SAY: "Yes?"}}}
`), agent("desk", elsewhere))
	c.hears("Hi")
	c.hears("fly")
	w := c.wants(mine.Try)
	require.Len(t, w, 1)
	require.Equal(t, turns.Forwarding{Hops: 1, History: []sessions.Forwarded{{Text: "Hi"}, {Agent: "front", Text: "Yes?"}}}, w[0].Tells)

	c = with(t, agent("front", `
DELEGATE: [{AGENT: desk, INPUT: {to: '"Oslo"', seats: '2'}}]
FLOW: {START: a, STEPS: {a: {DELEGATE: desk}}}
`), agent("desk", elsewhere))
	c.hears("Hi")
	w = c.wants(mine.Try)
	require.Len(t, w, 1)
	require.Equal(t, turns.Forwarding{Hops: 1, Data: map[string]any{"to": "Oslo", "seats": int64(2)}}, w[0].Tells)
}

// Given a message that agents have passed on, when one of others is told it, then that counts as one hop more.
func TestWhoPassesAMessageOnCountsIt(t *testing.T) {
	front := agent("front", "HANDOFF: [{TO: desk, WHEN: 'true'}]\nFLOW: {START: a, STEPS: {a: {SAY: Hi}}}\n")
	for metadata, want := range map[string]int{`{}`: 1, `{"agentHops":3}`: 4, `{"agentHops":"3"}`: 1, `{"agentHops":-3}`: 1,
		`{"agentHops":1e9}`: 9} {
		c := with(t, front, agent("desk", elsewhere))
		c.answer(turns.Receive{Text: "fly", Metadata: []byte(metadata), Try: mine})
		require.Equal(t, want, c.wants(mine.Try)[0].Tells.Hops, metadata)
	}
}
