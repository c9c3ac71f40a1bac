package voice

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// CallSessions opens the session of a call when it is answered, tells it what the
// detection found out, and ends it with the call.
type CallSessions struct{ Store *eventstore.Store }

// Reactor declares it. A session has the id that the call's answer gave it, so
// opening it twice is opening it once.
func (c CallSessions) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "call-sessions", Categories: []*event.Category{calls.Calls.Category}, Side: reactors.AtLeastOnce,
		Handle: c.handle,
		Events: []event.Payload{calls.Answered{}, calls.AmdDetected{}, calls.Completed{}}}
}

func (c CallSessions) handle(ctx context.Context, e reactors.Event) error {
	call, err := eventstore.Read(ctx, c.Store, calls.Calls, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	s := call.State
	if s.Joins() { // the session has a life of its own
		return nil
	}
	open, err := sessionOf(s)
	if err != nil {
		return reactors.Poison(err)
	}
	decide := sessions.Inform{UserSession: open.UserSession, At: e.Time}.Decide
	switch p := e.Payload.(type) {
	case calls.Answered:
		decide = open.Decide
	case calls.Completed:
		decide = sessions.End{Reason: string(p.ReasonCode), At: p.At}.Decide
	}
	return eventstore.Do(ctx, c.Store, sessions.Sessions, sessions.Sessions.Stream(s.SessionID), reactors.Because("call-sessions",
		"session", e), decide)
}

// sessionOf is the session that the answer of a call opens, with what the call knows by now. Whose
// agent can be run takes messages.
func sessionOf(s calls.State) (sessions.Open, error) {
	known, err := members(s.UserSession())
	if err != nil {
		return sessions.Open{}, err
	}
	open := sessions.Open{ID: s.SessionID, TenantID: s.Request.TenantID, ProjectID: s.Request.ProjectID, Channel: "voice",
		CallID: s.Request.CallID, AgentName: s.Request.Flow.AgentName, UserSession: known, At: s.AnsweredAt}
	if s.Room() { // whose people write to it as well: it is no call's alone
		open.CallID = ""
	}
	if a := s.Agent; a != nil {
		open.AgentName = cmp.Or(a.Name, open.AgentName)
		open.Begun = &sessions.Begun{DeploymentID: a.DeploymentID, Environment: a.Environment, Manifest: a.Manifest, Language: a.Language,
			BudgetPico: a.BudgetPico}
		open.Begun.Caller, err = members(callerOf(s))
	}
	return open, err
}

// caller is what agents see of the person on the line, and of how the call came about.
type caller struct {
	UserID    string `json:"userId"` // the number or SIP address at the other end
	Channel   string `json:"channel"`
	Direction string `json:"direction"`
	OurNumber string `json:"ourNumber"`
	calls.Customer
}

func callerOf(s calls.State) caller {
	_, address, _ := strings.Cut(s.Request.Target, ":")
	direction := calls.Outbound
	if s.Came() {
		direction = s.Arrival.Direction
	}
	return caller{UserID: address, Channel: "voice", Direction: strings.ToLower(string(direction)), OurNumber: s.Request.OurNumber,
		Customer: calls.CustomerOf(s.Request.Metadata)}
}

// members takes the agent's context apart, as sessions keep it. Nothing is escaped
// that needs no escaping: the metadata stays as the caller sent it, and as large.
func members(u any) (map[string]json.RawMessage, error) {
	data, err := plainjson.Of(u)
	if err != nil {
		return nil, fmt.Errorf("encoding the agent's context: %w", err)
	}
	out := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("encoding the agent's context: %w", err)
	}
	return out, nil
}
