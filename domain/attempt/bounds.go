package attempt

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Bounds say for how long and how often an effect is tried, and how long it pauses.
type Bounds struct {
	Most     int           // attempts; 0: any number
	Until    time.Time     // no attempt is made after it; zero: for ever
	AtEnd    bool          // what would come after Until comes at Until, as the last one
	Shortest time.Duration // pause
	Longest  time.Duration // pause; 0: as long as it is proposed
}

// Failure is an attempt that came to nothing.
type Failure struct {
	Number int
	Reason string        // safe to show
	Final  bool          // another attempt would come to the same
	Pause  time.Duration // proposed before the next one
	At     time.Time
}

// Then is what follows.
type Then int

// What may follow. An aggregate has an event for each but Nothing.
const (
	Nothing Then = iota // it is early, late or doubled
	Pause               // the next attempt waits for its time
	Again               // an attempt is wanted now
	GiveUp              // there will be none
)

// Failed says what follows on a failure: a pause, until the time that comes with it, or
// the end. That time is one of events: a timer that fires in its very millisecond is asked by the
// time in that form, and would be told that it is early, and come again when its claim has ended.
func (s State) Failed(f Failure, b Bounds) (Then, time.Time) {
	switch {
	case !s.Takes(f.Number):
		return Nothing, time.Time{}
	case f.Final, b.Most > 0 && f.Number >= b.Most, b.AtEnd && !f.At.Before(b.Until):
		return GiveUp, time.Time{}
	}
	pause := max(f.Pause, b.Shortest)
	if b.Longest > 0 {
		pause = min(pause, b.Longest)
	}
	switch next := f.At.Add(pause); {
	case b.Until.IsZero() || !next.After(b.Until):
		return Pause, event.Stamp(next)
	case b.AtEnd:
		return Pause, b.Until
	}
	return GiveUp, time.Time{}
}

// Woken says what follows when a timer is due, for effects that are repeated when their
// lease lapses. Others ask Lapsed first, and settle the doubt.
func (s State) Woken(at time.Time, b Bounds) Then {
	switch {
	case s.Lapsed(at) && b.Most > 0 && s.Number >= b.Most:
		return GiveUp
	case s.Lapsed(at):
		return Again
	case !s.Due(at):
		return Nothing
	case b.Over(at):
		return GiveUp
	}
	return Again
}

// Over reports whether it is too late for an attempt that was not begun: nothing ran for
// a while, or it stood behind others. The last one, at the end, is never too late.
func (b Bounds) Over(at time.Time) bool { return !b.Until.IsZero() && !b.AtEnd && at.After(b.Until) }
