package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// Given a call that was answered, when its session is ended, then the call ends by our side and its session with it; ending it again
// changes nothing, and another account finds no session.
func TestEndingTheSessionOfACallHangsUp(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, speed(1))
	id := w.dialOut(t, aCall().and(fields{"target": calls.Talker})).CallID // who does not hang up
	var call calls.State
	until(t, "the answer", func() bool { call = w.call(t, id); return call.Answered() })
	at := "/api/projects/" + mainApp + "/sessions/" + call.SessionID
	until(t, "the session", func() bool { return w.ask(t, "GET", at, nil).Status == 200 })
	w.do(t, "DELETE", at, nil, "auth", w.two.token(t)).refused(t, 404, fault.NotFound)

	var first, again struct{ Session map[string]string }
	w.ask(t, "DELETE", at, nil, "Idempotency-Key", "once").must(t, 200).into(t, &first)
	require.Equal(t, "ended", first.Session["status"])
	call = w.call(t, id)
	require.True(t, call.Ended(), "with the answer")
	require.Equal(t, calls.ReasonBotDisconnected, call.ReasonCode)
	w.ask(t, "DELETE", at, nil, "Idempotency-Key", "once").must(t, 200).into(t, &again)
	require.Equal(t, first, again)
	w.ask(t, "DELETE", at, nil).must(t, 200).into(t, &again)
	require.Equal(t, first, again)
	require.Equal(t, call.EndedAt, w.call(t, id).EndedAt)
	session, err := eventstore.Read(t.Context(), w.Store(), sessions.Sessions, sessions.Sessions.Stream(call.SessionID))
	require.NoError(t, err)
	require.Equal(t, sessions.Ended, session.State.Status)
}

// hangsUp ends a call once it was answered: a callee that hangs up by itself may do so before the test has seen the call.
func (w *callWorld) hangsUp(t *testing.T, callID string) {
	t.Helper()
	until(t, "the answer", func() bool { return w.call(t, callID).Answered() })
	at := "/api/projects/" + mainApp + "/sessions/" + w.call(t, callID).SessionID
	until(t, "the session", func() bool { return w.ask(t, "DELETE", at, nil).Status == 200 })
}

// Given as many sessions as an account may have at a time, then none begins, whichever way, until one has ended; another account, and
// sessions that there are, go on.
func TestAnAccountHasSoManySessionsAtATime(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials, func(c *node.Config) { c.ConcurrentSessions = 2 })
	w.one.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": readingAgent})
	w.one.apply(t, "Agent", "a-closer", "closer", fields{"projectId": mainApp, "dslContent": closingAgent})
	w.ask(t, "POST", agentDeployments, fields{"environment": "dev", "entryAgentName": "meter", "agentVersionManifest": "auto"}).must(t, 201)
	const sessionsOf = "/api/projects/" + mainApp + "/sessions"
	var one struct{ Session map[string]string }
	w.ask(t, "POST", sessionsOf, fields{"agentId": "meter"}).must(t, 201).into(t, &one)
	talk := fields{"projectId": mainApp, "message": "Hi"}
	var two chatAnswer
	w.ask(t, "POST", "/api/v1/chat/agent", talk, "Idempotency-Key", "two").must(t, 200).into(t, &two)

	refused := w.ask(t, "POST", "/api/v1/chat/agent", talk).refused(t, 429, fault.RateLimit)
	require.Contains(t, refused.Text, `"retryAfterMs"`)
	w.ask(t, "POST", sessionsOf, fields{"agentId": "meter"}).refused(t, 429, fault.RateLimit)
	w.ask(t, "POST", sessionsOf, fields{"agentId": "meter", "environment": "dev"}).refused(t, 429, fault.RateLimit)
	// What is named wrong is told before.
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"deploymentId": "d-none"})).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"agentId": "nobody"})).refused(t, 400, fault.Validation, "agentId")
	w.ask(t, "POST", sessionsOf, fields{"agentId": "meter", "environment": "staging"}).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"sessionId": two.SessionID})).must(t, 200)
	w.ask(t, "POST", "/api/v1/chat/agent", talk, "Idempotency-Key", "two").must(t, 200)
	w.ask(t, "DELETE", sessionsOf+"/"+one.Session["id"], nil).must(t, 200)
	w.ask(t, "POST", sessionsOf, fields{"agentId": "meter"}).must(t, 201)
}
