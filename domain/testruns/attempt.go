package testruns

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Attempts is how a run is spoken to about the attempts to play its cases.
var Attempts = attempt.Rules[State]{
	State:   func(s State) attempt.State { return s.Attempt },
	Start:   func(c attempt.Claim) attempt.Decision[State] { return Start{c.At, c.LeaseUntil}.Decide },
	Fail:    func(_ State, f attempt.Failure) attempt.Decision[State] { return FailAttempt{f}.Decide },
	Wake:    func(at time.Time) attempt.Decision[State] { return Wake{at}.Decide },
	Backoff: attempt.Backoff{First: time.Second, Factor: 2, Jitter: 0.5, Ceiling: 30 * time.Second},
}

var bounds = attempt.Bounds{Most: MaxAttempts}

// Start begins the next attempt.
type Start struct {
	At         time.Time
	LeaseUntil time.Time // when others may believe the node dead
}

// Started says that a node plays the cases that are left.
type Started struct {
	Attempt    int       `json:"attempt"` // from 1
	LeaseUntil time.Time `json:"leaseUntil"`
	At         time.Time `json:"at"`
}

// AttemptFailed says that an attempt came to nothing and when the next one is due.
type AttemptFailed struct {
	Attempt int       `json:"attempt"`
	Reason  string    `json:"reason"`
	RetryAt time.Time `json:"retryAt"`
	At      time.Time `json:"at"`
}

// Requeued says that the run waits for a node once more: a lease has run out, or the pause
// after a failed attempt is over.
type Requeued struct {
	Attempt int       `json:"attempt"` // the one that is over
	At      time.Time `json:"at"`
}

var (
	_ = event.Register[Started](Runs, "started", 1)
	_ = event.Register[AttemptFailed](Runs, "attempt-failed", 1)
	_ = event.Register[Requeued](Runs, "requeued", 1)
)

// Decide does nothing for a run that another node has, that waits, or has ended.
func (c Start) Decide(s State) ([]event.Payload, error) {
	if !s.Attempt.Wanted() {
		return nil, nil
	}
	return []event.Payload{Started{Attempt: s.Attempt.Number, LeaseUntil: event.Stamp(c.LeaseUntil), At: event.Stamp(c.At)}}, nil
}

// FailAttempt says that an attempt came to nothing.
type FailAttempt struct{ attempt.Failure }

// Decide does nothing for an attempt that is not the one under way.
func (c FailAttempt) Decide(s State) ([]event.Payload, error) {
	switch then, next := s.Attempt.Failed(c.Failure, bounds); then {
	case attempt.Pause:
		return []event.Payload{AttemptFailed{Attempt: c.Number, Reason: c.Reason, RetryAt: event.Stamp(next), At: event.Stamp(c.At)}}, nil
	case attempt.GiveUp:
		return []event.Payload{s.ended(Error, c.Reason, c.At)}, nil
	}
	return nil, nil
}

// Wake is sent when the run's timer is due.
type Wake struct{ At time.Time }

// lost is why a run ends whose nodes all died.
const lost = "the run was begun several times and never came to its end"

// Decide says nothing before the time that the run waits for.
func (c Wake) Decide(s State) ([]event.Payload, error) {
	switch s.Attempt.Woken(c.At, bounds) {
	case attempt.Again:
		return []event.Payload{Requeued{Attempt: s.Attempt.Begun(), At: event.Stamp(c.At)}}, nil
	case attempt.GiveUp:
		return []event.Payload{s.ended(Error, lost, c.At)}, nil
	}
	return nil, nil
}

// Apply folds the event.
func (e Started) Apply(s *State) { s.Attempt.Start(e.Attempt, "", e.LeaseUntil) }

// Apply folds the event.
func (e AttemptFailed) Apply(s *State) { s.Attempt.Pause(e.Attempt+1, e.RetryAt) }

// Apply folds the event.
func (e Requeued) Apply(s *State) { s.Attempt.Again() }
