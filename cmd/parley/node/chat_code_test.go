//go:build !apache

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
    TIMEOUT: 30s
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
	t.Parallel()
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

const countingAgent = `DSL: 1
AGENT: counter
MEMORY:
  notes: {SCOPE: session, SCHEMA: {type: object, properties: {n: {type: integer}}}}
  rates: {SCOPE: project, ACCESS: read}
  profile: {SCOPE: contact}
  other: {SCOPE: session}
TOOLS:
  visit:
    KIND: code
    STORES: [notes, rates, profile]
    TIMEOUT: 30s
    SOURCE: |
      const said = async (what) => what().then(v => JSON.stringify(v), e => e.name + " " + e.code + (e.field ? " of " + e.field : ""))
      const {content, version} = await memory.get("notes")
      const n = (content.n ?? 0) + 1
      await memory.set("notes", {n}, version)
      return { n, version, said: [
        await said(() => memory.set("notes", {n: 100}, version)),
        await said(() => memory.set("notes", {n: "many"})),
        await said(() => memory.set("notes", {n, note: "x".repeat(270000)})),
        await said(() => memory.set("notes")),
        await said(() => memory.set("rates", {})),
        await said(() => memory.get("rates")),
        await said(() => memory.get("profile")),
        await said(() => memory.get("other")),
        await said(() => memory.delete("notes", 0)),
      ].join("; ") }
  forget: {KIND: code, STORES: [notes], TIMEOUT: 30s, SOURCE: 'return memory.delete("notes")'}
  fail: {KIND: code, STORES: [notes], TIMEOUT: 30s, SOURCE: 'return memory.set("notes", {n: 1}, 99)'}
GATHER: {what: {TYPE: string, PROMPT: "What?"}}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [what], BRANCH: [{IF: gather.what == "forget", GOTO: forget}, {IF: gather.what == "fail", GOTO: fail}], NEXT: visit}
    visit: {CALL: visit, AS: session.did, NEXT: visited}
    visited: {SAY: "{{ session.did.n }}, {{ memory.notes.n }}: {{ session.did.said }}", NEXT: again}
    forget: {CALL: forget, NEXT: forgot}
    forgot: {SAY: "{{ has(memory.notes.n) ? 'still there' : 'nothing' }}", NEXT: again}
    fail: {CALL: fail, NEXT: again, ON_ERROR: {SAY: "No.", CONTINUE: true}}
    again: {SET: {gather.what: "null"}, NEXT: ask}
`

// Given code with stores, then it reads and writes them by the rules of the operation, each refusal
// is one that it can catch, and the agent knows what it left there.
func TestCodeUsesTheMemoryOfItsAgent(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	w.apply(t, "Agent", "a-counter", "counter", fields{"projectId": mainApp, "dslContent": countingAgent})
	session := w.begin(t, "counter")
	require.Equal(t, "What?", w.say(t, session, "Hello").Response)
	refused := "MemoryError CONFLICT; MemoryError VALIDATION_ERROR of content; MemoryError PAYLOAD_TOO_LARGE; " +
		"MemoryError VALIDATION_ERROR of content; " +
		`MemoryError FORBIDDEN; {"content":{},"version":0}; MemoryError CONFLICT; MemoryError FORBIDDEN; MemoryError CONFLICT`
	require.Equal(t, "1, 1: "+refused+"\nWhat?", w.say(t, session, "visit").Response)
	require.Equal(t, "2, 2: "+refused+"\nWhat?", w.say(t, session, "visit").Response)
	code := w.code(t, of(session))
	w.use(t, code, "get", "notes", nil).is(t, `{"success":true,"data":{"n":2},"version":2}`)
	require.Equal(t, "nothing\nWhat?", w.say(t, session, "forget").Response)
	failed := w.say(t, session, "fail")
	require.Equal(t, "No.\nWhat?", failed.Response)
	for _, e := range failed.TraceEvents {
		if e.Type == "tool_call" {
			require.Equal(t, []any{"CODE_ERROR", "MemoryError: CONFLICT: the store has version 3, not 99: read it again"},
				[]any{e.Data["code"], e.Data["problem"]})
		}
	}
}
