//go:build !apache

package node_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

func TestASessionTalksWithWorkingCopies(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "bot/meter")
	hello := w.say(t, id, "Hi")
	require.Equal(t, []any{id, "Good day.\nWhich meter?", "continue", nil}, []any{hello.SessionID, hello.Response, hello.Action.Type,
		hello.VoiceConfig})
	require.Equal(t, []any{"active", "meter", "which"}, []any{hello.State.Status, hello.State.AgentName, hello.State.Step})
	require.Equal(t, []string{"turn_started", "step", "turn_ended"}, hello.traces())
	require.Equal(t, "select", hello.RichContent[0]["kind"])
	require.Equal(t, []map[string]any{{"id": "kind", "label": "Current", "value": "electricity"}, {"id": "kind", "label": "Gas",
		"value": "gas"}},
		hello.Actions)
	require.Len(t, hello.Messages, 2)
	require.Equal(t, hello.MessageID, hello.Messages[1]["id"])

	// What was frozen stays: the agent may say what it likes from now on.
	w.ask(t, "PUT", agentsPath+"/meter/dsl", fields{"dslContent": "AGENT: meter"}).must(t, 200)
	pin := w.say(t, id, "the gas", fields{"action": fields{"id": "kind", "value": "gas"}})
	require.Equal(t, "Your PIN?", pin.Response)
	last := w.say(t, id, "1234", fields{"metadata": fields{"page": "/pay"}})
	require.Equal(t, "Thank you for the gas, .", last.Response)
	require.Equal(t, []any{"end", "ended", "closer"}, []any{last.Action.Type, last.State.Status, last.State.AgentName})
	require.Contains(t, last.traces(), "handoff")
	require.Contains(t, last.traces(), "condition_error", "there is no caller.userId")
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": id, "message": "x"}).refused(t, 409, fault.Conflict)

	var one struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &one)
	s := one.Session
	require.Equal(t, []any{id, id, "a-meter", "meter", "ended", "web_debug", 7., 0., 1., "completed"}, []any{s["id"], s["runtimeSessionId"],
		s["agentId"], s["agentName"], s["status"], s["channel"], s["messageCount"], s["errorCount"], s["handoffCount"], s["endReason"]})
	require.Equal(t, map[string]any{"meter": "working-copy", "closer": "working-copy"}, s["versions"])
	require.Regexp(t, isoForm, s["lastActivityAt"])
	require.EqualValues(t, len(hello.TraceEvents)+len(pin.TraceEvents)+len(last.TraceEvents), s["traceEventCount"])
}

func TestWhatWasSaidIsReadable(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "a-meter")
	hello := w.say(t, id, "Hi")
	w.say(t, id, "gas")
	path := "/api/v1/sessions/" + id + "/transcripts"
	var page struct {
		Success    bool
		Messages   []map[string]any
		Pagination map[string]int
	}
	w.ask(t, "GET", path+"?limit=2&offset=1", nil).must(t, 200).into(t, &page)
	require.Equal(t, map[string]int{"total": 5, "limit": 2, "offset": 1}, page.Pagination)
	require.Equal(t, []any{"assistant", "Good day.", "meter"}, []any{page.Messages[0]["role"], page.Messages[0]["content"],
		page.Messages[0]["agentName"]})

	feedback := func(message string, rating any) *answer {
		return w.ask(t, "POST", "/api/v1/feedback", fields{"sessionId": id, "messageId": message, "rating": rating, "comment": "So so"})
	}
	feedback(hello.MessageID, "up").must(t, 200)
	given := feedback(hello.MessageID, 4).must(t, 200)
	require.Contains(t, given.Text, `"rating":4`)
	feedback(hello.MessageID, json.RawMessage("3.0")).must(t, 200)
	feedback(hello.MessageID, json.RawMessage("4e0")).must(t, 200)
	feedback(hello.MessageID, 4.5).refused(t, 400, fault.Validation, "rating")
	feedback(hello.MessageID, "great").refused(t, 400, fault.Validation, "rating")
	feedback(page.Messages[0]["id"].(string)+"x", "up").refused(t, 404, fault.NotFound)
	w.ask(t, "GET", path, nil).must(t, 200).into(t, &page)
	require.Equal(t, 4.0, page.Messages[2]["feedback"].(map[string]any)["rating"], "the last one counts")
	feedback(page.Messages[0]["id"].(string), "up").refused(t, 404, fault.NotFound) // the user's own

	var traces struct {
		Events     []map[string]any
		Pagination map[string]int
	}
	w.ask(t, "GET", sessionsPath+"/"+id+"/traces?eventType=turn_ended&include=metrics", nil).must(t, 200).into(t, &traces)
	require.Len(t, traces.Events, 2)
	require.Contains(t, traces.Events[0]["data"], "durationMs")
	w.ask(t, "GET", sessionsPath+"/"+id+"/traces?spanId="+id+".1&decisionKind=routing", nil).must(t, 200).into(t, &traces)
	require.Len(t, traces.Events, 1)

	w.ask(t, "POST", sessionsPath+"/"+id+"/reset", nil).must(t, 200)
	w.ask(t, "GET", path, nil).must(t, 200).into(t, &page)
	require.Empty(t, page.Messages)
	w.ask(t, "GET", path+"?includeBeforeReset=true", nil).must(t, 200).into(t, &page)
	require.Len(t, page.Messages, 5)
	require.Equal(t, "Good day.\nWhich meter?", w.say(t, id, "Hi").Response, "it begins anew")
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	first, second := w.begin(t, "meter"), w.begin(t, "closer")
	w.say(t, first, "Hi")
	list := func(query string) (ids []string) {
		var page struct {
			Success              bool
			Total, Offset, Limit int
			Sessions             []map[string]any
		}
		w.ask(t, "GET", sessionsPath+query, nil).must(t, 200).into(t, &page)
		require.True(t, page.Success)
		for _, s := range page.Sessions {
			require.Len(t, s, 15)
			ids = append(ids, s["id"].(string))
		}
		require.GreaterOrEqual(t, page.Total, len(ids))
		return ids
	}
	require.Equal(t, []string{first, second}, list(""), "the newest activity first")
	require.Equal(t, []string{second}, list("?agentName=closer&channel=web_debug&status=active"))
	require.Equal(t, []string{second}, list("?limit=1&offset=1"))
	require.Empty(t, list("?channel=voice"))
	require.Empty(t, list("?to=2020-01-01T00:00:00Z"))
	ended := w.ask(t, "DELETE", sessionsPath+"/"+second, nil).must(t, 200)
	require.Contains(t, ended.Text, `"status":"ended"`)
	require.JSONEq(t, ended.Text, w.ask(t, "DELETE", sessionsPath+"/"+second, nil).must(t, 200).Text, "once more changes nothing")
	require.Equal(t, []string{second}, list("?status=ended"))
	w.ask(t, "POST", sessionsPath+"/"+second+"/reset", nil).refused(t, 409, fault.Conflict)
}

func TestChatsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "meter")
	send := func(body fields) *answer { return w.ask(t, "POST", "/api/v1/chat/agent", body) }
	base := fields{"projectId": mainApp, "sessionId": id, "message": "Hi"}
	for name, c := range map[string]struct {
		more   fields
		status int
		code   fault.Code
		field  string
	}{
		"no message":        {fields{"message": ""}, 400, fault.Validation, "message"},
		"blanks alone":      {fields{"message": " \n\t\u00a0"}, 400, fault.Validation, "message"},
		"too long":          {fields{"message": strings.Repeat("x", 20_001)}, 400, fault.Validation, "message"},
		"unknown project":   {fields{"projectId": "nowhere"}, 404, fault.NotFound, ""},
		"other project":     {fields{"projectId": otherApp}, 404, fault.NotFound, ""},
		"unknown session":   {fields{"sessionId": "nope"}, 404, fault.NotFound, ""},
		"other deployment":  {fields{"deploymentId": "d-1"}, 400, fault.Validation, "deploymentId"},
		"other environment": {fields{"environment": "staging"}, 400, fault.Validation, "environment"},
		"deep metadata": {fields{"metadata": fields{"a": fields{"b": fields{"c": fields{"d": fields{"e": fields{"f": 1}}}}}}},
			400, fault.Validation, "metadata"},
		"name of metadata": {fields{"metadata": fields{"a b": 1}}, 400, fault.Validation, "metadata"},
		"large metadata":   {fields{"metadata": fields{"a": strings.Repeat("x", 17_000)}}, 400, fault.Validation, "metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			var named []string
			if c.field != "" {
				named = []string{c.field}
			}
			send(base.and(c.more)).refused(t, c.status, c.code, named...)
		})
	}
	other := w.cluster.tenant(t, "")
	w.b.do(t, "POST", "/api/v1/chat/agent", base, "Authorization", "Bearer "+other.token(t)).refused(t, 404, fault.NotFound)
	w.b.do(t, "GET", "/api/v1/sessions/"+id+"/transcripts", nil, "Authorization", "Bearer "+other.token(t)).refused(t, 404, fault.NotFound)

	w.scope(t, "as-chat", "chat", mainApp, access.RunAPI)
	key := w.key(t, "as-chat")
	require.Contains(t, w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": id, "message": "Hi"}, "X-API-Key", key).must(t,
		200).Text,
		"Which meter?")
	send(base.and(fields{"testContext": fields{"gatherValues": fields{"kind": "gas"}}})).refused(t, 400, fault.Validation, "testContext")
	w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": id}, "X-API-Key", key).refused(t, 400, fault.Validation, "message")
	w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": id, "message": "x", "attachmentIds": []string{"a"}}, "X-API-Key",
		key).refused(t, 400,
		fault.Validation, "attachmentIds")
	w.b.do(t, "POST", "/api/v1/chat/agent", base.and(fields{"testContext": fields{}}), "X-API-Key", key).refused(t, 403, fault.Forbidden)
	w.scope(t, "as-tester", "tester", mainApp, access.RunAPI, access.AgentsEdit)
	w.b.do(t, "POST", "/api/v1/chat/agent", base.and(fields{"testContext": fields{}}), "X-API-Key", w.key(t, "as-tester")).refused(t, 400,
		fault.Validation, "testContext") // it may bring one, but not to this session
	w.b.do(t, "POST", "/api/v1/chat/agent", base.and(fields{"testContext": fields{}, "projectId": otherApp}), "X-API-Key", key).refused(t, 403,
		fault.Forbidden)
	w.b.do(t, "DELETE", sessionsPath+"/"+id, nil, "X-API-Key", key).refused(t, 403, fault.Forbidden)
}

// The same request again has the same answer, and the session has heard it once.
func TestAMessageIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "meter")
	body := fields{"projectId": mainApp, "sessionId": id, "message": "Hi"}
	first := w.ask(t, "POST", "/api/v1/chat/agent", body, "Idempotency-Key", "once").must(t, 200)
	require.Equal(t, first.Text, w.ask(t, "POST", "/api/v1/chat/agent", body, "Idempotency-Key", "once").must(t, 200).Text)
	w.ask(t, "POST", "/api/v1/chat/agent", body.and(fields{"message": "No"}), "Idempotency-Key", "once").refused(t, 409, fault.Conflict)
	var one struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &one)
	require.EqualValues(t, 3, one.Session["messageCount"])
}

// beyond asks until something is not answered, and gives that: several times at once, so that a slow
// machine does more than the rate lets in again meanwhile.
func beyond(t *testing.T, ask func() *answer) *answer {
	t.Helper()
	var refused atomic.Pointer[answer]
	until := time.Now().Add(patience)
	together(4, func(int) {
		for refused.Load() == nil && time.Now().Before(until) {
			if got := ask(); got.Status != http.StatusOK {
				refused.CompareAndSwap(nil, got)
			}
		}
	})
	require.NotNil(t, refused.Load(), "all of it was answered")
	return refused.Load()
}

// A session takes so many messages a minute, and another one of the account is not touched by it.
func TestASessionTakesSoManyMessages(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "meter")
	body := fields{"projectId": mainApp, "sessionId": id, "message": "Hi"}
	refused := beyond(t, func() *answer { return w.ask(t, "POST", "/api/v1/chat/agent", body) })
	refused.refused(t, 429, fault.RateLimit)
	require.Contains(t, refused.Text, "retryAfterMs")
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	w.say(t, w.begin(t, "meter"), "Hi")
}

func TestWorkingCopiesThatCannotTalk(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	begin := func() *answer {
		return w.ask(t, "POST", sessionsPath, fields{"agentId": "meter"}, "Idempotency-Key", "begin")
	}
	begun := begin().must(t, http.StatusCreated)
	put := func(text string) {
		w.ask(t, "PUT", agentsPath+"/closer/dsl", fields{"dslContent": text}).must(t, 200)
	}
	put("DSL: 1\nAGENT: closer\nFLOW: {START: b, STEPS: {a: {SAY: x}}}\n")
	got := w.ask(t, "POST", sessionsPath, fields{"agentId": "meter"}).refused(t, 400, fault.Validation, "closer.FLOW.START")
	require.Contains(t, got.Text, "line 3")
	put("DSL: 1\nAGENT: closer\nGOAL: Say goodbye\nMODEL: {ID: none-such}\n")
	got = w.ask(t, "POST", sessionsPath, fields{"agentId": "meter"}).refused(t, 503, fault.Unavailable)
	require.Contains(t, got.Text, "needs the model none-such")
	require.Equal(t, begun.Text, begin().must(t, http.StatusCreated).Text, "a repeat compiles nothing")
	w.ask(t, "POST", sessionsPath, fields{"agentId": "nobody"}).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", sessionsPath, fields{}).refused(t, 400, fault.Validation, "agentId")
}
