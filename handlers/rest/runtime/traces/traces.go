// Package traces has the operations by which one reads what happened in sessions.
//
// It reads it from the streams of sessions themselves. Sessions are found, begun and ended by
// package runtime.
package traces

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

const (
	sessionsPath = "/api/projects/{projectId}/sessions"
	sessionPath  = sessionsPath + "/{id}"
	tag          = "Sessions"
)

// API is what the operations need.
type API struct{ Chat runtime.ChatAPI }

// Declare adds them.
func Declare(api *rest.API, x API) {
	rest.Declare(api, rest.Operation{
		ID: "session-traces", Method: http.MethodGet, Path: sessionPath + "/traces", Tags: []string{tag},
		Summary:     "Read what happened in a session",
		Description: "Oldest first. A span is one turn; its id is that of the session with the turn's number.",
		Requirement: access.Needs(access.PermSessionRead), Resolve: x.Chat.SessionOfPath(),
	}, x.traces)
}

type tracesIn struct {
	runtime.SessionPath
	EventType string `query:"eventType" maxLength:"64" doc:"Only of this type, such as handoff."`
	Decision  string `query:"decisionKind" maxLength:"64" doc:"Only decisions of this kind: routing, handoff, completion, retry, stop."`
	SpanID    string `query:"spanId" maxLength:"128" doc:"Only of this span."`
	Include   string `query:"include" enum:"metrics" doc:"Adds the duration of each span, in milliseconds."`
	Limit     int    `query:"limit" default:"100" minimum:"1" maximum:"1000"`
	Offset    int    `query:"offset" default:"0" minimum:"0"`
}

// TracedEvent is one thing that happened in a session.
type TracedEvent struct {
	ID           string         `json:"id"`
	Type         string         `json:"type" example:"handoff"`
	DecisionKind string         `json:"decisionKind,omitempty"`
	SpanID       string         `json:"spanId"`
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

// decisions are the kinds of decisions that types of trace events stand for.
var decisions = map[string]string{"step": "routing", "handoff": "handoff", "retry": "retry", "limit": "stop", "constraint": "stop"}

func (x API) traces(ctx context.Context, in *tracesIn) (*tracesOut, error) {
	told, err := eventstore.History(ctx, x.Chat.Store, sessions.Sessions, sessions.Sessions.Stream(runtime.SessionOf(ctx).SessionID))
	if err != nil {
		return nil, err
	}
	out, begun := &tracesOut{}, map[string]time.Time{}
	events := []TracedEvent{}
	for _, e := range told.Events {
		t, ok := runtime.TraceOf(e.Payload)
		if !ok {
			continue
		}
		turn, at := turnOf(e.Payload)
		span := spanOf(runtime.SessionOf(ctx).SessionID, turn)
		if begun[span].IsZero() {
			begun[span] = at
		}
		if in.Include == "metrics" && t.Type == "turn_ended" {
			t.Data["durationMs"] = at.Sub(begun[span]).Milliseconds()
		}
		kind := decisions[t.Type]
		if t.Type == "turn_ended" && t.Data["action"] == sessions.EndAction {
			kind = "completion"
		}
		if in.EventType != "" && in.EventType != t.Type || in.SpanID != "" && in.SpanID != span || in.Decision != "" && in.Decision != kind {
			continue
		}
		events = append(events, TracedEvent{ID: e.ID, Type: t.Type, DecisionKind: kind, SpanID: span, Timestamp: rest.ISOTime(&at), Data: t.Data})
	}
	out.Body.Success, out.Body.Events = true, events[min(in.Offset, len(events)):min(in.Offset+in.Limit, len(events))]
	out.Body.Pagination = rest.Pagination{Total: len(events), Limit: in.Limit, Offset: in.Offset}
	return out, nil
}

// turnOf is the turn that an event belongs to.
func turnOf(p event.Payload) (int, time.Time) {
	t, _ := p.(interface{ Of() sessions.InTurn })
	if t == nil {
		return 0, time.Time{}
	}
	return t.Of().Turn, t.Of().At
}

func spanOf(session string, turn int) string { return session + "." + strconv.Itoa(turn) }
