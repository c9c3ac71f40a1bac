package deliveries

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Wake is what the timer of a stream says.
type Wake struct{ At time.Time }

// Decide says nothing when no attempt is waited for, or not yet. A timer that fires
// after the deadline (nothing ran for a while) gives the notice up instead, so that
// those behind it move on.
func (c Wake) Decide(s State) ([]event.Payload, error) {
	n := s.Head()
	switch n.Attempt.Woken(c.At, n.bounds()) {
	case attempt.Again:
		return []event.Payload{AttemptDue{NoticeID: n.ID, Attempt: n.Attempt.Number, At: stamp(c.At)}}, nil
	case attempt.GiveUp:
		return []event.Payload{n.expired(c.At)}, nil
	}
	return nil, nil
}

// AttemptDue says that the next attempt is to be made now.
type AttemptDue struct {
	NoticeID string    `json:"noticeId"`
	Attempt  int       `json:"attempt"`
	At       time.Time `json:"at"`
}

// Apply ends the waiting.
func (e AttemptDue) Apply(s *State) {
	if n, is := s.at(e.NoticeID); is {
		n.Attempt.Again()
	}
}

var _ = event.Register[AttemptDue](Deliveries, "attempt-due", 1)
