//go:build !apache

package node_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Given those who retire, roll back and promote the same deployments at once, at two nodes, then each
// is answered or refused, and in the end both nodes show the same, with as many deployments as were made, each
// active or retired.
func TestDeploymentsAreChangedByManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	first, second := w.deploy(t, "staging"), w.deploy(t, "staging")
	type change struct {
		on   *server
		path string
	}
	var all []change
	for range 4 {
		for _, d := range []map[string]any{first, second} {
			for _, what := range []string{"/retire", "/rollback", "/promote"} {
				all = append(all, change{w.a, path(d) + what}, change{w.b, path(d) + what})
			}
		}
	}
	answers := make(chan *answer, len(all))
	for _, c := range all {
		go func() { answers <- c.on.do(t, "POST", c.path, nil, "auth", w.auth) }()
	}
	made, unknown := 2, 0
	for range all {
		a := <-answers
		require.Contains(t, []int{http.StatusOK, http.StatusCreated, http.StatusConflict, http.StatusServiceUnavailable}, a.Status, "%s", a.Text)
		switch {
		case a.Status == http.StatusCreated:
			made++
		case a.Status == http.StatusServiceUnavailable && strings.Contains(a.Text, string(fault.OutcomeUnknown)):
			unknown++ // a slow machine did not see it in time
		case a.Status == http.StatusServiceUnavailable: // too many of the others came between: it did nothing
			a.refused(t, http.StatusServiceUnavailable, fault.NotExecuted)
		}
	}
	shown := func(on *server) *answer {
		return on.do(t, "GET", agentDeployments+"?limit=200", nil, "auth", w.auth).must(t, http.StatusOK)
	}
	until(t, "both nodes to show the same", func() bool { return shown(w.a).Text == shown(w.b).Text })
	var page struct{ Deployments []map[string]any }
	shown(w.a).into(t, &page)
	require.GreaterOrEqual(t, len(page.Deployments), made, "who was answered 201 has made one")
	require.LessOrEqual(t, len(page.Deployments), made+unknown, "and nobody else")
	for _, d := range []map[string]any{first, second} {
		now := w.ask(t, "GET", path(d), nil).must(t, http.StatusOK).deployment(t)
		require.Contains(t, []any{"active", "retired"}, now["status"])
		require.Equal(t, now["status"] == "retired", now["retiredAt"] != nil)
		what := map[any]string{"active": "/retire", "retired": "/rollback"}[now["status"]]
		w.ask(t, "POST", path(d)+what, nil).must(t, http.StatusOK)
	}
}

// Given a message whose turn still runs, when it comes again under the same key, at the same node and
// at the other, then it waits for the same answer, and nothing is asked twice.
func TestTheSameKeyWhileTheFirstStillRuns(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	id := w.begin(t, "shop")
	w.say(t, id, "Hello")
	hold := make(chan struct{})
	w.answering(func(out http.ResponseWriter, r *http.Request) {
		<-hold
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{"id":7,"name":"Ann"}`)
	})
	body := fields{"projectId": mainApp, "sessionId": id, "message": "Ann"}
	answers := make(chan *answer, 4)
	say := func(on *server) {
		answers <- on.do(t, "POST", "/api/v1/chat/agent", body, "auth", w.auth, "Idempotency-Key", "once")
	}
	go say(w.a)
	until(t, "the tool to be asked", func() bool { asked, _ := w.seen(); return len(asked) == 1 })
	for _, on := range []*server{w.a, w.b, w.b} {
		go say(on)
	}
	w.a.do(t, "POST", "/api/v1/chat/agent", body.and(fields{"message": "Bob"}), "auth", w.auth, "Idempotency-Key", "once").
		refused(t, http.StatusConflict, fault.Conflict)
	close(hold)
	first := (<-answers).must(t, http.StatusOK).Text
	require.Contains(t, first, "Ordered for Ann.")
	for range 3 {
		require.Equal(t, first, (<-answers).must(t, http.StatusOK).Text)
	}
	asked, _ := w.seen()
	require.Len(t, asked, 2, "each tool once")
}

// Given a secret that is changed, expires or is deleted between two calls of one turn, then each call
// is made with what is there when it is made, and one for which nothing is there is not made.
func TestASecretBetweenTwoCalls(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	w.apply(t, "Agent", "a-twice", "twice", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: twice
TOOLS: {ask: {KIND: http, URL: "` + w.server.URL + `/", TIMEOUT: 60s, HEADERS: {Authorization: "Bearer ${secret:TOKEN}"}}}
FLOW: {START: a, STEPS: {a: {CALL: ask, NEXT: b}, b: {CALL: ask, ON_ERROR: {SAY: No secret., STOP: true}, NEXT: c}, c: {SAY: Asked twice.}}}
`})
	var made struct{ Secret map[string]any }
	w.ask(t, "POST", "/api/tool-secrets", fields{"projectId": mainApp, "toolName": "ask", "secretKey": "TOKEN", "value": "old"}).
		must(t, http.StatusCreated).into(t, &made)
	secret := "/api/tool-secrets/" + made.Secret["id"].(string)
	between := func(what func()) {
		calls := 0
		w.answering(func(out http.ResponseWriter, _ *http.Request) {
			if calls++; calls == 1 {
				what()
			}
			out.WriteHeader(http.StatusNoContent)
		})
	}
	sent := func() (headers []string) {
		asked, _ := w.seen()
		for _, r := range asked {
			headers = append(headers, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		}
		return headers
	}
	between(func() { w.ask(t, "PUT", secret, fields{"value": "new"}).must(t, http.StatusOK) })
	require.Equal(t, "Asked twice.", w.say(t, w.begin(t, "twice"), "x").Response)
	require.Equal(t, []string{"old", "new"}, sent())

	between(func() {
		var expires time.Time
		for lasts := time.Second; ; lasts *= 2 { // on a slow machine it may be over before it is there, which is refused
			expires = time.Now().Add(lasts)
			got := w.ask(t, "PUT", secret, fields{"value": "short", "expiresAt": expires.Format(time.RFC3339Nano)})
			if got.Status == http.StatusOK {
				break
			}
			got.refused(t, http.StatusBadRequest, fault.Validation, "expiresAt")
		}
		until(t, "the secret to expire", func() bool { return time.Now().After(expires) })
	})
	require.Equal(t, "No secret.", w.say(t, w.begin(t, "twice"), "x").Response)
	require.Equal(t, []string{"old", "new", "new"}, sent())

	w.ask(t, "PUT", secret, fields{"value": "again"}).must(t, http.StatusOK)
	between(func() { w.ask(t, "DELETE", secret, nil).must(t, http.StatusNoContent) })
	require.Equal(t, "No secret.", w.say(t, w.begin(t, "twice"), "x").Response)
	require.Equal(t, []string{"old", "new", "new", "again"}, sent())
}

// Given an answer that comes while the request for it is still under way, then the turn goes on with it,
// and does not wait.
func TestAnAnswerBeforeTheTurnWaits(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	early := make(chan *answer, 1) // the turn may be told to its end before the callback is
	w.answering(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/charges" {
			_, bodies := w.seen()
			early <- w.callback(t, w.b, bodies[len(bodies)-1]["id"].(string), paid, "sign-with-this")
		}
		_, _ = io.WriteString(out, `{"id":7}`)
	})
	id := w.begin(t, "shop")
	w.say(t, id, "Hello")
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": id, "message": "payer"}).must(t, http.StatusOK)
	require.Contains(t, (<-early).must(t, http.StatusOK).Text, `"processed"`)
	shown := w.ask(t, "GET", "/api/v1/sessions/"+id+"/transcripts", nil).must(t, http.StatusOK).Text
	require.Equal(t, 1, strings.Count(shown, "It is paid."))
	require.Equal(t, "It is paid.", w.say(t, id, "Again").Response)
}

// Given a thousand answers to one callback, and a secret that was changed since the request, then those
// with the old signature are refused, one of the others is the first, and the rest came before.
func TestAThousandAnswersToOneCallback(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	session, id := w.suspend(t)
	var page struct{ Secrets []map[string]any }
	w.ask(t, "GET", "/api/tool-secrets?projectId="+mainApp, nil).must(t, http.StatusOK).into(t, &page)
	for _, s := range page.Secrets {
		if s["secretKey"] == "SIGN" {
			w.ask(t, "PUT", "/api/tool-secrets/"+s["id"].(string), fields{"value": "changed"}).must(t, http.StatusOK)
		}
	}
	w.callback(t, w.a, id, paid, "sign-with-this").refused(t, http.StatusUnauthorized, fault.Unauthorized)
	large := fmt.Sprintf(`{"state":%q}`, strings.Repeat("x", 2<<20))
	w.callback(t, w.a, id, large, "changed").must(t, http.StatusRequestEntityTooLarge)

	const many, atOnce = 1_000, 50
	left, firsts, others := make(chan int, many), make(chan bool, many), make(chan string, many)
	for i := range many {
		left <- i
	}
	close(left)
	for range atOnce {
		go func() {
			for i := range left {
				a := w.callback(t, []*server{w.a, w.b}[i%2], id, paid, "changed")
				switch {
				case a.Status == http.StatusOK && strings.Contains(a.Text, `"already_processed"`):
					others <- ""
				case a.Status == http.StatusOK && strings.Contains(a.Text, `"processed"`):
					firsts <- true
					others <- ""
				default:
					others <- fmt.Sprintf("%d %s", a.Status, a.Text)
				}
			}
		}()
	}
	for range many {
		require.Empty(t, <-others)
	}
	require.Len(t, firsts, 1)
	shown := w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, http.StatusOK).Text
	require.Equal(t, 1, strings.Count(shown, "It is paid."))
}

// Fifty-one mocks are one too many.
func TestFiftyOneMocks(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	w.deploy(t, "dev", fields{"entryAgentName": "shop"})
	mocks := func(n int) fields {
		var all []fields
		for range n {
			all = append(all, fields{"tool": "find", "result": 1})
		}
		return fields{"projectId": mainApp, "message": "Hi", "testContext": fields{"toolMocks": all}}
	}
	w.ask(t, "POST", "/api/v1/chat/agent", mocks(50)).must(t, http.StatusOK)
	w.ask(t, "POST", "/api/v1/chat/agent", mocks(51)).refused(t, http.StatusBadRequest, fault.Validation, "testContext.toolMocks")
}
