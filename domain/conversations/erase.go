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

// ForgetQuiet forgets a conversation that was over before a time, because the project keeps it no longer. One that nobody
// ended, and in which something was said since, is left as it is.
type ForgetQuiet struct {
	Since time.Time
	Forget
	Erased Erased
}

// Decide says both at once, so that what is said at this moment is not lost.
func (c ForgetQuiet) Decide(s State) ([]event.Payload, error) {
	over := s.EndedAt
	if over.IsZero() {
		over = s.LastAt
	}
	if !over.Before(c.Since) {
		return nil, nil
	}
	ended, err := c.Forget.Decide(s)
	return append(ended, c.Erased), err
}

// Erased: the customer in the conversation was erased.
type Erased struct{ event.Erasure }

// Apply remembers how much of the conversation is gone. What is gone the store takes away; see event.Erasure.
func (Erased) Apply(s *State) { s.Forgotten, s.Persons = s.Messages, nil }

var _ = event.Register[Erased](Conversations, event.ErasedName, 1)
