package turns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const paying = `
TOOLS:
  pay: {KIND: callback, METHOD: POST, URL: "https://pay.example.com/charges", BODY: {notify: "{{ callback.url }}"}, EXPIRES: 30m,
    ON_TIMEOUT: {SAY: Too late., GOTO: bye}, RESULT: {type: object, required: [state]}}
FLOW:
  START: pay
  STEPS:
    pay: {CALL: pay, SAY: Paying., AS: session.paid, ON_ERROR: {SAY: Not paid., END: true}, NEXT: done}
    done: {SAY: "It is {{ session.paid.state }}."}
    bye: {SAY: Good bye.}
`

// suspended is a conversation that waits for the answer of the payment.
func suspended(t *testing.T) *talk {
	t.Helper()
	c := with(t, agent("shop", paying))
	_, err := c.turn(turns.Receive{Text: "x", Try: mine})
	require.NoError(t, err)
	got := c.decides(turns.Suspend{CallID: c.state.Talk.Running.Open[0].CallID, Programs: c.programs, At: noon}.Decide)
	sent := got[0].(sessions.CallSent)
	require.Equal(t, noon.Add(30*time.Minute), sent.ExpiresAt)
	require.Equal(t, c.state.Talk.Figures, *sent.Figures, "as they are behind it")
	return c
}

func answer(result string) sessions.CallEnded {
	e := ok(result)
	e.Later = true
	return e
}

func TestAnAnswerThatComesLaterGoesOnWithTheTurn(t *testing.T) {
	c := suspended(t)
	_, err := c.turn(turns.Receive{Text: "Are you there?"})
	require.True(t, fault.Is(err, fault.TurnSuspended))
	require.Empty(t, c.wants(mine.Try), "nobody makes it again")
	require.Equal(t, "ok  | It is paid. | .", c.ends(answer(`{"state":"paid"}`)))
	require.Equal(t, "It is paid.", c.says("And now?"))
}

// Given whole numbers that have more digits than a number with a point, as ids have, then an answer's come into session
// variables as they are, also by SET and into texts and conditions. Others calculate as they did.
func TestWholeNumbersKeepTheirDigits(t *testing.T) {
	c := with(t, agent("shop", `
TOOLS:
  find: {KIND: http, METHOD: GET, URL: "https://pay.example.com/", EFFECT: read}
FLOW:
  START: find
  STEPS:
    find: {CALL: find, AS: session.found, SET: {session.key: result.id, session.all: result, session.half: result.n / 2.0}, NEXT: done}
    done: {SAY: "{{ session.key }} {{ session.all.id == 9007199254740993 }} {{ session.half }}", SET: {session.again: session.all.list}}
`))
	_, err := c.turn(turns.Receive{Text: "x", Try: mine})
	require.NoError(t, err)
	require.Equal(t, "ok  | 9007199254740993 true 1.5 | .", c.ends(ok(`{"id":9007199254740993,"list":[-1234567890123456789],"n":3}`)))
	vars := c.state.Talk.Vars
	require.Equal(t, []string{"9007199254740993", `[-1234567890123456789]`, "1.5"},
		[]string{string(vars["key"]), string(vars["again"]), string(vars["half"])})
	require.Contains(t, string(vars["all"]), "9007199254740993")
	require.Contains(t, string(vars["found"]), "9007199254740993")
}

func TestAnAnswerThatDoesNotFitIsAFailure(t *testing.T) {
	require.Equal(t, "unknown RESULT_MISMATCH | Not paid. | .", suspended(t).ends(answer(`[]`)))
}

func TestAnAnswerThatNeverComes(t *testing.T) {
	require.Equal(t, "unknown CALLBACK_EXPIRED | Too late. | Good bye. | .", suspended(t).ends(turns.TooLate()))
}

// Given a model that wanted the call, when its answer never comes, then ON_TIMEOUT follows, and the user is heard; the model is
// told where there is none, or CONTINUE.
func TestAnAnswerThatNeverComesToAModel(t *testing.T) {
	for then, want := range map[string]string{"": "unknown CALLBACK_EXPIRED",
		", ON_TIMEOUT: {SAY: Too late.}":                 "unknown CALLBACK_EXPIRED | Too late. | .",
		", ON_TIMEOUT: {SAY: Too late., CONTINUE: true}": "unknown CALLBACK_EXPIRED | Too late.",
		", ON_TIMEOUT: {SAY: Bye., END: true}":           "unknown CALLBACK_EXPIRED | Bye. | ."} {
		c := with(t, agent("shop", "GOAL: Sell.\nTOOLS: {pay: {KIND: callback, METHOD: POST, URL: \"https://pay.example.com/\""+then+"}}\n"))
		c.hears("Pay")
		c.thinks("", "pay {}")
		c.decides(turns.Suspend{CallID: c.state.Talk.Running.Open[0].CallID, Programs: c.programs, At: noon}.Decide)
		require.Equal(t, want, c.ends(turns.TooLate()), then)
	}
}

// Given an answer that is faster than the request, then there is nothing to wait for.
func TestAnAnswerMayBeFasterThanTheRequest(t *testing.T) {
	c := with(t, agent("shop", paying))
	_, err := c.turn(turns.Receive{Text: "x", Try: mine})
	require.NoError(t, err)
	call := c.state.Talk.Running.Open[0].CallID
	require.Equal(t, "ok  | It is paid. | .", c.ends(answer(`{"state":"paid"}`)))
	require.Empty(t, c.decides(turns.Suspend{CallID: call, Programs: c.programs, At: noon}.Decide))
}

// Given a try that is gone before anybody knows whether it asked, then the answer is waited for.
func TestARequestThatMayHaveBeenMadeIsWaitedFor(t *testing.T) {
	c := with(t, agent("shop", paying))
	_, err := c.turn(turns.Receive{Text: "x", Try: mine})
	require.NoError(t, err)
	c.decides(turns.TakeOver{From: mine.Try, Programs: c.programs, At: noon, Try: other}.Decide)
	require.NotNil(t, c.state.Talk.Suspended())
	require.Empty(t, c.wants(other.Try))
}

// A turn's own time does not run while it waits for somebody outside.
func TestWaitingOutsideDoesNotCount(t *testing.T) {
	c := suspended(t)
	late := turns.Outcome{CallID: c.state.Talk.Running.Open[0].CallID, Ended: answer(`{"state":"paid"}`), Programs: c.programs,
		At: noon.Add(20 * time.Minute)}
	require.Equal(t, "ok  | It is paid. | .", words(c.decides(late.Decide)))
}

// Given a write that was made, or may have been, and whose answer is of no use, then it is not made
// again: neither by RETRY of the step, nor by that of a delegate. One that knows its key is.
func TestAWriteWithoutAUsableAnswerIsNotMadeAgain(t *testing.T) {
	const source = `
TOOLS:
  pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", %s RESULT: {type: object}}
  later: {KIND: callback, METHOD: POST, URL: "https://pay.example.com/", %s BODY: {id: "{{ callback.id }}"}}
FLOW: {START: a, STEPS: {a: {CALL: %s, ON_ERROR: {RETRY: 1, SAY: Not paid., END: true}, END: true}}}
`
	for _, of := range []struct {
		more, tool string
		ended      sessions.CallEnded
		then       string
	}{
		{"", "pay", ok("[]"), "unknown RESULT_MISMATCH | Not paid. | ."},
		{"IDEMPOTENT: true,", "pay", ok("[]"), "error RESULT_MISMATCH"},
		{"", "later", turns.TooLate(), "unknown CALLBACK_EXPIRED | Not paid. | ."},
		{"IDEMPOTENT: true,", "later", turns.TooLate(), "error CALLBACK_EXPIRED"},
		{"", "later", failed(sessions.CodeTooLarge), "unknown TOOL_RESULT_TOO_LARGE | Not paid. | ."},
		{"", "pay", failed("HTTP_500"), "error HTTP_500"},
	} {
		c := with(t, agent("shop", fmt.Sprintf(source, of.more, of.more, of.tool)))
		c.hears("x")
		require.Equal(t, of.then, c.ends(of.ended), "%+v", of)
	}

	c := with(t, agent("boss", `
DELEGATE: [{AGENT: shop, TIMEOUT: 5m, ON_FAIL: {RETRY: 1}}]
FLOW: {START: a, STEPS: {a: {DELEGATE: shop, ON_ERROR: {SAY: Not paid., END: true}, END: true}}}
`), agent("shop", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", RESULT: {type: object}}}
FLOW: {START: a, STEPS: {a: {CALL: pay, END: true}}}
`))
	c.hears("x")
	require.Equal(t, "unknown RESULT_MISMATCH | Not paid. | .", words(c.decides(turns.Outcome{CallID: c.state.Talk.Running.Left()[0],
		Ended: ok("[]"), Programs: c.programs, At: noon, Try: mine}.Decide)))
}

// So it does where ON_START waits for the answer: ON_TIMEOUT goes before what ON_START says, in its place where it leads elsewhere.
func TestAnAnswerThatNeverComesToOnStart(t *testing.T) {
	for then, want := range map[string]string{
		"{SAY: Too late.}":             "unknown CALLBACK_EXPIRED | Too late. | Hello. | First. | .",
		"{SAY: Too late., GOTO: bye}":  "unknown CALLBACK_EXPIRED | Too late. | Good bye. | .",
		"{SAY: Too late., STOP: true}": "unknown CALLBACK_EXPIRED | Too late. | .",
		"{SAY: Too late., END: true}":  "unknown CALLBACK_EXPIRED | Too late. | .",
	} {
		source := agent("shop", `
TOOLS: {pay: {KIND: callback, URL: "https://pay.example.com/", EXPIRES: 30m, ON_TIMEOUT: `+then+`}}
ON_START: {CALL: pay, SAY: Hello.}
FLOW: {START: a, STEPS: {a: {SAY: First.}, bye: {SAY: Good bye.}}}
`)
		for _, begins := range []func(c *talk){
			func(c *talk) {
				_, err := c.turn(turns.Receive{Text: "x", Try: mine})
				require.NoError(t, err)
			},
			func(c *talk) { c.onCall().decides(turns.PickUp{Programs: c.programs, At: noon, Try: mine}.Decide) },
		} {
			c := with(t, source)
			begins(c)
			c.decides(turns.Suspend{CallID: c.state.Talk.Running.Open[0].CallID, Programs: c.programs, At: noon}.Decide)
			if c.state.Talk.Running.Greets {
				want = strings.Replace(want, " | First.", "", 1)
			}
			require.Equal(t, want, c.ends(turns.TooLate()), then)
			require.Equal(t, strings.Contains(then, "END"), c.state.Status == sessions.Ended)
		}
	}
}
