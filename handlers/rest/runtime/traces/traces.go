// Package traces has the operations by which one reads what happened in sessions.
//
// It reads it from the streams of sessions themselves. Sessions are found, begun and ended by
// package runtime.
package traces

import (
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

const (
	sessionsPath = "/api/projects/{projectId}/sessions"
	sessionPath  = sessionsPath + "/{id}"
	tag          = "Sessions"
)

// API is what the operations need.
type API struct {
	Chat  runtime.ChatAPI
	Begun sessionReader
	Asked modelReader

	Deliveries deliveryReader
}

// sessionReader knows the sessions of projects.
type sessionReader interface {
	Begun(ctx context.Context, tenant, project string, from, to time.Time, after models.Session, limit int) ([]models.Session, error)
}

// modelReader knows what models were asked in sessions.
type modelReader interface {
	Generations(ctx context.Context, q models.GenerationQuery) ([]models.Generation, int, error)
	OfSession(ctx context.Context, tenant, project, session string) ([]models.ModelCalls, error)
}

// Declare adds them. Their paths hide none of package runtime's when they come before these.
func Declare(api *rest.API, x API) {
	read, of := access.Needs(access.PermSessionRead), x.Chat.SessionOfPath()
	rest.Declare(api, rest.Operation{
		ID: "list-generations", Method: http.MethodGet, Path: sessionsPath + "/generations", Tags: []string{tag},
		Summary: "List what models were asked in the sessions of a project",
		Description: "The newest first, of the last 24 hours unless said. Which session one is of is said by who asks, as of " +
			"complete-chat.",
		Requirement: read, Resolve: rest.ProjectFrom("projectId"),
	}, x.generations)
	x.declareExport(api)
	rest.Declare(api, rest.Operation{
		ID: "session-traces", Method: http.MethodGet, Path: sessionPath + "/traces", Tags: []string{tag},
		Summary: "Read what happened in a session",
		Description: "Oldest first. Each event is in a span: of the turn, of an agent in it, or of a step of that agent. The span of a turn " +
			"has the session's id with the turn's number. Of a session by a channel, `delivery` says what became of each reply: `status`, " +
			"`attempts`, and `code` and `reason` of the last that failed.",
		Requirement: read, Resolve: of,
	}, x.traces)
	rest.Declare(api, rest.Operation{
		ID: "span-children", Method: http.MethodGet, Path: sessionPath + "/traces/{spanId}/children", Tags: []string{tag},
		Summary: "Read what a span of a session consists of",
		Description: "The spans that are directly in it, a page of them, and the events of these. The session's own id is a span too: its " +
			"children are the turns.",
		Requirement: read, Resolve: of, Refusals: []fault.Code{fault.NotFound},
	}, x.children)
	rest.Declare(api, rest.Operation{
		ID: "session-metrics", Method: http.MethodGet, Path: sessionPath + "/metrics", Tags: []string{tag},
		Summary:     "Read the figures of a session",
		Description: "Counted in what happened in it; those of models as list-generations has them.",
		Requirement: read, Resolve: of,
	}, x.metrics)
	rest.Declare(api, rest.Operation{
		ID: "session-analysis", Method: http.MethodGet, Path: sessionPath + "/analysis", Tags: []string{tag},
		Summary: "Read what is conspicuous in a session",
		Description: "By rules, without a model; each finding names the span where it is seen. What happened again and again for the same " +
			"reason is one finding, of its first span, with a count.",
		Requirement: read, Resolve: of,
	}, x.analysis)
}

type tracesIn struct {
	runtime.SessionPath
	EventType string `query:"eventType" maxLength:"64" doc:"Only of this type, such as handoff."`
	Decision  string `query:"decisionKind" maxLength:"64" doc:"Only decisions of this kind: routing, handoff, escalation, completion, retry, stop, pause, resume."`
	SpanID    string `query:"spanId" maxLength:"128" doc:"Only of this span, and of those in it."`
	Include   string `query:"include" enum:"metrics" doc:"Adds to the end of each turn and of each call how long it was, in milliseconds (durationMs), and to that of a turn what its models took (usage, estimatedCost)."`
	TracesPage
}

// TracesPage is how much of a session is read at once.
type TracesPage struct {
	Limit  int `query:"limit" default:"100" minimum:"1" maximum:"1000"`
	Offset int `query:"offset" default:"0" minimum:"0"`
}

// TracedEvent is one thing that happened in a session.
type TracedEvent struct {
	ID           string         `json:"id"`
	Type         string         `json:"type" example:"handoff"`
	DecisionKind string         `json:"decisionKind,omitempty"`
	SpanID       string         `json:"spanId"`
	ParentSpanID string         `json:"parentSpanId" doc:"The span that this one is in."`
	Timestamp    string         `json:"timestamp" format:"date-time"`
	Data         map[string]any `json:"data"`
}

type tracesOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Events     []TracedEvent   `json:"events"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

// story is what happened in a session.
func (x API) story(ctx context.Context, session string) (story, error) {
	told, err := eventstore.History(ctx, x.Chat.Store, sessions.Sessions, sessions.Sessions.Stream(session))
	return storyOf(session, told.Events), err
}

func (x API) traces(ctx context.Context, in *tracesIn) (*tracesOut, error) {
	told, err := x.story(ctx, runtime.SessionOf(ctx).SessionID)
	if err != nil {
		return nil, err
	}
	found := told.traces(func(h happened) bool {
		return (in.EventType == "" || in.EventType == h.shown.Type) && (in.SpanID == "" || told.within(h.span, in.SpanID)) &&
			(in.Decision == "" || in.Decision == h.decision())
	})
	var figures measures
	if in.Include == "metrics" {
		figures = told.measures()
	}
	all := make([]traced, len(found))
	for i, h := range found {
		all[i] = traced{h.at, h.agent, func() TracedEvent {
			shown := h.traced()
			if figures != nil {
				figures.add(h, shown.Data)
			}
			return shown
		}}
	}
	if all, err = x.withDeliveries(ctx, rest.ProjectOf(ctx).TenantID, runtime.SessionOf(ctx).SessionID, all, in); err != nil {
		return nil, err
	}
	out := &tracesOut{}
	out.Body.Success, out.Body.Pagination = true, in.of(len(all))
	out.Body.Events = rest.Shown(page(all, in.TracesPage), func(t traced) TracedEvent { return t.show() })
	return out, nil
}

// of is what an answer says of the page, of so many in all.
func (p TracesPage) of(total int) rest.Pagination { return rest.Page(p).Of(total) }

// page is a part of what is there as a whole.
func page[T any](all []T, p TracesPage) []T { return rest.Window(all, p.Limit, p.Offset) }

type childrenIn struct {
	runtime.SessionPath
	SpanID string `path:"spanId" maxLength:"128" doc:"A span's id; of the session itself its id."`
	TracesPage
}

// Span is a part of what happened in a session.
type Span struct {
	SpanID       string `json:"spanId"`
	ParentSpanID string `json:"parentSpanId,omitempty"`
	Kind         string `json:"kind" enum:"session,turn,agent,step,tool,model,delegate"`
	Name         string `json:"name" doc:"Of the agent, the step, the tool or the DELEGATE; of a turn its number."`
	StartedAt    string `json:"startedAt,omitempty" format:"date-time"`
	EndedAt      string `json:"endedAt,omitempty" format:"date-time"`
	DurationMs   int64  `json:"durationMs"`
	EventCount   int    `json:"eventCount" doc:"With those of the spans in it."`
	Error        string `json:"error,omitempty" doc:"Why a turn did not come to its end, or what failed that it is of."`
}

func shownSpan(s *span) Span {
	return Span{SpanID: s.id, ParentSpanID: s.parent, Kind: s.kind, Name: s.name, StartedAt: moment(s.begun),
		EndedAt: moment(s.ended), DurationMs: s.ended.Sub(s.begun).Milliseconds(), EventCount: s.events, Error: s.failed}
}

// moment is empty for a span in which nothing has happened yet.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return rest.ISOTime(&at)
}

type childrenOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Span       Span            `json:"span"`
		Children   []Span          `json:"children" doc:"The spans directly in it, oldest first."`
		Events     []TracedEvent   `json:"events" doc:"Of these spans themselves: what is further below is read as their children."`
		Pagination rest.Pagination `json:"pagination" doc:"Of children."`
	}
}

func (x API) children(ctx context.Context, in *childrenIn) (*childrenOut, error) {
	told, err := x.story(ctx, runtime.SessionOf(ctx).SessionID)
	if err != nil {
		return nil, err
	}
	parent := told.byID[in.SpanID]
	if parent == nil {
		return nil, fault.New(fault.NotFound, "the session has no such span")
	}
	all := told.children(in.SpanID)
	shown, isShown := page(all, in.TracesPage), map[*span]bool{}
	for _, s := range shown {
		isShown[s] = true
	}
	out := &childrenOut{}
	out.Body.Success, out.Body.Span, out.Body.Children = true, shownSpan(parent), rest.Shown(shown, shownSpan)
	out.Body.Events = rest.Shown(told.traces(func(h happened) bool { return isShown[h.span] }), happened.traced)
	out.Body.Pagination = in.of(len(all))
	return out, nil
}
