package webhooks

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// MakeDue is what a timer says at the time that AttemptFailed gave it.
type MakeDue struct {
	NoticeID string
	Attempt  int // AttemptFailed.NextAttempt
	At       time.Time
}

// Decide says nothing when the attempt is no longer waited for, or not yet. A
// timer that fires after the deadline (nothing ran for a while) gives the notice
// up instead, so that those behind it move on.
func (c MakeDue) Decide(s State) ([]event.Payload, error) {
	n := s.head()
	if n == nil || n.ID != c.NoticeID || n.Attempt != c.Attempt || !n.Waiting || c.At.Before(n.NextAt) {
		return nil, nil
	}
	if c.At.After(n.Deadline) {
		return []event.Payload{expired(n, c.At)}, nil
	}
	return []event.Payload{AttemptDue{NoticeID: c.NoticeID, Attempt: c.Attempt, At: stamp(c.At)}}, nil
}

// DueNow is MakeDue for whatever attempt the stream waits for, as a timer that knows
// only its stream says it.
func DueNow(at time.Time) func(State) ([]event.Payload, error) {
	return func(s State) ([]event.Payload, error) {
		n := s.head()
		if n == nil {
			return nil, nil
		}
		return MakeDue{NoticeID: n.ID, Attempt: n.Attempt, At: at}.Decide(s)
	}
}

// AttemptDue says that the next attempt is to be made now.
type AttemptDue struct {
	NoticeID string    `json:"noticeId"`
	Attempt  int       `json:"attempt"`
	At       time.Time `json:"at"`
}

// Apply ends the waiting.
func (e AttemptDue) Apply(s *State) {
	if n := s.head(); n != nil && n.ID == e.NoticeID {
		n.Waiting, n.NextAt = false, time.Time{}
	}
}

var _ = event.Register[AttemptDue](Deliveries, "attempt-due", 1)
