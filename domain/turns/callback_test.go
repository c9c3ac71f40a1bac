package turns_test

import (
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
	require.Equal(t, noon.Add(30*time.Minute), got[0].(sessions.CallSent).ExpiresAt)
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

func TestAnAnswerThatDoesNotFitIsAFailure(t *testing.T) {
	require.Equal(t, "error RESULT_MISMATCH | Not paid. | .", suspended(t).ends(answer(`[]`)))
}

func TestAnAnswerThatNeverComes(t *testing.T) {
	require.Equal(t, "error CALLBACK_EXPIRED | Too late. | Good bye. | .", suspended(t).ends(turns.TooLate()))
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
