//go:build !apache

package node_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

func TestAnAgentCallsItsTools(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	id := w.begin(t, "shop")
	require.Equal(t, "Who are you?", w.say(t, id, "Hello").Response)
	out := w.say(t, id, "Ann & Bob")
	require.Equal(t, "Ordered for Ann & Bob.", out.Response)
	require.Equal(t, "end", out.Action.Type)
	require.Contains(t, out.traces(), "tool_call")
	asked, bodies := w.seen()
	require.Len(t, asked, 2)
	require.Equal(t, []string{"Ann & Bob", "Bearer s3cr3t-token", ""}, []string{asked[0].URL.Query().Get("name"),
		asked[0].Header.Get("Authorization"), asked[0].Header.Get("Idempotency-Key")})
	require.Equal(t, "/orders", asked[1].URL.Path)
	require.NotEmpty(t, asked[1].Header.Get("Idempotency-Key"))
	require.Equal(t, map[string]any{"for": 7.0}, bodies[1])
	var traces struct{ Traces []json.RawMessage }
	answer := w.ask(t, "GET", sessionsPath+"/"+id+"/traces", nil).must(t, http.StatusOK)
	answer.into(t, &traces)
	require.NotContains(t, answer.Text, "s3cr3t", "no secret is shown")
}

// Given a tool that fails, then ON_ERROR says what follows; one without its secret is not asked.
func TestAToolThatFails(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	w.answering(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusTeapot) })
	id := w.begin(t, "shop")
	w.say(t, id, "Hello")
	require.Equal(t, "Not found.", w.say(t, id, "Ann").Response)

	// A write whose answer was cut off may have been done: it is not made again.
	w.answering(func(out http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			panic(http.ErrAbortHandler)
		}
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{"id":7,"name":"Ann"}`)
	})
	before, _ := w.seen()
	id = w.begin(t, "shop")
	w.say(t, id, "Hello")
	require.Equal(t, "Perhaps ordered.", w.say(t, id, "Ann").Response)
	after, _ := w.seen()
	require.Len(t, after, len(before)+2, "one look, one write")
}

// Given a tool whose secret is not there, then it is not asked, and the trace names the secret; also
// where that is the one by which its answer, which comes later, would be signed.
func TestAToolWithoutItsSecret(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	for name, tool := range map[string]string{
		"locked":   "KIND: http, URL: '" + w.server.URL + "', HEADERS: {A: '${secret:TOKEN}', B: '${secret:OTHER}'}",
		"unsigned": "KIND: callback, METHOD: POST, URL: '" + w.server.URL + "', HEADERS: {A: '${secret:TOKEN}'}, SIGN_WITH: OTHER",
	} {
		w.apply(t, "Agent", "a-"+name, name, fields{"projectId": mainApp, "dslContent": "DSL: 1\nAGENT: " + name + "\nTOOLS: {find: {" + tool +
			"}}\nFLOW: {START: a, STEPS: {a: {CALL: find, ON_ERROR: {SAY: Not asked., STOP: true}}}}\n"})
		out := w.say(t, w.begin(t, name), "Hello")
		require.Equal(t, "Not asked.", out.Response, name)
		asked, _ := w.seen()
		require.Empty(t, asked, name)
		for _, e := range out.TraceEvents {
			if e.Type == "tool_call" {
				require.Equal(t, "SECRET_MISSING", e.Data["code"], name)
				require.Equal(t, "the secret OTHER of the tool find is not there for dev", e.Data["problem"], name)
			}
		}
		require.Contains(t, out.traces(), "tool_call", name)
	}
}

// Given a turn that waits for a tool, when its user says more, then that waits and has its turn;
// the eleventh that waits is refused.
func TestMessagesWaitWhileAToolIsAsked(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	id := w.begin(t, "shop")
	w.say(t, id, "Hello")
	hold := make(chan struct{})
	w.answering(func(out http.ResponseWriter, _ *http.Request) {
		<-hold
		out.WriteHeader(http.StatusNotFound)
	})
	codes := make(chan int, 14)
	say := func() {
		codes <- w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": id, "message": "Ann"}).Status
	}
	go say()
	require.Eventually(t, func() bool { asked, _ := w.seen(); return len(asked) == 1 }, patience, time.Millisecond)
	for range 13 {
		go say()
	}
	full := 0
	require.Eventually(t, func() bool {
		select {
		case code := <-codes:
			require.Equal(t, http.StatusTooManyRequests, code)
			full++
		default:
		}
		return full == 3
	}, patience, time.Millisecond)
	close(hold)
	for range 11 {
		require.Equal(t, http.StatusOK, <-codes)
	}
	asked, _ := w.seen()
	require.GreaterOrEqual(t, len(asked), 11, "a read may be made again, by whoever misses its maker's signs of life")
	text := w.ask(t, "GET", "/api/v1/sessions/"+id+"/transcripts", nil).must(t, http.StatusOK).Text
	require.Equal(t, 11, strings.Count(text, "Not found."), "each message had its turn")
}

// Given messages that wait while a tool is asked, when the session is reset, then they are dropped, which whoever sent them and
// the traces are told; what is said afterwards begins anew.
func TestAResetDropsMessagesThatWait(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	id := w.begin(t, "shop")
	w.say(t, id, "Hello")
	hold := make(chan struct{})
	defer close(hold)
	w.answering(func(http.ResponseWriter, *http.Request) { <-hold })
	say := func(body fields) *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", body.and(fields{"projectId": mainApp, "sessionId": id}))
	}
	first, waiting := make(chan *answer, 13), make(chan *answer, 12)
	go func() { first <- say(fields{"message": "Ann"}) }()
	require.Eventually(t, func() bool { asked, _ := w.seen(); return len(asked) == 1 }, patience, time.Millisecond)
	for range 12 { // more than may wait: who is refused says that the others are there
		go func() {
			if got := say(fields{"message": "Bob"}); got.Status != http.StatusTooManyRequests {
				waiting <- got
			} else {
				first <- got
			}
		}()
	}
	(<-first).refused(t, 429, fault.QueueFull)
	w.ask(t, "POST", sessionsPath+"/"+id+"/reset", nil).must(t, 200)
	for range 10 {
		(<-waiting).refused(t, 409, fault.Conflict)
	}
	require.Equal(t, 10, strings.Count(w.ask(t, "GET", sessionsPath+"/"+id+"/traces?limit=1000", nil).must(t, 200).Text,
		"it waited when the session was reset"))
	var shown struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &shown)
	require.EqualValues(t, w.traced(t, id, "?limit=1000").Pagination["total"], shown.Session["traceEventCount"])
	require.Equal(t, "Who are you?", w.say(t, id, "Hello").Response)
}

// stands is what is shown of a session, whose figures are those of its transcript and traces, in the list of sessions too.
func (w *tooled) stands(t *testing.T, id string) map[string]any {
	t.Helper()
	var shown struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &shown)
	var said struct{ Pagination map[string]int }
	w.ask(t, "GET", "/api/v1/sessions/"+id+"/transcripts", nil).must(t, 200).into(t, &said)
	require.EqualValues(t, said.Pagination["total"], shown.Session["messageCount"])
	require.EqualValues(t, w.traced(t, id, "?limit=1000").Pagination["total"], shown.Session["traceEventCount"])
	var listed struct{ Sessions []map[string]any }
	w.ask(t, "GET", sessionsPath+"?limit=100", nil).must(t, 200).into(t, &listed)
	i := slices.IndexFunc(listed.Sessions, func(s map[string]any) bool { return s["id"] == id })
	require.GreaterOrEqual(t, i, 0)
	require.Subset(t, shown.Session, listed.Sessions[i])
	return shown.Session
}

// suspend brings a session to where it waits for the payment, and gives the callback's id.
func (w *tooled) suspend(t *testing.T) (session, callback string) {
	t.Helper()
	session = w.begin(t, "shop")
	w.say(t, session, "Hello")
	out := w.say(t, session, "payer")
	require.Equal(t, "suspended", out.Action.Type)
	require.Contains(t, out.traces(), "suspended")
	_, bodies := w.seen()
	sent := bodies[len(bodies)-1]
	require.Equal(t, out.Action.CallbackID, sent["id"])
	require.True(t, strings.HasSuffix(sent["notify"].(string), "/api/v1/callbacks/"+out.Action.CallbackID))
	return session, out.Action.CallbackID
}

const paid = `{"state":"paid"}`

func TestACallbackGoesOnWithTheSession(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session, id := w.suspend(t)
	stands := w.stands(t, session)
	require.Equal(t, id, stands["suspension"].(map[string]any)["callbackId"])
	expires, err := time.Parse(time.RFC3339, stands["suspension"].(map[string]any)["expiresAt"].(string))
	require.NoError(t, err)
	require.True(t, expires.After(time.Now()))
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": session, "message": "And?"}).
		refused(t, http.StatusConflict, fault.TurnSuspended)

	w.callback(t, w.a, id, paid, "wrong").refused(t, http.StatusUnauthorized, fault.Unauthorized)
	w.a.do(t, "POST", "/api/v1/callbacks/"+id, paid).refused(t, http.StatusUnauthorized, fault.Unauthorized)
	w.callback(t, w.a, id, "", "sign-with-this").must(t, http.StatusBadRequest)
	w.callback(t, w.a, id, "{", "sign-with-this").must(t, http.StatusBadRequest)
	w.callback(t, w.a, strings.ToUpper(id), paid, "sign-with-this").refused(t, http.StatusNotFound, fault.NotFound)

	// Many at once, at both nodes: one is the first.
	answers := make(chan *answer, 40)
	for i := range cap(answers) {
		on := []*server{w.a, w.b}[i%2]
		go func() { answers <- w.callback(t, on, id, paid, "sign-with-this") }()
	}
	first := 0
	for range cap(answers) {
		var out struct {
			OK     bool
			Status string
		}
		(<-answers).must(t, http.StatusOK).into(t, &out)
		require.True(t, out.OK)
		if out.Status == "processed" {
			first++
		}
	}
	require.Equal(t, 1, first)
	w.callback(t, w.b, id, paid, "wrong").refused(t, http.StatusUnauthorized, fault.Unauthorized)
	answer := w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, http.StatusOK)
	require.Equal(t, 1, strings.Count(answer.Text, "It is paid."))
	require.Equal(t, "It is paid.", w.say(t, session, "Again").Response)
}

// Given nothing that waits any more, then an answer is told so.
func TestAnAnswerThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1s")
	session := w.begin(t, "shop")
	w.say(t, session, "Hello")
	w.say(t, session, "payer") // answered with the wait or with its end, whichever there is by then
	_, bodies := w.seen()
	id := bodies[len(bodies)-1]["id"].(string)
	require.Eventually(t, func() bool {
		return strings.Contains(w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).Text, "Too late.")
	}, patience, 50*time.Millisecond, "ON_TIMEOUT")
	w.callback(t, w.a, id, paid, "sign-with-this").refused(t, http.StatusGone, fault.Gone)

	w = newTooled(t, "1h")
	session, id = w.suspend(t)
	w.ask(t, "POST", sessionsPath+"/"+session+"/reset", nil).must(t, http.StatusOK)
	w.callback(t, w.b, id, paid, "sign-with-this").refused(t, http.StatusGone, fault.Gone)
	require.Equal(t, "Who are you?", w.say(t, session, "Hello").Response)
}

// Given a tool that may not be called twice, when callers go away at any moment of a turn's first commit, then whose message was
// taken has it called, once, by the node that took it: nobody takes the turn over, for whom it would be unknown whether it was.
func TestWhoGoesAwayHasTheirTurn(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	w.apply(t, "Agent", "a-buyer", "buyer", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: buyer
TOOLS: {order: {KIND: http, METHOD: POST, URL: "` + w.server.URL + `/orders"}}
FLOW:
  START: order
  STEPS: {order: {CALL: order, ON_ERROR: {SAY: Perhaps ordered., END: true}, NEXT: done}, done: {SAY: Ordered.}}
`})
	var all []string
	for i := range 60 {
		session := w.begin(t, "buyer")
		all = append(all, session)
		body, err := json.Marshal(fields{"sessionId": session, "message": "Hi"})
		require.NoError(t, err)
		ctx, leaves := context.WithTimeout(t.Context(), time.Millisecond+time.Duration(i)*150*time.Microsecond)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.b.URL()+"/api/v1/chat/send", bytes.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+w.auth)
		req.Header.Set("Content-Type", "application/json")
		if res, err := http.DefaultClient.Do(req); err == nil { // who stays is answered
			_ = res.Body.Close()
		}
		leaves()
	}
	for _, session := range all {
		var text string
		until(t, "the end of what was begun", func() bool {
			text = w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, 200).Text
			return !strings.Contains(text, `"Hi"`) || strings.Contains(text, "rdered.")
		})
		require.NotContains(t, text, "Perhaps")
	}
}
