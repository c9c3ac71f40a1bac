package conversations

import (
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// maxLateBody is how much of what came late is kept, in bytes.
const maxLateBody = 16 << 10

// LateRefused is what was told after the end: refused, and kept for audit. It
// changes nothing; a conversation keeps the first MaxLate of them.
type LateRefused struct {
	What  string          `json:"what"`                                  // END_OF_CONVERSATION, message, ...
	Bytes int             `json:"bytes"`                                 // of the body
	Body  json.RawMessage `json:"body,omitempty" personal:"participant"` // absent when it is larger than 16 KiB
	At    time.Time       `json:"at"`
}

var _ = event.Register[LateRefused](Conversations, "late-refused", 1)

// ErrEnded refuses what comes after the end.
func ErrEnded() error {
	return fault.Field("conversationId", "names a conversation that has ended: nothing is taken after END_OF_CONVERSATION")
}

// late keeps what came, or refuses it without a trace when much came already. The
// caller is refused either way: see WasLate.
func (a About) late(s State, what string) ([]event.Payload, error) {
	if s.Late >= MaxLate {
		return nil, ErrEnded()
	}
	e := LateRefused{What: what, Bytes: len(a.Body), At: stamp(a.At)}
	if len(a.Body) <= maxLateBody {
		e.Body = a.Body
	}
	return []event.Payload{e}, nil
}

// WasLate reports whether a commit records a refusal.
func WasLate(events []event.Payload) bool {
	for _, e := range events {
		if _, late := e.(LateRefused); late {
			return true
		}
	}
	return false
}

// Apply counts.
func (e LateRefused) Apply(s *State) { s.Late++ }
