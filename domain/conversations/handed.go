package conversations

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// HandOver says with whom the conversation is since a transfer. It counts until hooks
// tell of the conversation: they know better who is there.
type HandOver struct {
	HumanAgentID string // empty: it waits in a queue's line
	Turn         int    // of the transfer among those of the session; a later one overtakes
	At           time.Time
}

// HandedOver says that an agent, or a queue's line, has the conversation by a transfer.
type HandedOver struct {
	HumanAgentID string    `json:"agentId,omitempty" personal:"agent" key:"own"` // absent: it waits in a line
	Turn         int       `json:"turn"`
	At           time.Time `json:"at"`
}

var _ = event.Register[HandedOver](Conversations, "handed-over", 1)

// byTransfer reports whether transfers alone say where the conversation stands, and
// whether one of this turn still does.
func (s State) byTransfer(turn int) bool { return s.Phase == Waiting && turn >= s.Turn }

// Decide does nothing where the state says so already.
func (c HandOver) Decide(s State) ([]event.Payload, error) {
	if !s.byTransfer(c.Turn) || s.Turn == c.Turn && s.Holder == c.HumanAgentID {
		return nil, nil
	}
	return []event.Payload{HandedOver{HumanAgentID: c.HumanAgentID, Turn: c.Turn, At: stamp(c.At)}}, nil
}

// Apply folds the event.
func (e HandedOver) Apply(s *State) { s.Holder, s.Turn, s.LastAt = e.HumanAgentID, e.Turn, e.At }

// Close ends a conversation with the last of its transfers, unless hooks tell of it:
// then END_OF_CONVERSATION ends it.
type Close struct {
	Reason     string // of the transfer
	Turn       int    // of the last transfer
	Experience Experience
	At         time.Time
}

// Decide ends it once.
func (c Close) Decide(s State) ([]event.Payload, error) {
	if !s.byTransfer(c.Turn) {
		return nil, nil
	}
	return []event.Payload{ConversationEnded{Reason: c.Reason, Experience: c.Experience, At: stamp(c.At)}}, nil
}
