package sessions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Completed is the reason of a session that its agent ended.
const Completed = "completed"

// End closes a session for good.
type End struct {
	Reason string // such as Caller-disconnected
	At     time.Time
}

// SessionEnded says that the session takes nothing more.
type SessionEnded struct {
	Reason string    `json:"reason,omitempty"`
	Test   bool      `json:"test,omitempty"`   // of a test session: in no report
	Thread string    `json:"thread,omitempty"` // whose question nobody answers any more
	At     time.Time `json:"at"`
}

var _ = event.Register[SessionEnded](Sessions, "ended", 1)

// Decide does nothing for a session that is not active. A turn that runs is cut off first.
func (c End) Decide(s State) ([]event.Payload, error) {
	if s.Status != Active {
		return nil, nil
	}
	return append(s.cutOff(c.At), SessionEnded{Reason: c.Reason, Test: s.Talk.Test, Thread: s.Thread, At: c.At.UTC()}), nil
}

// Apply folds the event.
func (e SessionEnded) Apply(s *State) {
	s.Status, s.EndedAt = Ended, e.At
	s.Talk.Running, s.Talk.People = nil, nil
}
