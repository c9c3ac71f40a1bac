//go:build !apache

package node_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Given a turn that waits for a tool, when it is cancelled on another node, then the tool's request
// is cut off, who waits for the answer is told, and the session goes on.
func TestATurnIsCancelled(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	stranger := w.cluster.tenant(t, "") // before the tool is asked, which waits for a minute only
	session, answers, cut := w.waiting(t)
	cancel, auth := sessionsPath+"/"+session+"/cancel", []string{"Authorization", "Bearer " + w.auth}
	w.ask(t, "POST", cancel+"?turn=1", nil).refused(t, http.StatusConflict, fault.Conflict)
	w.ask(t, "POST", cancel+"?turn=0", nil).refused(t, http.StatusBadRequest, fault.Validation, "turn")
	w.a.do(t, "POST", cancel, nil).refused(t, http.StatusUnauthorized, fault.Unauthorized)
	w.a.do(t, "POST", cancel, nil, "auth", stranger.token(t)).refused(t, http.StatusNotFound, fault.NotFound)

	keyed := append([]string{"Idempotency-Key", "cancel-" + session}, auth...)
	var done struct {
		Success bool
		Session map[string]string
		Turn    int
	}
	first := w.a.do(t, "POST", cancel, nil, keyed...).must(t, http.StatusOK)
	first.into(t, &done)
	require.Equal(t, []any{true, 2, "active"}, []any{done.Success, done.Turn, done.Session["status"]})
	await(t, cut)
	var out chatAnswer
	await(t, answers).must(t, http.StatusOK).into(t, &out)
	require.Equal(t, []string{"cancelled", "", "active"}, []string{out.Action.Type, out.Response, out.State.Status})
	call := out.TraceEvents[len(out.TraceEvents)-2]
	require.Equal(t, []any{"tool_call", "cancelled"}, []any{call.Type, call.Data["outcome"]})
	for _, again := range [][]string{auth, keyed} {
		require.Equal(t, first.Text, w.a.do(t, "POST", cancel, nil, again...).must(t, http.StatusOK).Text, "harmless")
	}

	w.answering(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusTeapot) })
	require.Equal(t, "Not found.", w.say(t, session, "Bob").Response, "the next message has its turn")
	w.ask(t, "POST", cancel, nil).refused(t, http.StatusConflict, fault.Conflict)
	require.Equal(t, first.Text, w.a.do(t, "POST", cancel, nil, keyed...).must(t, http.StatusOK).Text)
	var one struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+session, nil).must(t, http.StatusOK).into(t, &one)
	require.EqualValues(t, 1, one.Session["errorCount"], "a cancel is none")
}

// Given a session that waits for a callback, when its turn is cancelled, then the answer comes to
// nothing, and messages are taken again.
func TestASuspendedTurnIsCancelled(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session, id := w.suspend(t)
	w.a.do(t, "POST", sessionsPath+"/"+session+"/cancel", nil, "Authorization", "Bearer "+w.auth).must(t, http.StatusOK)
	w.callback(t, w.b, id, paid, "sign-with-this").refused(t, http.StatusGone, fault.Gone)
	require.Equal(t, "suspended", w.say(t, session, "Again").Action.Type, "the step begins anew")
	text := w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, http.StatusOK).Text
	require.NotContains(t, text, "It is paid.")
	require.Contains(t, text, "payer", "what was said stays")
}

// Given a callback and a cancel at the same moment, then one of them counts.
func TestACallbackAndACancelHaveOneWinner(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session, id := w.suspend(t)
	cancelled, answered := make(chan *answer, 1), make(chan *answer, 1)
	go func() {
		cancelled <- w.a.do(t, "POST", sessionsPath+"/"+session+"/cancel", nil, "Authorization", "Bearer "+w.auth)
	}()
	go func() { answered <- w.callback(t, w.b, id, paid, "sign-with-this") }()
	c, a := await(t, cancelled), await(t, answered)
	text := w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, http.StatusOK).Text
	if strings.Contains(text, "It is paid.") {
		require.Equal(t, []int{http.StatusConflict, http.StatusOK}, []int{c.Status, a.Status})
	} else {
		require.Equal(t, []int{http.StatusOK, http.StatusGone}, []int{c.Status, a.Status})
	}
}

// A turn under way is cut off by the end of its session, and by a reset.
func TestTheEndOfASessionCancelsItsTurn(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	for how, status := range map[string]string{"DELETE ": "ended", "POST /reset": "active"} {
		session, answers, cut := w.waiting(t)
		method, below, _ := strings.Cut(how, " ")
		w.a.do(t, method, sessionsPath+"/"+session+below, nil, "Authorization", "Bearer "+w.auth).must(t, http.StatusOK)
		await(t, cut)
		var out chatAnswer
		await(t, answers).must(t, http.StatusOK).into(t, &out)
		require.Equal(t, []string{"cancelled", status}, []string{out.Action.Type, out.State.Status})
		w.answering(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusTeapot) })
	}
}

// Given a turn that waits for a tool, when a message says what becomes of it, then it is refused, or has
// its turn at once, on whatever node it comes.
func TestAMessageThatMeetsATurn(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session, answers, cut := w.waiting(t)
	send := func(s *server, message, busy string) *answer {
		return s.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "message": message, "onBusy": busy},
			"Authorization", "Bearer "+w.auth)
	}
	for _, s := range w.cluster.both() {
		refused := send(s, "Not now", "reject")
		refused.refused(t, http.StatusTooManyRequests, fault.QueueFull)
		require.NotEmpty(t, refused.Header.Get("Retry-After"))
	}
	send(w.a, "Whenever", "later").refused(t, http.StatusBadRequest, fault.Validation, "onBusy")
	agent := w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": session, "message": "No", "onBusy": "reject"})
	agent.refused(t, http.StatusTooManyRequests, fault.QueueFull)

	w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "attachmentIds": []string{"none"}, "onBusy": "interrupt"}).
		refused(t, http.StatusBadRequest, fault.Validation, "attachmentIds")
	send(w.a, "Not now", "reject").refused(t, http.StatusTooManyRequests, fault.QueueFull) // what is refused interrupts nothing

	w.answering(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusTeapot) })
	var out chatAnswer
	send(w.b, "Bob", "interrupt").must(t, http.StatusOK).into(t, &out)
	require.Equal(t, "Not found.", out.Response)
	await(t, cut)
	await(t, answers).must(t, http.StatusOK).into(t, &out)
	require.Equal(t, "cancelled", out.Action.Type)
	call := out.TraceEvents[len(out.TraceEvents)-2]
	require.Equal(t, []any{"tool_call", "CANCELLED"}, []any{call.Type, call.Data["code"]}, "what was on its way ends with the turn")
	for _, busy := range []string{"reject", "interrupt", "enqueue"} {
		send(w.a, "Bob", busy).must(t, http.StatusOK).into(t, &out)
		require.Equal(t, "Not found.", out.Response, "nothing runs: %s", busy)
	}
	text := w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, http.StatusOK).Text
	require.NotContains(t, text, "Not now")
}

// Given a session that waits for a callback, then a message is told so, unless it interrupts.
func TestAMessageThatMeetsASuspendedTurn(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session, id := w.suspend(t)
	send := func(busy string) *answer {
		return w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "message": "Again", "onBusy": busy})
	}
	send("reject").refused(t, http.StatusConflict, fault.TurnSuspended)
	send("enqueue").refused(t, http.StatusConflict, fault.TurnSuspended)
	var out chatAnswer
	send("interrupt").must(t, http.StatusOK).into(t, &out)
	require.Equal(t, "suspended", out.Action.Type, "the step begins anew")
	w.callback(t, w.b, id, paid, "sign-with-this").refused(t, http.StatusGone, fault.Gone)
}

// Given a session that waits for a callback, when a message is refused that would have interrupted it, then the callback is
// still waited for, on the node that refused it too.
func TestARefusedMessageLeavesASuspendedTurnAsItIs(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session, id := w.suspend(t)
	for _, s := range w.cluster.both() {
		s.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "attachmentIds": []string{"none"}, "onBusy": "interrupt"},
			"Authorization", "Bearer "+w.auth).refused(t, http.StatusBadRequest, fault.Validation, "attachmentIds")
	}
	require.Contains(t, w.callback(t, w.a, id, paid, "sign-with-this").must(t, http.StatusOK).Text, `"processed"`)
}

// Given tries of one message at once, with one key, that interrupt, on both nodes, then none of them interrupts the message
// itself that another has brought: all are answered with what came of it.
func TestTriesOfAMessageDoNotInterruptIt(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session := w.begin(t, "shop")
	w.say(t, session, "Hello")
	w.answering(func(out http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(200 * time.Millisecond): // a while, in which the others come
		case <-r.Context().Done():
		}
		out.WriteHeader(http.StatusTeapot)
	})
	for round := range 3 {
		answers := make(chan *answer, 12)
		for try := range cap(answers) {
			go func() {
				answers <- []*server{w.a, w.b}[try%2].do(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "message": "Ann",
					"onBusy": "interrupt"}, "Authorization", "Bearer "+w.auth, "Idempotency-Key", "ann-"+strconv.Itoa(round))
			}()
		}
		for range cap(answers) {
			var out chatAnswer
			await(t, answers).must(t, http.StatusOK).into(t, &out)
			require.Equal(t, []string{"Not found.", "continue"}, []string{out.Response, out.Action.Type})
		}
	}
}

// Given a turn, and as many messages behind it as may wait, when another comes that would interrupt, then it is refused, and
// the turn goes on to its end.
func TestAMessageForWhichThereIsNoRoomInterruptsNothing(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session, asked, release := w.begin(t, "shop"), make(chan struct{}, 1), make(chan struct{})
	w.say(t, session, "Hello")
	w.answering(func(out http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		out.WriteHeader(http.StatusTeapot)
	})
	send := func(message, busy string) *answer {
		return w.a.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "message": message, "onBusy": busy},
			"Authorization", "Bearer "+w.auth)
	}
	first, others := make(chan *answer, 1), make(chan *answer, 11)
	go func() { first <- send("Ann", "enqueue") }()
	await(t, asked)
	for range cap(others) {
		go func() { others <- send("Bob", "enqueue") }()
	}
	await(t, others).refused(t, http.StatusTooManyRequests, fault.QueueFull) // ten wait
	send("Now", "interrupt").refused(t, http.StatusTooManyRequests, fault.QueueFull)
	close(release)
	var out chatAnswer
	await(t, first).must(t, http.StatusOK).into(t, &out)
	require.Equal(t, []string{"Not found.", "continue"}, []string{out.Response, out.Action.Type})
	for range cap(others) - 1 {
		await(t, others).must(t, http.StatusOK).into(t, &out)
		require.Equal(t, "continue", out.Action.Type)
	}
}
