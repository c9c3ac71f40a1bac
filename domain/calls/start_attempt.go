package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// StartAttempt claims the one attempt that a call has. It precedes the dialling.
type StartAttempt struct {
	AttemptID  string // fresh per try, so that a dialer recognises its own claim
	SID        string // of the carrier leg; empty: the one that the request promised
	Provider   string // the carrier asked; empty: the request's
	Node       string // the node that dials
	At         time.Time
	LeaseUntil time.Time // without a renewal the call is given up then
}

// AttemptStarted says that a dialer is about to dial, and until when it is trusted.
type AttemptStarted struct {
	AttemptID  string    `json:"attemptId"`
	SID        string    `json:"sid"`
	Provider   string    `json:"provider"`
	Node       string    `json:"node"`
	At         time.Time `json:"at"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

var _ = event.Register[AttemptStarted](Calls, "attempt-started", 1)

// Decide starts a requested call that is still in time; anything else was started,
// has ended, or is to be ended by ExpireLease.
func (c StartAttempt) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	if !s.InTime(at) {
		return nil, nil
	}
	e := AttemptStarted{AttemptID: c.AttemptID, SID: c.SID, Provider: c.Provider, Node: c.Node, At: at, LeaseUntil: event.Stamp(c.LeaseUntil)}
	if e.SID == "" {
		e.SID = s.SID
	}
	if e.Provider == "" {
		e.Provider = s.Provider
	}
	return []event.Payload{e}, nil
}

// Apply hands the call to the node.
func (e AttemptStarted) Apply(s *State) {
	s.Phase, s.DialedAt = PhaseDialing, e.At
	s.SID, s.Provider, s.Node = e.SID, e.Provider, e.Node
	s.Attempt.Start(1, e.AttemptID, e.LeaseUntil)
	s.sign(e.At)
}
