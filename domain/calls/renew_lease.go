package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// RenewLease says that the node still has the call.
type RenewLease struct {
	At         time.Time
	LeaseUntil time.Time
}

// LeaseRenewed is a sign of life, and a new deadline for the next.
type LeaseRenewed struct {
	At         time.Time `json:"at"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

var _ = event.Register[LeaseRenewed](Calls, "lease-renewed", 1)

// Decide moves the deadline of a running call, forward only.
func (c RenewLease) Decide(s State) ([]event.Payload, error) {
	until := event.Stamp(c.LeaseUntil)
	if !s.Attempt.Claimed() || !until.After(s.Attempt.LeaseUntil) {
		return nil, nil
	}
	return []event.Payload{LeaseRenewed{At: event.Stamp(c.At), LeaseUntil: until}}, nil
}

// Apply moves the deadline.
func (e LeaseRenewed) Apply(s *State) {
	s.Attempt.Renew(e.LeaseUntil)
	s.sign(e.At)
}

// Deadline is the one that an event sets for its call, if it sets one: when it has
// passed and no later event of the call moved it, ExpireLease is due. ended reports
// that the call needs no deadline any more.
func Deadline(p event.Payload) (at time.Time, set, ended bool) {
	switch e := p.(type) {
	case Requested:
		return e.DialBy, true, false
	case AttemptStarted:
		return e.LeaseUntil, true, false
	case LeaseRenewed:
		return e.LeaseUntil, true, false
	case Failed, Completed:
		return time.Time{}, false, true
	}
	return time.Time{}, false, false
}
