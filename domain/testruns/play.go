package testruns

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/testsuites"
)

// CaseOf is a case with what it came to.
type CaseOf struct {
	Number int // its place in the suite, from 1
	Name   string
	testsuites.Played
}

// Record takes what cases came to, and renews the lease of who plays them.
type Record struct {
	Cases      []CaseOf
	LeaseUntil time.Time
	At         time.Time
}

// CasePlayed says what a case came to: for each step where it differs from what was expected.
type CasePlayed struct {
	Number     int               `json:"number"` // its place in the suite, from 1
	Name       string            `json:"name"`
	Steps      []testsuites.Step `json:"steps"`
	Passed     int               `json:"passed"`          // steps
	Error      string            `json:"error,omitempty"` // why it could not be played to its end
	LeaseUntil time.Time         `json:"leaseUntil"`      // of the attempt, from now on
	At         time.Time         `json:"at"`
}

var _ = event.Register[CasePlayed](Runs, "case-played", 1)

// Decide leaves out what was played before, by whomever: it came to the same.
func (c Record) Decide(s State) ([]event.Payload, error) {
	if !s.Attempt.Live() {
		return nil, nil
	}
	var out []event.Payload
	for _, one := range c.Cases {
		if !s.Played(one.Number) {
			out = append(out, CasePlayed{Number: one.Number, Name: one.Name, Steps: one.Steps, Passed: one.Passed(), Error: one.Error,
				LeaseUntil: event.Stamp(c.LeaseUntil), At: event.Stamp(c.At)})
		}
	}
	return out, nil
}

// Apply folds the event.
func (e CasePlayed) Apply(s *State) {
	s.Cases = maps.Clone(s.Cases)
	if s.Cases == nil {
		s.Cases = map[int]Tally{}
	}
	s.Cases[e.Number] = Tally{e.Name, e.Passed, e.Error}
	if s.Attempt.Claimed() && e.LeaseUntil.After(s.Attempt.LeaseUntil) {
		s.Attempt.Renew(e.LeaseUntil)
	}
}

// Finish ends a run all of whose cases are played, or that cannot be played for a reason.
type Finish struct {
	Reason string
	At     time.Time
}

// Ended says how.
type Ended struct {
	Status     Status    `json:"status"` // passed, failed, error
	Reason     string    `json:"reason,omitempty"`
	Passed     int       `json:"passed"` // steps
	Failed     int       `json:"failed"` // steps that did not pass, those that were not come to included
	Total      int       `json:"total"`
	DurationMs int64     `json:"durationMs"` // since it was asked for
	At         time.Time `json:"at"`
}

var _ = event.Register[Ended](Runs, "ended", 1)

// Decide does nothing while there are cases to play. A case that could not be played to its end
// makes the run an error, whatever came of the others.
func (c Finish) Decide(s State) ([]event.Payload, error) {
	switch {
	case !s.Attempt.Live():
		return nil, nil
	case c.Reason != "":
		return []event.Payload{s.ended(Error, c.Reason, c.At)}, nil
	case len(s.Cases) < s.Request.Cases:
		return nil, nil
	}
	passed := 0
	for _, number := range slices.Sorted(maps.Keys(s.Cases)) {
		tally := s.Cases[number]
		if tally.Error != "" {
			return []event.Payload{s.ended(Error, fmt.Sprintf("case %q: %s", tally.Name, tally.Error), c.At)}, nil
		}
		passed += tally.Passed
	}
	if passed < s.Request.Steps {
		return []event.Payload{s.ended(Failed, "", c.At)}, nil
	}
	return []event.Payload{s.ended(Passed, "", c.At)}, nil
}

func (s State) ended(status Status, reason string, at time.Time) Ended {
	e := Ended{Status: status, Reason: reason, Total: s.Request.Steps, DurationMs: max(at.Sub(s.Request.At).Milliseconds(), 0),
		At: event.Stamp(at)}
	for _, tally := range s.Cases {
		e.Passed += tally.Passed
	}
	e.Failed = e.Total - e.Passed
	return e
}

// Apply folds the event.
func (e Ended) Apply(s *State) {
	s.Status = e.Status
	s.Attempt.End()
}
