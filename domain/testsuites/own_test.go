package testsuites_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/testsuites"
)

// A test of a source has all that a case of a suite may have, member by member.
func TestATestOfASourceIsAWholeCase(t *testing.T) {
	on := stage(t, `DSL: 1
AGENT: meter
TOOLS: {submit: {KIND: http, URL: "https://api.example.com/x", PARAMS: {type: object, properties: {value: {type: integer}}}}}
GATHER: {kind: {TYPE: string, PROMPT: "Gas or water?"}}
FLOW: {START: which, STEPS: {which: {GATHER: [kind], NEXT: save}, save: {CALL: submit, WITH: {value: 7}}}}
TESTS:
  - NAME: whole
    CONTEXT:
      skipOnStart: true
      startAtStep: which
      gatherValues: {kind: gas}
      sessionVariables: {vip: true}
      callerContext: {userId: u-1}
      toolMocks: [{tool: submit, when: "args.value > 1", result: {ok: true}, delayMs: 5, times: 1}, {tool: submit, error: DOWN}]
    TURNS:
      - {USER: hello, EXPECT: {SAY: "Hi.", CONTAINS: [Hi], ACTION: continue, STEP: which, AGENT: meter, MODEL_CALLS: 0,
          GATHERED: {kind: gas}, SESSION: {vip: true}, TOOLS: [submit]}}
      - {ACTION: book, VALUE: 7}
`)
	raw := func(name, value string) map[string]json.RawMessage {
		return map[string]json.RawMessage{name: json.RawMessage(value)}
	}
	hi, none := "Hi.", 0
	require.Equal(t, []testsuites.Case{{Name: "whole",
		Context: testsuites.Context{SkipOnStart: true, StartAtStep: "which", GatherValues: gas, SessionVariables: raw("vip", "true"),
			CallerContext: raw("userId", `"u-1"`), ToolMocks: []testsuites.Mock{
				{Tool: "submit", When: "args.value > 1", Result: json.RawMessage(`{"ok":true}`), DelayMs: 5, Times: 1},
				{Tool: "submit", Error: "DOWN"}}},
		Turns: []testsuites.Turn{{User: "hello", Expect: &testsuites.Expect{Say: &hi, Contains: []string{"Hi"}, Action: "continue",
			Step: "which", Agent: "meter", ModelCalls: &none, Gathered: gas, Session: raw("vip", "true"),
			Tools: []string{"submit"}}}, {Action: "book", Value: json.RawMessage("7")}}}}, testsuites.Own(on.Programs["meter"]))
}
