// Package attempt is what all effects have in common that are made in attempts: a file
// that is built, a transcript, a summary, a delivery, a text message, a call.
//
// It owns the words (asked, claimed, waiting, lapsed, given up), the count, and the rules
// of pauses and ends. It knows no effect and has no events: each aggregate holds a State,
// asks it what follows, and says so in events of its own. It reads no clock and draws no
// random number.
package attempt

import "time"

// State is where one effect stands. The zero value was never asked for.
type State struct {
	Number     int       // of the attempt that is wanted, waited for or under way, from 1; of the last one when it has ended
	ID         string    // of the try that has it, where claims have ids
	LeaseUntil time.Time // while it is claimed: without an outcome it is in doubt from then on
	DueAt      time.Time // while it waits: when the pause is over
	Ended      bool      // done or given up
}

// Ask wants the first attempt, now. What was before is forgotten.
func (s *State) Ask() { *s = State{Number: 1} }

// Start gives an attempt to whoever claimed it.
func (s *State) Start(number int, id string, until time.Time) {
	*s = State{Number: number, ID: id, LeaseUntil: until}
}

// Renew moves the end of the lease: who has the attempt gave a sign of life.
func (s *State) Renew(until time.Time) { s.LeaseUntil = until }

// Pause makes the next attempt wait.
func (s *State) Pause(next int, until time.Time) { *s = State{Number: next, DueAt: until} }

// Again wants an attempt now: the one that waited, or the one after that which lapsed.
func (s *State) Again() {
	next := s.Number
	if s.Claimed() {
		next++
	}
	*s = State{Number: next}
}

// End wants nothing any more.
func (s *State) End() { s.LeaseUntil, s.DueAt, s.Ended = time.Time{}, time.Time{}, true }

// Live reports whether the effect was asked for and has not ended.
func (s State) Live() bool { return s.Number > 0 && !s.Ended }

// Wanted reports whether an attempt is to be made now, and nobody has it by a claim.
func (s State) Wanted() bool { return s.Live() && !s.Claimed() && !s.Waiting() }

// Claimed reports whether somebody has the attempt, or had it and may be gone.
func (s State) Claimed() bool { return s.Live() && !s.LeaseUntil.IsZero() }

// Waiting reports whether the next attempt waits for its time.
func (s State) Waiting() bool { return s.Live() && !s.DueAt.IsZero() }

// Lapsed reports whether the attempt is in doubt: its lease is over, and nobody said what
// came of it.
func (s State) Lapsed(at time.Time) bool { return s.Claimed() && !at.Before(s.LeaseUntil) }

// Due reports whether the pause is over.
func (s State) Due(at time.Time) bool { return s.Waiting() && !at.Before(s.DueAt) }

// Takes reports whether the outcome of an attempt still counts: it is the one to be made
// or under way. What is late or doubled is not.
func (s State) Takes(number int) bool { return s.Live() && !s.Waiting() && s.Number == number }

// Begun is how many attempts were claimed so far, where a claim precedes each.
func (s State) Begun() int {
	if s.Ended || s.Claimed() {
		return s.Number
	}
	return max(s.Number-1, 0)
}
