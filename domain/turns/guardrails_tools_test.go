package turns_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// guarding is an agent that tells a tool what the user says, and says what that answers.
func guarding(rails string) string {
	return agent("shop", `
TOOLS: {tell: {KIND: http, URL: "https://o.example.com/", PARAMS: {type: object, properties: {text: {type: string}, n: {}}}}}
GUARDRAILS:
`+rails+`
FLOW:
  START: a
  STEPS: {a: {CALL: tell, WITH: {text: turn.text, n: '[4111111111111111, 7]'}, AS: session.got, ON_ERROR: {SAY: No., STOP: true}, NEXT: b},
    b: {SAY: "{{ session.got.text }} {{ session.got.n }}"}}
`)
}

// Given a guardrail of what goes to tools, then what it takes out is in no request and on no log, and
// what it blocks is not asked.
func TestWhatGoesToAToolIsGuarded(t *testing.T) {
	c := with(t, guarding(`  cards: {ON: tool_input, CHECK: '!matches(text, "[0-9]{13,16}")', ACTION: redact}`))
	c.hears("my card is 4111111111111112, mind")
	require.Equal(t, map[string]any{"text": "my card is [redacted], mind", "n": []any{"[redacted]", int64(7)}},
		c.wants(mine.Try)[0].Scope["args"])
	opened := c.state.Talk.Running.Open[0]
	for _, p := range c.past {
		if e, is := p.(sessions.CallOpened); is {
			require.NotContains(t, string(e.Arguments["text"]), "4111")
		}
	}
	require.Equal(t, []string{"guardrail cards"}, c.noticed())
	require.Equal(t, "ok  | x 1 | .", c.ends(ok(`{"text":"x","n":1}`)))
	require.Equal(t, "tell", opened.Tool)

	c = with(t, guarding(`  rude: {ON: tool_input, CHECK: '!text.contains("damn")', ACTION: block}`))
	require.Equal(t, "error GUARDRAIL | No. | .", c.hears("damn"))
	require.Empty(t, c.hears("fine"))
}

// The same of what comes from tools: nobody sees what is taken out, or the call has failed.
func TestWhatComesFromAToolIsGuarded(t *testing.T) {
	keys := guarding(`  keys: {ON: tool_output, CHECK: '!text.contains("sk-")', ACTION: redact, PATTERN: "sk-[a-z]+"}`)
	c := with(t, keys)
	c.hears("x")
	require.Equal(t, "ok  | key [redacted]. [redacted] | .", c.ends(ok(`{"text":"key sk-abc.","n":"sk-def","more":["a",{"b":"sk-x"}]}`)))
	require.NotContains(t, fmt.Sprint(c.past), "sk-")
	c = with(t, keys)
	c.hears("x")
	require.Equal(t, "error GUARDRAIL | No. | .", c.ends(ok(`{"sk-abc":1}`)), "what cannot be taken out is kept back")

	c = with(t, guarding(`  keys: {ON: tool_output, CHECK: '!text.contains("sk-")', ACTION: block}`))
	require.Equal(t, "No.", c.answer(turns.Receive{Text: "x", Mocks: []sessions.Mock{{Tool: "tell", Result: []byte(`{"text":"sk-a"}`)}}}))

	c = with(t, guarding(`  keys: {ON: tool_output, CHECK: '!text.contains("sk-")', ACTION: warn}`))
	c.hears("x")
	require.Equal(t, "ok  | sk-a 1 | .", c.ends(ok(`{"text":"sk-a","n":1}`)))
	require.Equal(t, []string{"guardrail keys"}, c.noticed())
}
