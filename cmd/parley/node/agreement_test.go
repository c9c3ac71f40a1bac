package node_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// foldedSession is what a fold of the log gives of a session.
type foldedSession struct {
	figures                    sessions.Figures
	received, said             int
	models, tools, toolsFailed int
	turns, handoffs, feedback  int
	tokens                     int64
	cost                       int64
}

func (w talkWorld) folded(t *testing.T, session string) (out foldedSession) {
	t.Helper()
	told := served(t, func() (eventstore.Told[sessions.State], error) {
		return eventstore.History(t.Context(), w.cluster.a.Store(), sessions.Sessions, sessions.Sessions.Stream(session))
	})
	out.figures = told.State.Talk.Figures
	for _, e := range told.Events {
		switch e := e.Payload.(type) {
		case sessions.MessageReceived:
			out.received++
		case sessions.Said:
			out.said++
		case sessions.HandedOff:
			out.handoffs++
		case sessions.FeedbackGiven:
			out.feedback++
		case sessions.TurnEnded:
			out.turns++
		case sessions.CallEnded:
			out.tools++
			if e.Outcome != sessions.CallOK {
				out.toolsFailed++
			}
		case sessions.ModelAnswered:
			out.models++
			out.tokens += e.TokensIn + e.TokensOut
			out.cost += *e.CostPico
		}
	}
	return out
}

// Given sessions of every kind (scripted, led by a model with a tool, a tool that fails, a handoff,
// a reset, feedback, a completion, a test), then what traces, transcripts, figures, generations,
// usage and analytics say of them is the same, it is what a fold of the log gives, and what a
// rebuild gives.
func TestWhatIsSaidOfSessionsAgrees(t *testing.T) {
	w := newTooled(t, "1h")
	w.apply(t, "Agent", "a-guide", "guide", fields{"projectId": mainApp, "dslContent": strings.ReplaceAll(`DSL: 1
AGENT: guide
GOAL: Find people.
TOOLS: {look_up: {KIND: http, URL: "SERVER/customers", QUERY: {name: "{{ args.name }}"}, RETRY: {MAX: 0},
  PARAMS: {type: object, required: [name], properties: {name: {type: string}}}}}
HANDOFF: [{TO: closer, INTENT: wants to leave}]
`, "SERVER", w.server.URL)})

	scripted := w.readMeter(t)
	reset := w.begin(t, "meter")
	hello := w.say(t, reset, "Hi")
	w.ask(t, "POST", sessionsPath+"/"+reset+"/reset", nil).must(t, 200)
	w.say(t, reset, "Hi")
	w.ask(t, "POST", "/api/v1/feedback", fields{"sessionId": reset, "messageId": hello.MessageID, "rating": "up"}).must(t, 200)
	model := w.begin(t, "guide")
	w.say(t, model, `look_up {"name":"Ann"}`)
	completed := w.complete(t, model, "Hello")
	w.answering(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusTeapot) })
	w.say(t, model, `look_up {"name":"Bob"}`)
	w.say(t, model, "hand_off_to_closer please")
	w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: desk
HANDOFF: [{TO: guide, WHEN: 'turn.text != ""'}]
FLOW: {START: wait, STEPS: {wait: {SAY: "Yes?"}}}
`})
	moved := w.begin(t, "desk") // the model is asked by another agent than the session's
	w.say(t, moved, "Hello")
	broken := w.begin(t, "shop")
	w.say(t, broken, "Hello")
	w.say(t, broken, "Ann")
	w.deploy(t, "production", fields{"entryAgentName": "guide"})
	var tested chatAnswer
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": `look_up {"name":"Zoe"}`, "testContext": fields{
		"toolMocks": []fields{{"tool": "look_up", "result": fields{"id": 1}}}}}).must(t, 200).into(t, &tested)

	var reported, all foldedSession
	for _, id := range []string{scripted, reset, model, moved, broken, tested.SessionID} {
		of, extra := w.folded(t, id), 0.0
		if id == model {
			extra = completed
		}
		w.agrees(t, id, of, extra)
		all.add(of)
		if id != tested.SessionID {
			reported.add(of)
		}
	}
	require.Equal(t, []int{3, 2, 8, 1}, []int{reported.handoffs, reported.toolsFailed, all.models, reported.feedback},
		"the sessions have what this is about")

	var used chatUsage
	w.ask(t, "GET", usagePath, nil).must(t, 200).into(t, &used)
	require.Equal(t, []float64{float64(all.models + 1), float64(all.tokens) + completed},
		[]float64{used.Summary["requestCount"], used.Summary["totalTokens"]}, "tests cost, too")

	a := newAnalyst(t, w.b, w.tenant)
	a.current(t)
	counts, tokens := a.counts(t)
	for eventType, want := range map[string]int{"message_received": reported.received, "message_sent": reported.said,
		"turn_ended": reported.turns, "handed_off": reported.handoffs, "tool_call": reported.tools, "llm_call": reported.models,
		"llm_completion": 1, "feedback_given": reported.feedback} {
		require.EqualValues(t, want, counts[eventType], eventType)
	}
	require.Equal(t, float64(reported.tokens)+completed, tokens)
	single := 0.0 // what single events say of it
	for _, e := range a.asked(t) {
		require.Equal(t, "local", e.Metadata["model"])
		single += e.Metadata["tokens_in"].(float64) + e.Metadata["tokens_out"].(float64)
	}
	require.Equal(t, tokens, single)
	require.Equal(t, []float64{0, 0}, []float64{used.Summary["totalCost"], used.Summary["unpricedRequests"]}, "the price is known: it is 0")
	for _, cost := range a.costs(t) {
		require.Equal(t, 0.0, cost, "analytics say what usage says")
	}
	differences, err := w.cluster.rebuild(t, w.cluster.a, true)
	require.NoError(t, err)
	require.Empty(t, differences)
}

func (l *foldedSession) add(of foldedSession) {
	l.received, l.said, l.models, l.tools = l.received+of.received, l.said+of.said, l.models+of.models, l.tools+of.tools
	l.toolsFailed, l.turns, l.handoffs = l.toolsFailed+of.toolsFailed, l.turns+of.turns, l.handoffs+of.handoffs
	l.feedback, l.tokens, l.cost = l.feedback+of.feedback, l.tokens+of.tokens, l.cost+of.cost
}

// agrees compares all that is shown of a session; completed are tokens of completions of it.
func (w talkWorld) agrees(t *testing.T, id string, of foldedSession, completed float64) {
	t.Helper()
	var shown struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &shown)
	var said struct{ Pagination map[string]int }
	w.ask(t, "GET", "/api/v1/sessions/"+id+"/transcripts?includeBeforeReset=true", nil).must(t, 200).into(t, &said)
	traces, m, generations := w.traced(t, id, "?limit=1000"), w.metrics(t, id), w.generations(t, "?sessionId="+id)
	require.Equal(t, of.received+of.said, of.figures.Messages)
	require.Equal(t, of.turns, of.figures.Turns)
	for where, got := range map[string]float64{"the session": shown.Session["messageCount"].(float64),
		"its transcript": float64(said.Pagination["total"]), "its metrics": m.MessageCount} {
		require.EqualValues(t, of.figures.Messages, got, "messages of %s", where)
	}
	for where, got := range map[string]float64{"the session": shown.Session["traceEventCount"].(float64),
		"its traces": float64(traces.Pagination["total"]), "its metrics": m.TraceEventCount} {
		require.EqualValues(t, of.figures.Traces, got, "traces of %s", where)
	}
	byTurn := 0.0
	for _, e := range w.traced(t, id, "?limit=1000&include=metrics").Events {
		switch data := e["data"].(map[string]any); e["type"] {
		case "turn_ended":
			usage := data["usage"].(map[string]any)
			byTurn += usage["inputTokens"].(float64) + usage["outputTokens"].(float64)
			require.Contains(t, data, "estimatedCost")
			fallthrough
		case "tool_call", "llm_call":
			require.Contains(t, data, "durationMs", e["type"])
		}
	}
	require.EqualValues(t, of.tokens, byTurn, "what models took in turns")
	byType := map[string]int{}
	for _, e := range traces.Events {
		byType[e["type"].(string)]++
	}
	require.Equal(t, byType, m.ByType)
	require.Equal(t, []int{of.models, of.tools, of.handoffs, of.turns}, []int{byType["llm_call"], byType["tool_call"], byType["handoff"],
		byType["turn_ended"]}, "traces are the log's")
	require.Equal(t, []float64{float64(of.figures.Errors), float64(of.figures.Handoffs), float64(of.figures.Turns)},
		[]float64{m.ErrorCount, m.HandoffCount, m.TurnCount})
	require.Equal(t, []any{m.ErrorCount, m.HandoffCount, m.TokenCount}, []any{shown.Session["errorCount"], shown.Session["handoffCount"],
		shown.Session["tokenCount"]})
	calls := of.models
	if completed > 0 {
		calls++
	}
	tokens := float64(of.tokens) + completed
	sum := 0.0
	asked := map[any]any{} // by whom, as traces say it
	for _, e := range traces.Events {
		if data := e["data"].(map[string]any); e["type"] == "llm_call" {
			asked[data["callId"]] = data["agentName"]
		}
	}
	for _, g := range generations.Generations {
		if agent, is := asked[g["id"]]; is {
			require.Equal(t, agent, g["agentName"])
		}
		sum += g["usage"].(map[string]any)["totalTokens"].(float64)
	}
	require.Equal(t, []float64{float64(calls), float64(calls), tokens, tokens, tokens}, []float64{float64(generations.Pagination["total"]),
		m.ModelCalls["count"], sum, m.TokenCount, m.ModelCalls["inputTokens"] + m.ModelCalls["outputTokens"]}, "what models did")
}

// modelEvent is an event of the category llm.
type modelEvent struct{ Metadata map[string]any }

// asked are the events of models.
func (a analyst) asked(t *testing.T) []modelEvent {
	t.Helper()
	var got struct{ Data struct{ Events []modelEvent } }
	a.get(t, "/analytics/events?category=llm").must(t, 200).into(t, &got)
	return got.Data.Events
}

// costs are what models cost, as each of the analytics says it.
func (a analyst) costs(t *testing.T) (of []any) {
	t.Helper()
	var got struct {
		Data struct {
			SumCost any              `json:"sum_cost"`
			ByModel []map[string]any `json:"by_model"`
		}
	}
	a.get(t, "/analytics/cost-breakdown").must(t, 200).into(t, &got)
	metrics := a.figures(t, "/analytics/metrics?metrics=sum_cost&category=llm").Data.Buckets
	require.Equal(t, []int{1, 1}, []int{len(got.Data.ByModel), len(metrics)})
	return []any{got.Data.SumCost, got.Data.ByModel[0]["sum_cost"], metrics[0]["sum_cost"]}
}

// counts is how many events of each type there were, and the tokens of models.
func (a analyst) counts(t *testing.T) (of map[string]float64, tokens float64) {
	t.Helper()
	var got figures
	a.post(t, "/analytics/aggregate", fields{"timeRange": fields{"from": time.Now().Add(-time.Hour), "to": time.Now().Add(time.Hour)},
		"groupBy": []string{"event_type"}, "metrics": []string{"count", "sum_tokens"}}).must(t, 200).into(t, &got)
	of = map[string]float64{}
	for _, b := range got.Data.Buckets {
		of[b["event_type"].(string)] = b["count"].(float64)
		tokens += b["sum_tokens"].(float64)
	}
	return of, tokens
}
