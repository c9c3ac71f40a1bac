//go:build !apache

package node_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// From the session down to a step, every event is found once.
func TestSpansOfASessionAreRead(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.readMeter(t)
	all := w.traced(t, id, "?limit=1000")
	found := 0
	var walk func(span string)
	walk = func(span string) {
		page := w.traced(t, id, "/"+span+"/children")
		found += len(page.Events)
		require.Equal(t, map[string]int{"total": len(page.Children), "limit": 100, "offset": 0}, page.Pagination)
		for _, c := range page.Children {
			require.Equal(t, span, c["parentSpanId"])
			walk(c["spanId"].(string))
		}
	}
	walk(id)
	require.Equal(t, all.Pagination["total"], found)
	require.Equal(t, found, int(w.traced(t, id, "/"+id+"/children").Span["eventCount"].(float64)))

	turns := w.traced(t, id, "/"+id+"/children?limit=1&offset=2")
	require.Equal(t, map[string]int{"total": 3, "limit": 1, "offset": 2}, turns.Pagination)
	require.Equal(t, []any{id + ".3", "turn", "3"}, []any{turns.Children[0]["spanId"], turns.Children[0]["kind"], turns.Children[0]["name"]})
	var agents []any
	for _, c := range w.traced(t, id, "/"+id+".3/children").Children {
		require.Equal(t, "agent", c["kind"])
		agents = append(agents, c["name"])
	}
	require.Equal(t, []any{"meter", "closer"}, agents)
	require.Empty(t, w.traced(t, id, "?limit=1&offset=1000").Events)
	for _, unknown := range []string{id + ".4", "nope", uuid.NewString()} {
		w.ask(t, "GET", sessionsPath+"/"+id+"/traces/"+unknown+"/children", nil).refused(t, 404, fault.NotFound)
	}
	w.ask(t, "GET", sessionsPath+"/"+id+"/traces/"+id+"/children?limit=1001", nil).refused(t, 400, fault.Validation, "limit")
	w.onlyReadersOfTheProject(t, sessionsPath+"/"+id+"/traces/"+id+"/children")
}

// onlyReadersOfTheProject refuses whoever may not read sessions of the project.
func (w talkWorld) onlyReadersOfTheProject(t *testing.T, path string) {
	t.Helper()
	w.onlyReaders(t, path)
	w.b.do(t, "GET", path, nil, "Authorization", "Bearer "+w.cluster.tenant(t, "").token(t)).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", strings.Replace(path, mainApp, otherApp, 1), nil).refused(t, 404, fault.NotFound)
}

// onlyReaders refuses a key that may chat and not read.
func (w talkWorld) onlyReaders(t *testing.T, path string) {
	t.Helper()
	scope := "as-" + uuid.NewString()
	w.scope(t, scope, "chat only", mainApp, access.RunAPI)
	w.b.do(t, "GET", path, nil, "X-API-Key", w.key(t, scope)).refused(t, 403, fault.Forbidden)
	scope = "as-" + uuid.NewString()
	w.scope(t, scope, "reads", mainApp, access.SessionsList)
	w.b.do(t, "GET", path, nil, "X-API-Key", w.key(t, scope)).must(t, 200)
}

func TestModelsThatWereAskedInSessionsAreListed(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	first, second := w.begin(t, "meter"), w.begin(t, "closer")
	tokens := w.complete(t, first, "Hello")
	w.complete(t, second, "Good day to you")
	w.complete(t, "of-nobody", "Hello")
	w.complete(t, "", "Hello")
	page := w.generations(t, "")
	require.Equal(t, map[string]int{"total": 2, "limit": 50, "offset": 0}, page.Pagination, "what is of no session is not in it")
	require.Equal(t, []any{second, first}, []any{page.Generations[0]["sessionId"], page.Generations[1]["sessionId"]}, "the newest first")
	one := w.generations(t, "?sessionId="+first+"&modelId=local&limit=200").Generations[0]
	require.Equal(t, []any{"llm_call", "meter", "local", "ok", "end_turn", false}, []any{one["type"], one["agentName"], one["modelId"],
		one["status"], one["finishReason"], one["streamed"]})
	require.Equal(t, tokens, one["usage"].(map[string]any)["totalTokens"])
	require.Contains(t, one, "estimatedCost")
	require.Equal(t, second, w.generations(t, "?limit=1").Generations[0]["sessionId"])
	require.Empty(t, w.generations(t, "?modelId=other").Generations)
	require.Empty(t, w.generations(t, "?to=2020-01-01T00:00:00Z").Generations)
	today := time.Now().UTC().Format(time.DateOnly)
	require.Equal(t, 2, w.generations(t, "?to="+today).Pagination["total"], "a day is all of it")
	require.Equal(t, 2, w.generations(t, "?from="+time.Now().UTC().Add(-time.Hour).Format(time.DateOnly)).Pagination["total"])
	require.Empty(t, w.generations(t, "?offset=2").Generations)

	var s struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+first, nil).must(t, 200).into(t, &s)
	require.Equal(t, tokens, s.Session["tokenCount"], "the session says the same")

	for query, field := range map[string]string{"?limit=201": "limit", "?from=yesterday": "from", "?offset=-1": "offset",
		"?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z": "from", "?from=2026-01-02&to=2026-01-01": "from", "?to=soon": "to"} {
		w.ask(t, "GET", sessionsPath+"/generations"+query, nil).refused(t, 400, fault.Validation, field)
		w.ask(t, "GET", sessionsPath+query, nil).refused(t, 400, fault.Validation, field)
	}
	for query, found := range map[string]int{"?from=2026-01-02": 2, "?from=2999-01-01": 0, "?to=2026-01-02": 0, "?to=" + today: 2,
		"?from=2026-01-02&to=2026-01-02": 0, "?from=2026-01-02&to=" + today: 2} {
		var listed struct{ Total int }
		w.ask(t, "GET", sessionsPath+query, nil).must(t, 200).into(t, &listed)
		require.Equal(t, found, listed.Total, query)
	}
	w.onlyReaders(t, sessionsPath+"/generations")
	foreign := w.b.do(t, "GET", sessionsPath+"/generations", nil, "Authorization", "Bearer "+w.cluster.tenant(t, "").token(t))
	require.Contains(t, foreign.must(t, 200).Text, `"generations":[]`, "a project of the same name is another")
	w.ask(t, "GET", strings.Replace(sessionsPath, mainApp, "nowhere", 1)+"/generations", nil).refused(t, 404, fault.NotFound)
}

func (w talkWorld) exported(t *testing.T, query string) [][]string {
	t.Helper()
	got := w.ask(t, "GET", sessionsPath+"/export?"+query, nil).must(t, 200)
	require.Equal(t, "text/csv; charset=utf-8", got.Header.Get("Content-Type"))
	require.Contains(t, got.Header.Get("Content-Disposition"), "attachment")
	require.Contains(t, got.Text, "\r\n")
	lines, err := csv.NewReader(strings.NewReader(got.Text)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"sessionId", "channel", "timestamp", "type", "decisionKind", "agentName", "spanId", "parentSpanId", "detail",
		"data"}, lines[0])
	return lines[1:]
}

func TestTracesAreExported(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.readMeter(t)
	other := w.begin(t, "closer")
	w.say(t, other, "Hi")
	lines, traces := w.exported(t, "sessionId="+id), w.traced(t, id, "?limit=1000").Events
	require.Len(t, lines, len(traces))
	handoff := []string{}
	for i, line := range lines {
		e := traces[i]
		require.Equal(t, []any{id, "web_debug", e["timestamp"], e["type"], e["spanId"], e["parentSpanId"]},
			[]any{line[0], line[1], line[2], line[3], line[6], line[7]})
		if line[3] == "handoff" {
			handoff = line
		}
	}
	require.Equal(t, []string{"handoff", "meter", "'=1+1"}, []string{handoff[4], handoff[5], handoff[8]}, "no spreadsheet computes it")

	from := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	both := w.exported(t, "from="+from)
	require.Equal(t, []string{id, other}, []string{both[0][0], both[len(both)-1][0]}, "the oldest session first")
	require.Len(t, both, len(traces)+w.traced(t, other, "").Pagination["total"])
	require.Equal(t, both, w.exported(t, ""), "of the last 24 hours")
	require.Empty(t, w.exported(t, "from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z"))
	require.Equal(t, both, w.exported(t, "from="+from[:len(time.DateOnly)]+"&to="+time.Now().UTC().Format(time.DateOnly)), "days")
	require.Empty(t, w.exported(t, "to="+time.Now().Add(-24*time.Hour).UTC().Format(time.RFC3339)), "of the day before it")

	for query, field := range map[string]string{
		"sessionId=" + id + "&from=" + from:                 "sessionId",
		"from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z": "from", "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z": "from",
		"from=2026-01-02&to=2026-01-01": "from", "from=soon": "from"} {
		w.ask(t, "GET", sessionsPath+"/export?"+query, nil).refused(t, 400, fault.Validation, field)
	}
	w.exported(t, "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z") // 31 days
	w.ask(t, "GET", sessionsPath+"/export?sessionId="+uuid.NewString(), nil).refused(t, 404, fault.NotFound)
	w.onlyReadersOfTheProject(t, sessionsPath+"/export?sessionId="+id)
	require.Equal(t, http.StatusUnauthorized, w.b.do(t, "GET", sessionsPath+"/export?sessionId="+id, nil).Status)
}

// The figures are those of the session, of its transcript and of its traces, through a reset.
func TestFiguresOfASession(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "meter")
	empty := w.metrics(t, id)
	require.Zero(t, empty.MessageCount+empty.TurnCount+empty.TraceEventCount+empty.ModelCalls["count"])
	hello := w.say(t, id, "Hi")
	w.ask(t, "POST", sessionsPath+"/"+id+"/reset", nil).must(t, 200)
	w.say(t, id, "Hi")
	w.say(t, id, "the gas", fields{"action": fields{"id": "kind", "value": "gas"}})
	w.say(t, id, "1234")
	for _, rating := range []any{"up", 2} {
		w.ask(t, "POST", "/api/v1/feedback", fields{"sessionId": id, "messageId": hello.MessageID, "rating": rating}).must(t, 200)
	}
	tokens := w.complete(t, id, "Hello") + w.complete(t, id, "Good day to you")

	m := w.metrics(t, id)
	var s struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &s)
	require.Equal(t, []any{s.Session["messageCount"], s.Session["traceEventCount"], s.Session["errorCount"], s.Session["handoffCount"],
		s.Session["durationMs"], s.Session["tokenCount"], s.Session["estimatedCost"]}, []any{m.MessageCount, m.TraceEventCount, m.ErrorCount,
		m.HandoffCount, m.DurationMs, m.TokenCount, m.EstimatedCost})
	var said struct{ Pagination map[string]int }
	w.ask(t, "GET", "/api/v1/sessions/"+id+"/transcripts?includeBeforeReset=true", nil).must(t, 200).into(t, &said)
	traces := w.traced(t, id, "?limit=1000")
	require.Equal(t, []int{said.Pagination["total"], traces.Pagination["total"]}, []int{int(m.MessageCount), int(m.TraceEventCount)})
	byType := map[string]int{}
	for _, e := range traces.Events {
		byType[e["type"].(string)]++
	}
	require.Equal(t, byType, m.ByType)
	require.Equal(t, []float64{4, 1, 0}, []float64{m.TurnCount, m.HandoffCount, m.ErrorCount})
	require.Equal(t, []any{"meter", 4., 5., 1., "closer", 1., 1., 0.}, []any{m.ByAgent[0]["agentName"], m.ByAgent[0]["turns"],
		m.ByAgent[0]["messages"], m.ByAgent[0]["handoffs"], m.ByAgent[1]["agentName"], m.ByAgent[1]["turns"], m.ByAgent[1]["messages"],
		m.ByAgent[1]["handoffs"]})
	require.Equal(t, []float64{2, 0, tokens}, []float64{m.ModelCalls["count"], m.ModelCalls["failed"], m.ModelCalls["inputTokens"] +
		m.ModelCalls["outputTokens"]})
	require.Equal(t, []any{1, "local", 2.}, []any{len(m.ByModel), m.ByModel[0]["modelId"], m.ByModel[0]["count"]})
	require.Equal(t, map[string]int{"2": 1}, m.Feedback.ByRating, "the last one of a message counts")
	w.onlyReadersOfTheProject(t, sessionsPath+"/"+id+"/metrics")
}

func TestASessionIsAnalyzed(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.readMeter(t)
	analysis := func(session, query string) (page struct {
		Success    bool
		Findings   []map[string]any
		Pagination map[string]int
	}) {
		w.ask(t, "GET", sessionsPath+"/"+session+"/analysis"+query, nil).must(t, 200).into(t, &page)
		require.True(t, page.Success)
		return page
	}
	found := analysis(id, "")
	require.Equal(t, map[string]int{"total": 1, "limit": 100, "offset": 0}, found.Pagination)
	f := found.Findings[0]
	require.Equal(t, []any{"condition_error", "error", "closer", 1.}, []any{f["kind"], f["severity"], f["agentName"], f["count"]},
		"there is no caller.userId")
	require.Contains(t, f["message"], "caller.userId")
	span := w.traced(t, id, "?spanId="+f["spanId"].(string)+"&eventType=condition_error")
	require.Len(t, span.Events, 1, "it is seen in that span")
	require.Equal(t, f["timestamp"], span.Events[0]["timestamp"])
	require.Empty(t, analysis(id, "?severity=warning").Findings)
	require.Empty(t, analysis(id, "?offset=1").Findings)
	well := w.begin(t, "meter")
	w.say(t, well, "Hi")
	require.Empty(t, analysis(well, "").Findings)
	w.ask(t, "GET", sessionsPath+"/"+id+"/analysis?severity=bad", nil).refused(t, 400, fault.Validation, "severity")
	w.onlyReadersOfTheProject(t, sessionsPath+"/"+id+"/analysis")
}
