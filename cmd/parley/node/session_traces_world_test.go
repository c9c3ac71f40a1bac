package node_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readMeter is a whole conversation: a reading, a handoff, an end.
func (w talkWorld) readMeter(t *testing.T) (session string) {
	t.Helper()
	source := strings.Replace(readingAgent, "REASON: Read", `REASON: "=1+1"`, 1)
	w.ask(t, "PUT", agentsPath+"/meter/dsl", fields{"dslContent": source}).must(t, 200)
	session = w.begin(t, "meter")
	w.say(t, session, "Hi")
	w.say(t, session, "the gas", fields{"action": fields{"id": "kind", "value": "gas"}})
	w.say(t, session, "1234")
	return session
}

type tracePage struct {
	Success    bool
	Events     []map[string]any
	Children   []map[string]any
	Span       map[string]any
	Pagination map[string]int
}

func (w talkWorld) traced(t *testing.T, session, query string) (page tracePage) {
	t.Helper()
	w.ask(t, "GET", sessionsPath+"/"+session+"/traces"+query, nil).must(t, 200).into(t, &page)
	require.True(t, page.Success)
	return page
}

// generationsPage is what list-generations answers.
type generationsPage struct {
	Generations []map[string]any
	Pagination  map[string]int
}

func (w talkWorld) generations(t *testing.T, query string) (page generationsPage) {
	t.Helper()
	w.ask(t, "GET", sessionsPath+"/generations"+query, nil).must(t, 200).into(t, &page)
	return page
}

// complete has a model asked while a session goes on, and gives the tokens that it took.
func (w talkWorld) complete(t *testing.T, session, text string) (tokens float64) {
	t.Helper()
	var got shownCompletion
	w.ask(t, "POST", completePath, fields{"projectId": mainApp, "sessionId": session, "messages": []fields{said("user", text)}}).must(t,
		200).into(t, &got)
	return *got.Usage["totalTokens"]
}

// sessionMetrics is what session-metrics answers.
type sessionMetrics struct {
	MessageCount, TraceEventCount, TokenCount, ErrorCount, HandoffCount, TurnCount, DurationMs float64
	EstimatedCost                                                                              float64
	ModelCalls                                                                                 map[string]float64
	ByModel, ByAgent                                                                           []map[string]any
	ByType                                                                                     map[string]int
	Feedback                                                                                   struct {
		Messages int
		ByRating map[string]int
	}
}

func (w talkWorld) metrics(t *testing.T, session string) sessionMetrics {
	t.Helper()
	var out struct{ Metrics sessionMetrics }
	w.ask(t, "GET", sessionsPath+"/"+session+"/metrics", nil).must(t, 200).into(t, &out)
	return out.Metrics
}
