package turns_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const shop = `
TOOLS:
  find: {KIND: http, URL: "https://crm.example.com/find", MASK: [pin], RETRY: {MAX: 1, BACKOFF: 1s}, TIMEOUT: 4s,
    PARAMS: {type: object, required: [name], properties: {name: {type: string, minLength: 2}, pin: {type: string}}},
    RESULT: {type: object, required: [n], properties: {n: {type: integer}}}}
  pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}
  book: {KIND: http, METHOD: POST, IDEMPOTENT: true, URL: "https://pay.example.com/book"}
CONSTRAINTS: [{REQUIRE: 'turn.text != "nobody"', BEFORE: call:find, ON_FAIL: {SAY: "Who?", STOP: true}}]
ON_START: {CALL: find, WITH: {name: '"start"', pin: '"1234"'}, SAY: "Found {{ result.n }}."}
FLOW:
  START: ask
  STEPS:
    ask: {CALL: find, WITH: {name: turn.text}, AS: session.found, SAY: Looking., SET: {session.n: result.n + 1},
      ON_ERROR: {RETRY: 1, SAY: Not found., GOTO: rest}, BRANCH: [{IF: result.n > 5, SAY: "Many, {{ result.n }}.", GOTO: pay}], NEXT: rest}
    pay: {CALL: pay, ON_ERROR: {SAY: Maybe paid., CONTINUE: true}, SAY: Paying., NEXT: book}
    book: {CALL: book, NEXT: rest}
    rest: {SAY: "n is {{ has(session.n) ? session.n : 0.0 }}.", NEXT: wait}
    wait: {SAY: "Next?", BRANCH: [{IF: 'turn.text == "again"', GOTO: ask}]}
`

// calling is a conversation with the shop, whose tools mocks answer for.
func calling(t *testing.T) *talk {
	t.Helper()
	program, problems := dsl.Compile("shop", agent("shop", shop))
	require.Empty(t, problems)
	c := &talk{t: t, programs: turns.Programs{"shop": program}}
	c.add(sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "bot", Channel: "api", AgentName: "shop",
		Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"shop": {Hash: "x"}}}, At: noon})
	return c
}

func words(all []event.Payload) string {
	var out []string
	for _, p := range all {
		switch e := p.(type) {
		case sessions.Said:
			out = append(out, e.Text)
		case sessions.CallEnded:
			out = append(out, string(e.Outcome)+" "+e.Code)
		case sessions.TurnEnded:
			out = append(out, "."+e.Failed)
		}
	}
	return strings.Join(out, " | ")
}

func TestMocksAnswerInTheSameCommit(t *testing.T) {
	c := calling(t)
	mocks := []sessions.Mock{{Tool: "find", When: `args.name == "start"`, Result: json.RawMessage(`{"n":1}`)},
		{Tool: "find", Result: json.RawMessage(`{"n":2}`), DelayMs: 5_000, Times: 1}, {Tool: "find", Error: "AWAY", Times: 1},
		{Tool: "find", Result: json.RawMessage(`{"n":6}`)}, {Tool: "pay", Error: "BROKE"}, {Tool: "book"}}
	got, err := c.turn(turns.Receive{Text: "Ann", Mocks: mocks})
	require.NoError(t, err)
	require.Equal(t, "ok  | Found 1. | Looking. | error TIMEOUT | error AWAY | Not found. | n is 0. | Next? | .", words(got))
	i := slices.IndexFunc(got, func(p event.Payload) bool { _, is := p.(sessions.CallOpened); return is })
	require.JSONEq(t, `"***"`, string(got[i].(sessions.CallOpened).Arguments["pin"]), "MASK")
	got, err = c.turn(turns.Receive{Text: "nobody", Mocks: mocks})
	require.NoError(t, err)
	require.Equal(t, "Next? | .", words(got))
	require.Equal(t, 2, c.state.Talk.Errors)
	require.Nil(t, c.state.Talk.Running)
}

func TestACallThatFailsIsOnErrorsAffair(t *testing.T) {
	for text, want := range map[string]string{
		"Ann":    "ok  | Found 6. | Looking. | ok  | Many, 6. | Paying. | error BROKE | Maybe paid. | ok  | n is 7. | Next? | .",
		"x":      "ok  | Found 6. | Looking. | error ARGUMENTS | error ARGUMENTS | Not found. | n is 0. | Next? | .",
		"nobody": "Who? | .",
	} {
		c := calling(t)
		got, err := c.turn(turns.Receive{Text: text, Mocks: []sessions.Mock{{Tool: "find", Result: json.RawMessage(`{"n": 6}`)},
			{Tool: "pay", Error: "BROKE"}, {Tool: "book"}}})
		require.NoError(t, err)
		require.Equal(t, want, words(got))
	}
	c := calling(t)
	got, err := c.turn(turns.Receive{Text: "Ann", Mocks: []sessions.Mock{{Tool: "find", Result: json.RawMessage(`{"n":"x"}`)}}})
	require.NoError(t, err)
	require.Contains(t, words(got), "error RESULT_MISMATCH | Found . | Looking. | error RESULT_MISMATCH | error RESULT_MISMATCH | Not found.")
}

func TestMocksThatAreRefused(t *testing.T) {
	c := calling(t)
	for field, mock := range map[string]sessions.Mock{"tool": {Tool: "none"}, "when": {Tool: "find", When: "args.name =="}} {
		_, err := turns.Receive{Text: "x", Programs: c.programs, Mocks: []sessions.Mock{mock}}.Decide(c.state)
		require.ErrorContains(t, err, "toolMocks[0]."+field)
	}
}

// Given a step whose ON_ERROR only tries again, then it has failed where that was of no use, as one without ON_ERROR: it does
// not go on as if it had been done.
func TestRetryAloneLeadsNowhere(t *testing.T) {
	failing := func(then string) string {
		return agent("shop", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}}
FLOW: {START: pay, STEPS: {pay: {CALL: pay, ON_ERROR: {`+then+`}, NEXT: done}, done: {SAY: Paid.}}}
`)
	}
	for then, want := range map[string]string{
		"RETRY: 1":                "error UNAVAILABLE | error UNAVAILABLE | .TOOL_FAILED",
		"RETRY: 1, SAY: Not now.": "error UNAVAILABLE | error UNAVAILABLE | Not now. | Paid. | .",
	} {
		got, err := with(t, failing(then)).turn(turns.Receive{Text: "Hi"})
		require.NoError(t, err)
		require.Equal(t, want, words(got), then)
	}

	c := with(t, agent("boss", `
DELEGATE: [{AGENT: shop}]
FLOW: {START: a, STEPS: {a: {DELEGATE: shop, ON_ERROR: {RETRY: 1}, NEXT: b}, b: {SAY: Done.}}}
`), failing("RETRY: 1"))
	got, err := c.turn(turns.Receive{Text: "Hi"})
	require.NoError(t, err)
	require.Contains(t, words(got), ".DELEGATE_FAILED")
	require.NotContains(t, words(got), "Done.")
}

// Given ON_ERROR with RETRY, when a tool fails each time, then it is called once and so many times more.
func TestACallIsTriedAgainSoOftenAsItSays(t *testing.T) {
	c := with(t, agent("shop", `
TOOLS: {find: {KIND: http, URL: "https://crm.example.com/find"}}
FLOW: {START: ask, STEPS: {ask: {CALL: find, ON_ERROR: {RETRY: 2, SAY: Not found., END: true}, END: true}}}
`))
	c.hears("Hi")
	require.Equal(t, "error BROKE", c.ends(failed("BROKE")))
	require.Equal(t, "error BROKE", c.ends(failed("BROKE")))
	require.Equal(t, "error BROKE | Not found. | .", c.ends(failed("BROKE")))
}
