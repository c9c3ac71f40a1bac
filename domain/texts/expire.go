package texts

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
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

// Decide says nothing while the deadline holds. A text in doubt is never sent
// again unless its provider says that it did not take it.
func (c Expire) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	if s.Attempt.Lapsed(at) {
		return RecordOutcome{Outcome: c.Outcome, Delay: c.Delay, At: at}.conclude(s), nil
	}
	switch then := s.Attempt.Woken(at, s.bounds()); {
	case then == attempt.Again:
		return []event.Payload{AttemptDue{Attempt: s.Attempt.Number, At: at, SendBy: s.Request.SendBy}}, nil
	case then == attempt.GiveUp:
		return []event.Payload{s.failed(s.Code, s.Reason, at)}, nil
	case s.Attempt.Wanted() && s.bounds().Over(at):
		return []event.Payload{s.failed(CodeExpired, "not sent in time", at)}, nil
	}
	return nil, nil
}

// Apply ends the waiting.
func (e AttemptDue) Apply(s *State) { s.Attempt.Again() }
