package traces

import (
	"context"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

// SessionMetrics are the figures of a session.
type SessionMetrics struct {
	SessionID       string            `json:"sessionId"`
	MessageCount    int               `json:"messageCount" doc:"Of both sides, also before a reset."`
	TraceEventCount int               `json:"traceEventCount"`
	TokenCount      int               `json:"tokenCount" doc:"Of models: in and out."`
	EstimatedCost   float64           `json:"estimatedCost" doc:"Of models, in US dollars."`
	ErrorCount      int               `json:"errorCount" doc:"Turns and calls that failed."`
	HandoffCount    int               `json:"handoffCount"`
	DurationMs      int64             `json:"durationMs" doc:"To the end, or to the last activity."`
	TurnCount       int               `json:"turnCount"`
	ModelCalls      ModelCallFigures  `json:"modelCalls" doc:"Of its turns, and of completions that name the session."`
	ByModel         []ModelInSession  `json:"byModel" doc:"What took most tokens first."`
	ToolCalls       ToolCallFigures   `json:"toolCalls"`
	ByTool          []ToolInSession   `json:"byTool" doc:"What was called first is first."`
	ByAgent         []AgentInSession  `json:"byAgent" doc:"Who was at it first is first."`
	ByType          map[string]int    `json:"byType" doc:"Trace events of each type."`
	Feedback        FeedbackInSession `json:"feedback"`
}

// ModelCallFigures are those of calls.
type ModelCallFigures struct {
	Count         int64   `json:"count" doc:"Those that failed as well."`
	Failed        int64   `json:"failed"`
	InputTokens   int64   `json:"inputTokens"`
	OutputTokens  int64   `json:"outputTokens"`
	EstimatedCost float64 `json:"estimatedCost" doc:"US dollars, of those whose price is known."`
	Unpriced      int64   `json:"unpriced" doc:"That took tokens whose price is not known."`
	P50Ms         int64   `json:"p50Ms" doc:"Half of them took as long at most."`
	P95Ms         int64   `json:"p95Ms"`
}

// ModelInSession are those of one model.
type ModelInSession struct {
	ModelID  string `json:"modelId" doc:"Empty: no model began to answer."`
	Provider string `json:"provider"`
	ModelCallFigures
}

// AgentInSession are those of one agent.
type AgentInSession struct {
	AgentName string `json:"agentName"`
	Turns     int    `json:"turns" doc:"In which it was at it."`
	Messages  int    `json:"messages" doc:"That it said."`
	Steps     int    `json:"steps" doc:"Times that it came to a step."`
	Handoffs  int    `json:"handoffs" doc:"Times that it gave the conversation to another."`
	Returns   int    `json:"returns" doc:"Times that it gave it back."`
}

// FeedbackInSession are of the last feedback on each message.
type FeedbackInSession struct {
	Messages int            `json:"messages"`
	ByRating map[string]int `json:"byRating"`
}

type figuresOut struct {
	Body struct {
		Success bool           `json:"success"`
		Metrics SessionMetrics `json:"metrics"`
	}
}

func (x API) metrics(ctx context.Context, _ *struct{ runtime.SessionPath }) (*figuresOut, error) {
	s := runtime.SessionOf(ctx)
	told, err := x.story(ctx, s.SessionID)
	if err != nil {
		return nil, err
	}
	calls, err := x.Asked.OfSession(ctx, rest.ProjectOf(ctx).TenantID, s.ProjectID, s.SessionID)
	if err != nil {
		return nil, err
	}
	out := &figuresOut{}
	out.Body.Success = true
	m := &out.Body.Metrics
	m.SessionID = s.SessionID
	m.ByModel = []ModelInSession{}
	for _, c := range calls {
		if c.Together {
			m.ModelCalls = shownCalls(c)
			continue
		}
		m.ByModel = append(m.ByModel, ModelInSession{c.ModelID, c.Provider, shownCalls(c)})
	}
	told.count(m)
	m.TokenCount, m.EstimatedCost = int(m.ModelCalls.InputTokens+m.ModelCalls.OutputTokens), m.ModelCalls.EstimatedCost
	m.DurationMs = s.Lasted().Milliseconds()
	return out, nil
}

func shownCalls(c models.ModelCalls) ModelCallFigures {
	return ModelCallFigures{c.Calls, c.Failed, c.In, c.Out, completions.Dollars(c.Cost), c.Unpriced, c.P50, c.P95}
}

// count fills in what the session's own events say.
func (s story) count(m *SessionMetrics) {
	m.ToolCalls, m.ByTool = s.tools()
	m.ByAgent, m.ByType, m.Feedback.ByRating = []AgentInSession{}, map[string]int{}, map[string]int{}
	place, ratings, seen := map[string]int{}, map[string]string{}, map[string]bool{}
	agent := func(name string) *AgentInSession {
		if _, ok := place[name]; !ok {
			place[name] = len(m.ByAgent)
			m.ByAgent = append(m.ByAgent, AgentInSession{AgentName: name})
		}
		return &m.ByAgent[place[name]]
	}
	for _, x := range s.spans {
		if key := s.turnOf(x) + "/" + x.name; x.kind == ofAgent && !seen[key] {
			seen[key] = true
			agent(x.name).Turns++
		}
	}
	for _, h := range s.happened {
		if h.shown != nil {
			m.TraceEventCount++
			m.ByType[h.shown.Type]++
		}
		if errored(h.was) {
			m.ErrorCount++
		}
		switch e := h.was.(type) {
		case sessions.MessageReceived:
			m.TurnCount++
			m.MessageCount++
		case sessions.PassedOn, sessions.PersonSaid:
			m.MessageCount++
		case sessions.PickedUp:
			m.TurnCount++
		case sessions.Said:
			m.MessageCount++
			agent(e.Agent).Messages++
		case sessions.StepEntered:
			agent(e.Agent).Steps++
		case sessions.HandedOff:
			m.HandoffCount++
			agent(e.From).Handoffs++
		case sessions.HandedBack:
			agent(e.From).Returns++
		case sessions.FeedbackGiven:
			ratings[e.MessageID] = e.Rating
		}
	}
	m.Feedback.Messages = len(ratings)
	for _, r := range ratings {
		m.Feedback.ByRating[r]++
	}
}

// errored reports whether an event tells of a turn or a call that failed. What was cancelled did not.
func errored(p event.Payload) bool {
	switch e := p.(type) {
	case sessions.TurnEnded:
		return e.Failed != ""
	case sessions.CallEnded:
		return e.Outcome != sessions.CallOK && e.Outcome != sessions.CallCancelled
	case sessions.ModelAnswered:
		return e.Failed != "" && e.Failed != sessions.CodeCancelled
	}
	return false
}
