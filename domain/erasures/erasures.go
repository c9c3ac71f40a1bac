// Package erasures owns the jobs that erase a person: asked for by what the person is known
// by, then found and forgotten piece by piece until nothing is found any more. A job for what
// a project keeps no longer does the same with what is too old, whoever it is of.
//
// It decides who makes the next step and what has become of those before. It neither looks
// for anybody nor erases anything: a reactor does, and says here what came of it. When a job
// is done it has forgotten, too, whom it was about.
package erasures

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/privacy"
)

// Jobs holds one stream per job: erasure-er-<uuid>. Its rules:
//
//   - a step either looks for streams of the person, or forgets the person in those found
//     before: so at each moment it is on the log which streams may be half done
//   - a step is begun by one worker and holds its lease; a lease that has run out makes the
//     step due again, because each may be repeated
//   - a job is never given up; it ends when nothing of the person is found any more, twice,
//     with a pause in between
var Jobs = event.NewAggregate[State]("erasures", "erasure", event.Quiet)

// IDPrefix begins the id of every job.
const IDPrefix = "er-"

// Status is how far a job is.
type Status string

// The statuses.
const (
	Queued  Status = "queued"
	Running Status = "running"
	Done    Status = "done"
)

// Place is a stream that the person is in. That several are of one person says something of
// the person, too.
type Place struct {
	Stream string   `json:"stream" personal:"subject"`
	Keys   []string `json:"keys,omitempty" personal:"subject"` // of the person among others, such as contacts of a list; absent: the stream is about the person
}

// State is the state of one job; an empty Status means that there is none.
type State struct {
	ID         string
	TenantID   string
	Identities []privacy.Identity
	Aged       Aged // in place of identities
	Status     Status
	Found      []Place        // and not forgotten yet
	Before     []Place        // forgotten by the step before: what ran there may have said more
	Left       []Place        // too old, and going on: for the next day's job
	AgainAt    time.Time      // nothing was found, and is looked for once more then; zero: not yet
	Counts     map[string]int // streams in which the person was forgotten, by category
	Attempt    attempt.State
}

// Start begins the next step.
type Start struct {
	At         time.Time
	LeaseUntil time.Time // when others may believe the worker dead
}

// Started says that a worker has the step until its lease runs out.
type Started struct {
	Attempt    int       `json:"attempt"` // from 1
	LeaseUntil time.Time `json:"leaseUntil"`
	At         time.Time `json:"at"`
}

var _ = event.Register[Started](Jobs, "started", 1)

// Decide does nothing for a job that another worker has, that waits, or has ended.
func (c Start) Decide(s State) ([]event.Payload, error) {
	if !s.Attempt.Wanted() {
		return nil, nil
	}
	return []event.Payload{Started{Attempt: s.Attempt.Number, LeaseUntil: event.Stamp(c.LeaseUntil), At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Started) Apply(s *State) {
	s.Status = Running
	s.Attempt.Start(e.Attempt, "", e.LeaseUntil)
}
