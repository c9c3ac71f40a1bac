package texts

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// StartAttempt claims the attempt that is due. It precedes the asking of the provider.
type StartAttempt struct {
	AttemptID  string // fresh per try, so that a sender recognises its own claim
	Node       string // that asks the provider
	Provider   string
	At         time.Time
	LeaseUntil time.Time // without an outcome the attempt is in doubt then
}

// AttemptStarted says that a node is about to ask a provider to send the message.
type AttemptStarted struct {
	AttemptID  string    `json:"attemptId"`
	Attempt    int       `json:"attempt"` // from 1
	Node       string    `json:"node"`
	Provider   string    `json:"provider"` // local: recorded, and sent to nobody
	At         time.Time `json:"at"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

var _ = event.Register[AttemptStarted](Texts, "attempt-started", 1)

// Decide starts an attempt that is due and in time; anything else was started, waits,
// has ended, or is to be ended by Expire.
func (c StartAttempt) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	if !s.Attempt.Wanted() || s.bounds().Over(at) {
		return nil, nil
	}
	return []event.Payload{
		AttemptStarted{
			AttemptID:  c.AttemptID,
			Attempt:    s.Attempt.Number,
			Node:       c.Node,
			Provider:   c.Provider,
			At:         at,
			LeaseUntil: event.Stamp(c.LeaseUntil),
		},
	}, nil
}

// Apply hands the text to the node.
func (e AttemptStarted) Apply(s *State) {
	s.Started = e
	s.Attempt.Start(e.Attempt, e.AttemptID, e.LeaseUntil)
}
