package pacing

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Wake is what the timer says when an opening has come.
type Wake struct{ Clock }

// Decide says nothing when no opening is awaited, or not yet.
func (c Wake) Decide(s State) ([]event.Payload, error) {
	if s.Awaited.IsZero() || event.Stamp(c.Now).Before(s.Awaited) {
		return nil, nil
	}
	return c.follow(s), nil
}

// OpeningAwaited is the next time at which a run opens that waits for its calling
// hours, or a further pass of a run is due.
type OpeningAwaited struct {
	Until time.Time `json:"until"`
	At    time.Time `json:"at"`
}

// Apply keeps it; a later one was moved forward.
func (e OpeningAwaited) Apply(s *State) { s.Awaited = e.Until }

// OpeningReached is the end of that wait.
type OpeningReached struct {
	At time.Time `json:"at"`
}

// Apply ends it.
func (OpeningReached) Apply(s *State) { s.Awaited = time.Time{} }

var (
	_ = event.Register[OpeningAwaited](Pacing, "opening-awaited", 1)
	_ = event.Register[OpeningReached](Pacing, "opening-reached", 1)
)
