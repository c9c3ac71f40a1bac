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

// CodeDropped is why nobody answers what nobody wants an answer to any more.
const CodeDropped = "DROPPED"

// Dropped says so.
type Dropped struct {
	Number int       `json:"number"`
	Left   []string  `json:"left,omitempty"`  // blobs of files that go with what waited
	Stays  bool      `json:"stays,omitempty"` // the first that waits is of it: it waits for who may be giving it to a session just now
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
	out := Dropped{Number: c.Number, At: event.Stamp(c.At)}
	for i, m := range s.Waiting {
		switch {
		case m.Begins() != c.Number:
		case i == 0:
			out.Stays = true
		default:
			out.Left = append(out.Left, BlobsOf(s.Fetched[m.Number])...)
		}
	}
	return []event.Payload{out}, nil
}

// IsDropped is whether nobody wants an answer to a message any more.
func (s State) IsDropped(m Received) bool { return slices.Contains(s.Dropped, m.Begins()) }

// Apply lets what waits of it go, and ends what is told of it.
func (e Dropped) Apply(s *State) {
	for i, m := range s.Waiting {
		if m.Begins() == e.Number && (i > 0 || !e.Stays) {
			s.release(m.Number, BlobsOf(s.Fetched[m.Number]))
		}
	}
	s.Dropped = append(slices.Clip(s.Dropped), e.Number)
	s.Dropped = slices.Clone(s.Dropped[max(0, len(s.Dropped)-mostDropped):])
}
