package threads

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Drop ends what a message began, as whoever sent it wants nothing more of it: of what waits and
// belongs to it no session is told. A turn that runs is cancelled in its session.
type Drop struct {
	Number int // of the message that began it
	At     time.Time
}

// Dropped says so.
type Dropped struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
}

var _ = event.Register[Dropped](Threads, "dropped", 1)

// Decide drops it once.
func (c Drop) Decide(s State) ([]event.Payload, error) {
	switch {
	case c.Number < 1 || c.Number > s.Received:
		return nil, fault.New(fault.NotFound, "there is no such message")
	case slices.Contains(s.Dropped, c.Number):
		return nil, nil
	}
	return []event.Payload{Dropped{Number: c.Number, At: event.Stamp(c.At)}}, nil
}

// Apply lets what waits of it go, and ends what is told of it.
func (e Dropped) Apply(s *State) {
	s.Waiting = slices.DeleteFunc(slices.Clone(s.Waiting), func(m Received) bool { return m.Begins() == e.Number })
	s.Dropped = append(slices.Clip(s.Dropped), e.Number)
	s.Dropped = slices.Clone(s.Dropped[max(0, len(s.Dropped)-mostDropped):])
}
