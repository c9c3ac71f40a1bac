package exports

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Attempts is how a job is spoken to about the attempts to build its file.
var Attempts = attempt.Rules[State]{
	State:   func(s State) attempt.State { return s.Attempt },
	Start:   func(c attempt.Claim) attempt.Decision[State] { return Start{c.At, c.LeaseUntil}.Decide },
	Fail:    func(_ State, f attempt.Failure) attempt.Decision[State] { return FailAttempt{f}.Decide },
	Wake:    func(at time.Time) attempt.Decision[State] { return Wake{at}.Decide },
	Backoff: attempt.Backoff{First: 2 * time.Second, Factor: 2, Jitter: 0.5, Ceiling: 200 * time.Second},
}

var bounds = attempt.Bounds{Most: MaxAttempts}

// Start begins the next attempt.
type Start struct {
	At         time.Time
	LeaseUntil time.Time // when others may believe the worker dead
}

// Started says that a worker has the job until its lease runs out.
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

// Requeued says that the job waits for a worker once more: a lease has run out, or
// the pause after a failed attempt is over.
type Requeued struct {
	Attempt int       `json:"attempt"` // the one that is over
	At      time.Time `json:"at"`
}

// Failed says that the job has ended without a file.
type Failed struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

var (
	_ = event.Register[Started](Jobs, "started", 1)
	_ = event.Register[AttemptFailed](Jobs, "attempt-failed", 1)
	_ = event.Register[Requeued](Jobs, "requeued", 1)
	_ = event.Register[Failed](Jobs, "failed", 1)
)

// Decide does nothing for a job that another worker has, that waits, or has ended.
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
		return []event.Payload{Failed{Reason: c.Reason, At: event.Stamp(c.At)}}, nil
	}
	return nil, nil
}

// Wake is sent when the job's timer is due.
type Wake struct{ At time.Time }

// lost is why a job fails whose workers all died.
const lost = "the export was begun several times and never finished"

// Decide says nothing before the time that the job waits for.
func (c Wake) Decide(s State) ([]event.Payload, error) {
	switch s.Attempt.Woken(c.At, bounds) {
	case attempt.Again:
		return []event.Payload{Requeued{Attempt: s.Attempt.Begun(), At: event.Stamp(c.At)}}, nil
	case attempt.GiveUp:
		return []event.Payload{Failed{Reason: lost, At: event.Stamp(c.At)}}, nil
	}
	return nil, nil
}

// Apply folds the event.
func (e Started) Apply(s *State) {
	s.Status = InProgress
	s.Attempt.Start(e.Attempt, "", e.LeaseUntil)
}

// Apply folds the event.
func (e AttemptFailed) Apply(s *State) {
	s.Status = Queued
	s.Attempt.Pause(e.Attempt+1, e.RetryAt)
}

// Apply folds the event.
func (e Requeued) Apply(s *State) {
	s.Status = Queued
	s.Attempt.Again()
}

// Apply folds the event.
func (e Failed) Apply(s *State) {
	s.Status, s.Reason = Failure, e.Reason
	s.Attempt.End()
}
