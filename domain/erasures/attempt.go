package erasures

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Attempts is how a job is spoken to about its steps, each of which is an attempt.
var Attempts = attempt.Rules[State]{
	State:   func(s State) attempt.State { return s.Attempt },
	Start:   func(c attempt.Claim) attempt.Decision[State] { return Start{c.At, c.LeaseUntil}.Decide },
	Fail:    func(_ State, f attempt.Failure) attempt.Decision[State] { return FailAttempt{f}.Decide },
	Wake:    func(at time.Time) attempt.Decision[State] { return Wake{at}.Decide },
	Backoff: attempt.Backoff{First: time.Second, Factor: 2, Jitter: 0.5, Ceiling: 30 * time.Second},
}

var bounds attempt.Bounds // a person who is to be forgotten is not given up

// AttemptFailed says that a step came to nothing and when it is made again.
type AttemptFailed struct {
	Attempt int       `json:"attempt"`
	Reason  string    `json:"reason"`
	RetryAt time.Time `json:"retryAt"`
	At      time.Time `json:"at"`
}

// Requeued says that the job waits for a worker once more: a lease has run out, or the
// pause after a failed step is over.
type Requeued struct {
	Attempt int       `json:"attempt"` // the one that is over
	At      time.Time `json:"at"`
}

var (
	_ = event.Register[AttemptFailed](Jobs, "attempt-failed", 1)
	_ = event.Register[Requeued](Jobs, "requeued", 1)
)

// FailAttempt says that a step came to nothing.
type FailAttempt struct{ attempt.Failure }

// Decide does nothing for a step that is not the one under way.
func (c FailAttempt) Decide(s State) ([]event.Payload, error) {
	c.Final = false
	if then, next := s.Attempt.Failed(c.Failure, bounds); then == attempt.Pause {
		return []event.Payload{AttemptFailed{Attempt: c.Number, Reason: c.Reason, RetryAt: event.Stamp(next), At: event.Stamp(c.At)}}, nil
	}
	return nil, nil
}

// Wake is sent when the job's timer is due.
type Wake struct{ At time.Time }

// Decide says nothing before the time that the job waits for.
func (c Wake) Decide(s State) ([]event.Payload, error) {
	if s.Attempt.Woken(c.At, bounds) == attempt.Again {
		return []event.Payload{Requeued{Attempt: s.Attempt.Begun(), At: event.Stamp(c.At)}}, nil
	}
	return nil, nil
}

// Apply folds the event.
func (e AttemptFailed) Apply(s *State) { s.Attempt.Pause(e.Attempt+1, e.RetryAt) }

// Apply folds the event.
func (e Requeued) Apply(s *State) { s.Attempt.Again() }
