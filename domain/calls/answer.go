package calls

import (
	"maps"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Ring says that the callee's telephone rings, or that early media came.
type Ring struct{ At time.Time }

// Ringing is the first ringing of a call.
type Ringing struct {
	At time.Time `json:"at"`
}

var _ = event.Register[Ringing](Calls, "ringing", 1)

// Decide counts the first ringing only: carriers repeat it.
func (c Ring) Decide(s State) ([]event.Payload, error) {
	if s.Phase != PhaseDialing {
		return nil, nil
	}
	return []event.Payload{Ringing{At: event.Stamp(c.At)}}, nil
}

// Apply starts the ring duration.
func (e Ringing) Apply(s *State) {
	s.Phase, s.RingingAt = PhaseRinging, e.At
	s.sign(e.At)
}

// Answer says that the callee picked up.
type Answer struct {
	SessionID string // of the session that is opened for the call
	Agent     *Agent // who takes it, and can be run; nil: nobody, or one that says its start text and no more
	At        time.Time
}

// Answered is the start of the conversation. The session that takes it has the id
// given here, so whoever opens sessions can do so twice without harm.
type Answered struct {
	SessionID         string    `json:"sessionId"`
	At                time.Time `json:"at"`
	RingDurationMs    int64     `json:"ringDurationMs"`    // ringing to answer; 0 when it never rang
	ConnectDurationMs int64     `json:"connectDurationMs"` // dialling to answer
	Agent             *Agent    `json:"agent,omitempty"`   // by what it runs, if it can be run
}

var _ = event.Register[Answered](Calls, "answered", 1)

// Decide takes the first answer of a call that is being dialled.
func (c Answer) Decide(s State) ([]event.Payload, error) {
	if !s.underway() {
		return nil, nil
	}
	at := event.Stamp(c.At)
	return []event.Payload{Answered{SessionID: c.SessionID, At: at, Agent: c.Agent.clone(),
		RingDurationMs: since(s.RingingAt, at), ConnectDurationMs: since(s.DialedAt, at)}}, nil
}

// Apply connects the call.
func (e Answered) Apply(s *State) {
	s.Phase, s.AnsweredAt, s.SessionID = PhaseAnswered, e.At, e.SessionID
	s.Agent = e.Agent.clone()
	s.RingDurationMs, s.ConnectDurationMs = e.RingDurationMs, e.ConnectDurationMs
	s.sign(e.At)
}

// Agent is how the agent that takes a call runs: by which deployment, with which sources. A
// session that goes by it can be opened by anybody, and by two at once.
type Agent struct {
	Name         string                     `json:"name,omitempty"`         // absent: that of the call's flow
	DeploymentID string                     `json:"deploymentId,omitempty"` // empty: working copies
	Environment  string                     `json:"environment,omitempty"`
	Manifest     map[string]sessions.Pinned `json:"manifest"`
	Language     string                     `json:"language,omitempty"`
	BudgetPico   int64                      `json:"budgetPico,omitempty"` // what its session's models may cost; absent: no bound
}

func (a *Agent) clone() *Agent {
	if a == nil {
		return nil
	}
	c := *a
	c.Manifest = maps.Clone(a.Manifest)
	return &c
}

// Talks reports whether the call has an agent that hears and answers: its own, or that of the session which
// it joins. Of any other that is said which it says first, and no more.
func (s State) Talks() bool { return s.Agent != nil || s.Joins() }
