// Package sessions is the life of a conversation's session: opened, told what the
// channel knows, ended.
//
// It owns the session's status, the context that the agent sees (context.session), and what
// was said and learned in it. It never runs an agent: package turns does, and decides which
// of these events a message has as its consequence.
package sessions

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Sessions holds one stream per session: session-<uuid>. Its rules:
//
//   - a session is opened once, by the id that its cause derived
//   - an ended session stays ended and takes nothing more
//   - the context is merged member by member; a member once set is replaced, never lost
var Sessions = event.NewAggregate[State]("sessions", "session", event.Busy)

// Status of a session.
type Status string

// The statuses.
const (
	Active Status = "active"
	Ended  Status = "ended"
)

// State is the state of one session; an empty Status means that it was never opened.
type State struct {
	ID          string
	TenantID    string
	ProjectID   string
	Channel     string // voice, api, web_debug, assist
	CallID      string // the call it belongs to, for voice
	Thread      string // the stream of the channel's conversation that it answers; empty: none
	AgentName   string
	Status      Status
	OpenedAt    time.Time
	EndedAt     time.Time
	ContactID   string // who talks; empty: not known
	LinkedAt    time.Time
	UserSession map[string]json.RawMessage // context.session.UserSession
	Attachments []Attachment               // that the user has given to it

	Talk        Talk      // of one that takes messages
	SaidAt      time.Time // when something was said last
	LastSaid    string    // the message that was said to the user last; empty: none was
	ResetBefore int       // messages that were said before the last reset
	Spent       Spent
	Warnings    []string  // of budgets, each once
	Cuts        []CutCall // the last ones
	Forgotten   bool      // what was said is not there any more
}

// Open begins a session.
type Open struct {
	ID          string
	TenantID    string
	ProjectID   string
	Channel     string
	CallID      string
	Thread      string
	AgentName   string
	UserSession map[string]json.RawMessage
	ContactID   string // who talks; empty: that is said later, or by nobody
	Begun       *Begun // of one that takes messages
	At          time.Time
}

// Opened says that the session takes turns.
type Opened struct {
	SessionID   string                     `json:"sessionId"`
	TenantID    string                     `json:"tenantId"`
	ProjectID   string                     `json:"projectId"`
	Channel     string                     `json:"channel"`
	CallID      string                     `json:"callId,omitempty"`
	Thread      string                     `json:"thread,omitempty"`
	AgentName   string                     `json:"agentName,omitempty"`
	UserSession map[string]json.RawMessage `json:"userSession,omitempty" personal:"customer"`
	ContactID   string                     `json:"contactId,omitempty"` // who talks, where that was said before
	LinkedAt    time.Time                  `json:"linkedAt,omitzero"`
	Begun       *Begun                     `json:"begun,omitempty"`
	At          time.Time                  `json:"at"`
}

var _ = event.Register[Opened](Sessions, "opened", 1)

// Decide does nothing for a session that was opened before.
func (c Open) Decide(s State) ([]event.Payload, error) {
	if s.Status != "" {
		return nil, nil
	}
	e := Opened{SessionID: c.ID, TenantID: c.TenantID, ProjectID: c.ProjectID, Channel: c.Channel, CallID: c.CallID, Thread: c.Thread,
		AgentName: c.AgentName, UserSession: c.UserSession, ContactID: s.ContactID, LinkedAt: s.LinkedAt, Begun: c.Begun, At: c.At.UTC()}
	if e.ContactID == "" && c.ContactID != "" {
		e.ContactID, e.LinkedAt = c.ContactID, event.Stamp(c.At)
	}
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e Opened) Apply(s *State) {
	*s = State{ID: e.SessionID, TenantID: e.TenantID, ProjectID: e.ProjectID, Channel: e.Channel, CallID: e.CallID,
		Thread: e.Thread, AgentName: e.AgentName, Status: Active, OpenedAt: e.At, ContactID: e.ContactID, LinkedAt: e.LinkedAt,
		UserSession: maps.Clone(e.UserSession)}
	if e.Begun != nil {
		s.Talk = Talk{Begun: *e.Begun, Agent: e.AgentName, Vars: cloned(e.Begun.Variables)}
		for _, f := range e.Begun.Before {
			s.Talk.line(Line{Agent: f.Agent, Text: f.Text})
		}
		s.Talk.Before = nil // it is in the history now
	}
}

func cloned(m map[string]json.RawMessage) map[string]json.RawMessage {
	if len(m) == 0 {
		return nil
	}
	return maps.Clone(m)
}
