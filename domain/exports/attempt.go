package exports

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

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
	if !s.Wanted() {
		return nil, nil
	}
	return []event.Payload{Started{Attempt: s.Attempt + 1, LeaseUntil: stamp(c.LeaseUntil), At: stamp(c.At)}}, nil
}

// FailAttempt says that an attempt came to nothing.
type FailAttempt struct {
	Attempt int
	Reason  string // safe to show
	Final   bool   // another attempt would come to the same
	Delay   time.Duration
	At      time.Time
}

// Decide does nothing for an attempt that is not the one under way.
func (c FailAttempt) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.Status != InProgress || s.Attempt != c.Attempt:
		return nil, nil
	case c.Final || s.Attempt >= MaxAttempts:
		return []event.Payload{Failed{Reason: c.Reason, At: stamp(c.At)}}, nil
	}
	return []event.Payload{AttemptFailed{Attempt: c.Attempt, Reason: c.Reason, RetryAt: stamp(c.At.Add(c.Delay)), At: stamp(c.At)}}, nil
}

// Wake is sent when the job's timer is due.
type Wake struct{ At time.Time }

// lost is why a job fails whose workers all died.
const lost = "the export was begun several times and never finished"

// Decide says nothing before the time that the job waits for.
func (c Wake) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.Status == "" || s.Ended() || s.Due.IsZero() || stamp(c.At).Before(s.Due):
		return nil, nil
	case s.Status == InProgress && s.Attempt >= MaxAttempts:
		return []event.Payload{Failed{Reason: lost, At: stamp(c.At)}}, nil
	}
	return []event.Payload{Requeued{Attempt: s.Attempt, At: stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Started) Apply(s *State) { s.Status, s.Attempt, s.Due = InProgress, e.Attempt, e.LeaseUntil }

// Apply folds the event.
func (e AttemptFailed) Apply(s *State) { s.Status, s.Due = Queued, e.RetryAt }

// Apply folds the event.
func (e Requeued) Apply(s *State) { s.Status, s.Due = Queued, time.Time{} }

// Apply folds the event.
func (e Failed) Apply(s *State) { s.Status, s.Due, s.Reason = Failure, time.Time{}, e.Reason }
