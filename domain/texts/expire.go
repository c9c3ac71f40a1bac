package texts

import (
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
)

// Expire moves a text on whose deadline has passed: the next attempt is due, the
// lease of an attempt has ended, or it was not sent in time.
type Expire struct {
	At      time.Time
	Outcome channels.Outcome // of the provider, about the attempt that is in doubt; zero: it cannot tell
	Delay   time.Duration
}

// AttemptDue says that the next attempt is to be made now.
type AttemptDue struct {
	Attempt int       `json:"attempt"` // from 2
	At      time.Time `json:"at"`
	SendBy  time.Time `json:"sendBy"` // the message's, which is its deadline again
}

var _ = event.Register[AttemptDue](Texts, "attempt-due", 1)

// Lapsed reports whether an attempt is in doubt and its lease over at a time: before
// Expire is sent, its provider should be asked.
func (s State) Lapsed(at time.Time) bool {
	return s.Phase == PhaseSending && !stamp(at).Before(s.ExpiresAt)
}

// Decide says nothing while the deadline holds. A text in doubt is never sent
// again unless its provider says that it did not take it.
func (c Expire) Decide(s State) ([]event.Payload, error) {
	at := stamp(c.At)
	if s.Phase == PhaseNone || s.Ended() || at.Before(s.ExpiresAt) {
		return nil, nil
	}
	switch {
	case s.Phase == PhaseSending:
		return RecordOutcome{Outcome: c.Outcome, Delay: c.Delay, At: at}.conclude(s), nil
	case s.Phase == PhaseWaiting && at.Before(s.Request.SendBy):
		return []event.Payload{AttemptDue{Attempt: s.Attempts + 1, At: at, SendBy: s.Request.SendBy}}, nil
	case s.Phase == PhaseWaiting:
		return []event.Payload{s.failed(s.Code, s.Reason, at)}, nil
	default:
		return []event.Payload{s.failed(CodeExpired, "not sent in time", at)}, nil
	}
}

// Apply ends the waiting.
func (e AttemptDue) Apply(s *State) { s.Phase, s.ExpiresAt = PhaseDue, e.SendBy }
