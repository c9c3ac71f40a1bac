package texts

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// CodeErased is why a text was not sent whose recipient was erased before.
const CodeErased = "ERASED"

// Forget ends a text because its recipient is to be erased.
type Forget struct{ At time.Time }

// Decide ends a text that has not ended yet; one that a provider is being asked to send may be
// sent all the same.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	switch {
	case s.Attempt.Number == 0 || !s.EndedAt.IsZero():
		return nil, nil
	case s.Attempt.Claimed():
		return []event.Payload{s.failed(CodeOutcomeUnknown, "outcome unknown", at)}, nil
	}
	return []event.Payload{s.failed(CodeErased, "the recipient was erased", at)}, nil
}

// Erased: the recipient was erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Texts, event.ErasedName, 1)
