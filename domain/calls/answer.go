package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

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
	Agent             *Agent    `json:"agent,omitempty"` // by what it runs, if it can be run
	At                time.Time `json:"at"`
	RingDurationMs    int64     `json:"ringDurationMs"`    // ringing to answer; 0 when it never rang
	ConnectDurationMs int64     `json:"connectDurationMs"` // dialling to answer
}

var _ = event.Register[Answered](Calls, "answered", 1)

// Decide takes the first answer of a call that is being dialled.
func (c Answer) Decide(s State) ([]event.Payload, error) {
	if !s.underway() {
		return nil, nil
	}
	at := event.Stamp(c.At)
	return []event.Payload{Answered{SessionID: c.SessionID, Agent: c.Agent.clone(), At: at,
		RingDurationMs: since(s.RingingAt, at), ConnectDurationMs: since(s.DialedAt, at)}}, nil
}

// Apply connects the call.
func (e Answered) Apply(s *State) {
	s.Phase, s.AnsweredAt, s.SessionID = PhaseAnswered, e.At, e.SessionID
	s.Agent = e.Agent.clone()
	s.RingDurationMs, s.ConnectDurationMs = e.RingDurationMs, e.ConnectDurationMs
	s.sign(e.At)
}
