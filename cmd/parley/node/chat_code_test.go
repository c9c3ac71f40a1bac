package node_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const codingAgent = `DSL: 1
AGENT: clerk
TOOLS:
  total:
    KIND: code
    LANG: js
    SOURCE: |
      if (args.nights > 28) throw new Error("nobody stays for " + args.nights + " nights")
      return { eur: args.flight + args.nights * args.rate }
    TIMEOUT: 5s
    PARAMS: {type: object, required: [nights], properties: {nights: {type: number}, flight: {type: number}, rate: {type: number}}}
    RESULT: {type: object, required: [eur], properties: {eur: {type: number}}}
  spin: {KIND: code, SOURCE: "for (;;);", TIMEOUT: 100ms}
GATHER: {nights: {TYPE: integer, PROMPT: "How many nights?"}}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [nights], NEXT: price, BRANCH: [{IF: gather.nights == 0, GOTO: spin}]}
    price: {CALL: total, WITH: {flight: 300, nights: gather.nights, rate: 80.5}, AS: session.sum, NEXT: told,
      ON_ERROR: {SAY: "That cannot be.", STOP: true}}
    told: {SAY: "It is {{ session.sum.eur }} euro.", END: true}
    spin: {CALL: spin, ON_ERROR: {SAY: "That takes too long.", END: true}}
`

// Given an agent with a tool whose code stands in its source, then the code is run; what it
// throws, and that it does not end, is a failure of the call.
func TestAnAgentRunsTheCodeOfItsTools(t *testing.T) {
	w := newTalkWorld(t)
	w.apply(t, "Agent", "a-clerk", "clerk", fields{"projectId": mainApp, "dslContent": codingAgent})
	talk := func(nights string) (string, map[string]any) {
		id := w.begin(t, "clerk")
		w.say(t, id, "Hello")
		out := w.say(t, id, nights)
		for _, e := range out.TraceEvents {
			if e.Type == "tool_call" {
				return out.Response, e.Data
			}
		}
		return out.Response, nil
	}
	says, call := talk("2")
	require.Equal(t, "It is 461 euro.", says)
	require.Equal(t, []any{"total", "ok", ""}, []any{call["tool"], call["outcome"], call["code"]})
	require.NotContains(t, call, "problem")

	says, call = talk("29")
	require.Equal(t, "That cannot be.", says)
	require.Equal(t, []any{"error", "CODE_ERROR", "Error: nobody stays for 29 nights"}, []any{call["outcome"], call["code"], call["problem"]})

	says, call = talk("0")
	require.Equal(t, "That takes too long.", says)
	require.Equal(t, []any{"spin", "error", "TIMEOUT"}, []any{call["tool"], call["outcome"], call["code"]})
	w.ask(t, "GET", "/readyz", nil).must(t, http.StatusOK)
}
