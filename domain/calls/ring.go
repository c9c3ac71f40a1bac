package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Ring says that the callee's telephone rings, or that early media came.
type Ring struct{ At time.Time }

// Ringing is the first ringing of a call.
type Ringing struct {
	At time.Time `json:"at"`
}

var _ = event.Register[Ringing](Calls, "ringing", 1)

// Decide counts the first ringing only: carriers repeat it.
func (c Ring) Decide(s State) ([]event.Payload, error) {
	if s.Phase != PhaseDialing {
		return nil, nil
	}
	return []event.Payload{Ringing{At: event.Stamp(c.At)}}, nil
}

// Apply starts the ring duration.
func (e Ringing) Apply(s *State) {
	s.Phase, s.RingingAt = PhaseRinging, e.At
	s.sign(e.At)
}
