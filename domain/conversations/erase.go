package conversations

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Forget gives up the summary and the suggestions that are being made, because a participant is to be erased. The
// conversation itself goes on: what is said from now on is of whoever takes part then.
type Forget struct{ At time.Time }

// Decide ends what is still to come.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	out := s.unassisted(s.Asked, AssistErased, c.At)
	if s.Summary.Status != SummaryPending {
		return out, nil
	}
	return append(out, SummaryFailed{Number: s.Summary.Number, Attempts: s.Summary.Attempt.Number, Error: "a participant was erased",
		At: stamp(c.At)}), nil
}

// Erased: the customer in the conversation was erased.
type Erased struct{ event.Erasure }

// Apply remembers how much of the conversation is gone. What is gone the store takes away; see event.Erasure.
func (Erased) Apply(s *State) { s.Forgotten = s.Messages }

var _ = event.Register[Erased](Conversations, event.ErasedName, 1)
