package deliveries

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// ReasonErased is why a notice was given up whose subject was erased before.
const ReasonErased = "erased"

// Forget gives up what is not delivered yet, and shuts the stream, because the subject is to
// be erased: a notice that is on its way to the stream would bring the person back.
type Forget struct {
	ErasureID string
	At        time.Time
}

// Decide shuts a stream once, also one that has no notices yet.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	if s.Shut {
		return nil, nil
	}
	var out []event.Payload
	for _, n := range s.Queue {
		out = append(out, Undelivered{NoticeID: n.ID, Attempts: max(n.Attempt.Number-1, 0), At: stamp(c.At), Reason: ReasonErased})
	}
	return append(out, Erased{event.Erasure{ErasureID: c.ErasureID, At: stamp(c.At)}}), nil
}

// Erased: the subject of the notices was erased; no more are taken, but for what a subject does that goes on.
type Erased struct{ event.Erasure }

// Apply shuts the stream; for the rest see event.Erasure.
func (e Erased) Apply(s *State) { s.Shut, s.ShutAt = true, e.At }

var _ = event.Register[Erased](Deliveries, event.ErasedName, 1)
