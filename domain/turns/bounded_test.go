package turns_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// longTalk is a conversation of which only the state is kept.
type longTalk struct{ *talk }

// size is how many bytes the state has as JSON.
func (c longTalk) size() int {
	c.t.Helper()
	state, err := json.Marshal(c.state)
	require.NoError(c.t, err)
	return len(state)
}

func (c longTalk) decides(decide func(sessions.State) ([]event.Payload, error)) {
	c.t.Helper()
	got, err := decide(c.state)
	require.NoError(c.t, err)
	for _, p := range got {
		sessions.Sessions.Fold(&c.state, p)
	}
}

func (c longTalk) says(text string) {
	c.decides(turns.Receive{Text: text, Programs: c.programs, At: noon, Try: mine}.Decide)
}

// wants is a model's answer: a text, or a call.
func (c longTalk) wants(text, tool, arguments string) {
	a := &sessions.ModelAnswered{Text: text}
	if tool != "" {
		a.ToolCalls = []sessions.ModelCall{{Name: tool, Arguments: arguments}}
	}
	c.decides(turns.Outcome{CallID: c.state.Talk.Running.Left()[0], Answer: a, Programs: c.programs, At: noon, Try: mine}.Decide)
}

// Given a session that goes on and on, with whatever there is of which a turn can add one more, then its
// state is no larger after twice as many turns.
func TestTheStateOfALongSessionStaysSmall(t *testing.T) {
	for name, of := range map[string]struct {
		agents []string
		turn   func(c longTalk, n int)
	}{
		"long texts, and what is not understood": {[]string{agent("a", `
GATHER: {n: {TYPE: integer, PROMPT: "N?", MAX_RETRIES: 3}}
FLOW: {START: s, STEPS: {s: {GATHER: [n], SET: {session.n: gather.n, gather.n: "null"}, ON_EXHAUSTED: {SAY: No., STOP: true}, NEXT: s}}}
`)}, func(c longTalk, n int) { c.says(strings.Repeat("x", 10_000)); c.says(fmt.Sprint(n)) }},
		"handoffs to and fro, that all return": {[]string{
			agent("a", "HANDOFF: [{TO: b, WHEN: 'turn.text == \"b\"', RETURN: true}]\nFLOW: {START: s, STEPS: {s: {SAY: A.}}}\n"),
			agent("b", "HANDOFF: [{TO: a, WHEN: 'turn.text == \"a\"', RETURN: true}]\nFLOW: {START: s, STEPS: {s: {SAY: B.}}}\n"),
		}, func(c longTalk, _ int) { c.says("b"); c.says("a") }},
		"writes of a model of which nobody knows": {[]string{agent("a", `
GOAL: Write.
TOOLS: {write: {KIND: http, METHOD: POST, URL: "https://t.example.com/"}}
`)}, func(c longTalk, n int) {
			c.says("write")
			c.wants("", "write", fmt.Sprintf(`{"n":%d}`, n))
			c.decides(turns.Outcome{CallID: c.state.Talk.Running.Left()[0], Programs: c.programs, At: noon, Try: mine,
				Ended: sessions.CallEnded{Outcome: sessions.CallUnknown, Code: sessions.CodeUnknown}}.Decide)
			c.wants("Perhaps.", "", "")
		}},
		"whatever a model remembers": {[]string{agent("a", `
GOAL: Remember.
FLOW: {START: s, STEPS: {s: {MODE: model, GOAL: Note., MAX_TURNS: 20, EXIT_WHEN: size(session) > 1000}}}
`)}, func(c longTalk, n int) {
			c.says("note")
			c.wants("", "remember", fmt.Sprintf(`{"session":{"v%d":%q}}`, n, strings.Repeat("v", 20)))
			c.wants("Noted.", "", "")
		}},
		"people who come and go": {[]string{agent("a", `
ESCALATE: [{WHEN: 'turn.text == "p"', QUEUE: desk}]
FLOW: {START: s, STEPS: {s: {SAY: Yes.}}}
`)}, func(c longTalk, n int) {
			c.says("p")
			p := *c.state.Talk.People
			c.decides(sessions.Take{TransferID: p.TransferID, ConversationID: p.ConversationID, HumanAgentID: "a-1", Turn: n + 1,
				At: noon}.Decide)
			c.decides(turns.GiveBack{TransferID: p.TransferID, Turn: n + 1, Taken: true, Programs: c.programs, At: noon, Try: mine}.Decide)
			c.says("x")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			const many = 220
			c := longTalk{with(t, of.agents...)}
			for n := range many {
				of.turn(c, n)
			}
			before := c.size()
			for n := range many {
				of.turn(c, many+n)
			}
			require.Less(t, c.size(), before+before/20, "it had %d bytes", before)
		})
	}
}
