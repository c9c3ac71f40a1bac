package turns_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

func TestAConstraintStandsAboveTheFlow(t *testing.T) {
	c := with(t, agent("rule", `
CONSTRAINTS:
  - {FORBID: 'turn.text == "stop"', ON_FAIL: {SAY: Stopped., END: true}}
FLOW: {START: a, STEPS: {a: {SAY: Go on.}}}
`))
	require.Equal(t, "Go on.", c.says("Hi"))
	require.Equal(t, "Stopped.", c.says("stop"))
	require.Equal(t, sessions.Ended, c.state.Status)
}

// Given a constraint that does not hold and whose ON_FAIL leads nowhere, then what it stands before does not happen, be it a
// call or the flow; CONTINUE, or a SET that mends it, lets it happen.
func TestAConstraintThatDoesNotHoldKeepsWhatItStandsBefore(t *testing.T) {
	const call, says = ", BEFORE: call:pay", ", ON_FAIL: {SAY: Log in."
	for name, c := range map[string]struct{ before, fails, want string }{
		"a call":               {call, says + "}", "Log in. | ."},
		"a call, and no words": {call, "", "."},
		"a call, all the same": {call, says + ", CONTINUE: true}", "Log in. | error UNAVAILABLE | .TOOL_FAILED"},
		"a call, mended":       {call, `, ON_FAIL: {SET: {session.known: "true"}}`, "error UNAVAILABLE | .TOOL_FAILED"},
		"the flow":             {"", says + "}", "Log in. | ."},
		"the flow, mended":     {"", says + `, SET: {session.known: "true"}}`, "Log in. | error UNAVAILABLE | .TOOL_FAILED"},
	} {
		t.Run(name, func(t *testing.T) {
			talk := with(t, agent("shop", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}}
CONSTRAINTS: [{REQUIRE: has(session.known)`+c.before+c.fails+`}]
FLOW: {START: pay, STEPS: {pay: {CALL: pay, NEXT: done}, done: {SAY: Paid.}}}
`))
			got, err := talk.turn(turns.Receive{Text: "Hi"})
			require.NoError(t, err)
			require.Equal(t, c.want, words(got))
		})
	}
}

// So it is with a call that a model wants: it is told.
func TestAModelIsToldOfAConstraintUnlessItIsMended(t *testing.T) {
	for fails, want := range map[string][]string{
		"{SAY: Log in.}":                 {`{"error":"NOT_ALLOWED","hint":"has(session.known)"}`},
		"{SAY: Log in., CONTINUE: true}": nil,
		`{SET: {session.known: "true"}}`: nil,
	} {
		c := with(t, agent("shop", `
GOAL: Sell.
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}}
CONSTRAINTS: [{REQUIRE: has(session.known), BEFORE: call:pay, ON_FAIL: `+fails+`}]
`))
		c.hears("Pay")
		c.thinks("", "pay {}")
		if want == nil {
			require.Len(t, c.state.Talk.Running.Open, 1, fails)
			continue
		}
		require.Equal(t, want, c.told(), fails)
	}
}

// Given a constraint before replies that does not hold, then nothing that the agent would say is said, whoever wrote it;
// what ON_FAIL says is, and where it leads the agent goes.
func TestAConstraintBeforeReplies(t *testing.T) {
	const before = "CONSTRAINTS: [{REQUIRE: has(session.known), BEFORE: reply"
	const steps = `}]
FLOW: {START: a, STEPS: {a: {SAY: Your balance is 7., NEXT: b}, b: {SAY: "Anything else?"}}}
`
	const away = `, ON_FAIL: {SET: {session.tries: "1.0"}, GOTO: free}}]
FLOW: {START: a, STEPS: {a: {SAY: Your balance is 7.}, free: {BRANCH: [{IF: has(session.tries), STOP: true}]}}}
`
	for name, c := range map[string]struct{ source, want string }{
		"said by nobody":    {before + steps, "."},
		"other words":       {before + ", ON_FAIL: {SAY: I may not say.}" + steps, "I may not say. | I may not say. | ."},
		"other words, once": {before + ", ON_FAIL: {SAY: I may not say., STOP: true}" + steps, "I may not say. | ."},
		"mended":            {before + `, ON_FAIL: {SET: {session.known: "true"}}` + steps, "Your balance is 7. | Anything else? | ."},
		"a warning":         {"CONSTRAINTS: [{WARN: '!has(session.known)', BEFORE: reply" + steps, "Your balance is 7. | Anything else? | ."},
		"all the same": {before + ", ON_FAIL: {SAY: Careful., CONTINUE: true}" + steps,
			"Careful. | Your balance is 7. | Careful. | Anything else? | ."},
		"elsewhere": {before + away, "."},
		"a question": {before + `}]
GATHER: {n: {TYPE: integer, PROMPT: "n?"}}
FLOW: {START: a, STEPS: {a: {GATHER: [n]}}}
`, "."},
		"what ends the work":         {"COMPLETE: [{WHEN: turn.number == 1, SAY: Bye.}]\n" + before + steps, "."},
		"what the agent begins with": {"ON_START: {SAY: Hello.}\n" + before + steps, "."},
	} {
		t.Run(name, func(t *testing.T) {
			talk := with(t, agent("bank", c.source))
			got, err := talk.turn(turns.Receive{Text: "Hi"})
			require.NoError(t, err)
			require.Equal(t, c.want, words(got))
		})
	}

	c := with(t, agent("bank", "GOAL: Help.\n"+before+", ON_FAIL: {SAY: I may not say.}}]\n"))
	c.hears("Hi")
	q, err := turns.QuestionsOf(c.state, c.programs, mine.Try)
	require.NoError(t, err)
	require.True(t, q[0].Held, "nobody reads it while it is said")
	require.Equal(t, "I may not say. | .", c.thinks("Your balance is 7."))
	require.Contains(t, c.noticed(), "constraint require")
	require.Equal(t, sessions.ForMessage, c.state.Talk.Waits.For)
}

// Given a step that is come to once too often, then ON_EXHAUSTED follows, else ON_ERROR, else the turn fails.
func TestAStepThatIsComeToTooOften(t *testing.T) {
	const enough = "On. | On. | Enough. | ."
	for beside, want := range map[string]string{"": "On. | On. | .MAX_VISITS", ", ON_ERROR: {SAY: Enough., END: true}": enough,
		", ON_ERROR: {SAY: No., END: true}, ON_EXHAUSTED: {SAY: Enough., END: true}": enough} {
		c := with(t, agent("loop", "FLOW: {START: a, STEPS: {a: {SAY: On., MAX_VISITS: 2, NEXT: b"+beside+"}, b: {NEXT: a}}}\n"))
		got, err := c.turn(turns.Receive{Text: "Hi"})
		require.NoError(t, err)
		require.Equal(t, want, words(got), beside)
	}
}

// Given a CHECK that does not hold and whose ON_FAIL leads nowhere, then the step goes no further, as with a constraint:
// it is done again with what comes. CONTINUE, or a SET that mends it, lets it go on.
func TestACheckThatDoesNotHoldKeepsTheStepFromGoingOn(t *testing.T) {
	const flow = `
FLOW:
  START: a
  STEPS:
    a: {SAY: Counting., CHECK: "session.turns >= (has(session.least) ? session.least : 2.0)"%s, NEXT: b}
    b: {SAY: Done.}
    other: {SAY: Elsewhere.}
`
	for fails, want := range map[string]string{
		"":                           "Counting. | .CHECK_FAILED",
		", ON_FAIL: {SAY: Too few.}": "Counting. | Too few. | .",
		", ON_FAIL: {SAY: Too few., NEXT: other}":    "Counting. | Too few. | Elsewhere. | .",
		", ON_FAIL: {SAY: Too few., CONTINUE: true}": "Counting. | Too few. | Done. | .",
		`, ON_FAIL: {SET: {session.least: '1.0'}}`:   "Counting. | Done. | .",
	} {
		c := with(t, agent("shop", fmt.Sprintf(flow, fails)))
		got, err := c.turn(turns.Receive{Text: "Hi"})
		require.NoError(t, err)
		require.Equal(t, want, words(got), fails)
	}
	c := with(t, agent("shop", fmt.Sprintf(flow, ", ON_FAIL: {SAY: Too few.}")))
	c.says("Hi")
	require.Equal(t, "Counting. | Done.", c.says("Now?"))

	c = with(t, agent("boss", `
DELEGATE: [{AGENT: shop}]
FLOW: {START: a, STEPS: {a: {DELEGATE: shop, ON_ERROR: {SAY: Not counted.}}}}
`), agent("shop", fmt.Sprintf(flow, ", ON_FAIL: {SAY: Too few.}")))
	require.Equal(t, "Not counted.", c.says("Hi"))
	require.Contains(t, c.noticed(), "limit DELEGATE_FAILED")
}

// Given a constraint that keeps back what the agent would say, then the conversation does not end without a word: the agent
// waits where END or COMPLETE stands behind it. What is said in its place may end it.
func TestWhatIsKeptBackDoesNotEndTheConversationInSilence(t *testing.T) {
	for name, c := range map[string]struct {
		rest  string
		ended bool
		want  string
	}{
		"END":         {"}]\nFLOW: {START: a, STEPS: {a: {SAY: Your balance is 7., END: true}}}", false, "."},
		"a later END": {"}]\nFLOW: {START: a, STEPS: {a: {SAY: Your balance is 7., NEXT: b}, b: {END: true}}}", false, "."},
		"COMPLETE":    {"}]\nCOMPLETE: [{WHEN: turn.number == 1, SAY: Bye.}]\nFLOW: {START: a, STEPS: {a: {NEXT: b}, b: {}}}", false, "."},
		"other words": {", ON_FAIL: {SAY: I may not say.}}]\nFLOW: {START: a, STEPS: {a: {SAY: Your balance is 7., END: true}}}", true,
			"I may not say. | ."},
		"words that are said all the same": {"}]\nFLOW: {START: a, STEPS: {a: {SAY: One moment., SET: {session.known: 'true'}, NEXT: b}," +
			" b: {SAY: Your balance is 7., END: true}}}", true, "Your balance is 7. | ."},
	} {
		t.Run(name, func(t *testing.T) {
			talk := with(t, agent("bank", "CONSTRAINTS: [{REQUIRE: has(session.known), BEFORE: reply"+c.rest+"\n"))
			got, err := talk.turn(turns.Receive{Text: "Hi"})
			require.NoError(t, err)
			require.Equal(t, c.want, words(got))
			require.Equal(t, c.ended, talk.state.Status == sessions.Ended)
		})
	}
}

// Given a choice whose END is not heard, as a constraint keeps what it says back, then the user may say something, and not only
// choose once more.
func TestWhatIsKeptBackOfAChoiceLeavesTheUserTheWord(t *testing.T) {
	c := with(t, agent("trip", `
CONSTRAINTS: [{REQUIRE: turn.number < 2, BEFORE: reply}]
FLOW: {START: a, STEPS: {a: {SAY: "Book it?", RICH: [{KIND: button, ID: b, LABEL: B}], ON_ACTION: {b: {SAY: Booked., END: true}}}}}
`))
	require.Equal(t, "Book it?", c.says("Hi"))
	require.Empty(t, c.chooses("b", nil))
	require.Equal(t, []any{sessions.Active, sessions.ForMessage}, []any{c.state.Status, c.state.Talk.Waits.For})
}
