package conversations

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// TakeBack has a conversation show no more what the user said in the session, who has taken it back.
type TakeBack struct {
	Number int // of the message here
	At     time.Time
}

// MessageTakenBack says so. What it said stays on the log, sealed, until the user is erased.
type MessageTakenBack struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
}

var _ = event.Register[MessageTakenBack](Conversations, "message-taken-back", 1)

// TakenBackLine is what is read in its place.
const TakenBackLine = "(taken back by its sender)"

// Decide takes it of a conversation that has ended too.
func (c TakeBack) Decide(s State) ([]event.Payload, error) {
	if c.Number < 1 || c.Number > s.Messages {
		return nil, nil
	}
	return []event.Payload{MessageTakenBack{Number: c.Number, At: stamp(c.At)}}, nil
}

// Apply changes nothing: the words are in no state.
func (MessageTakenBack) Apply(*State) {}
