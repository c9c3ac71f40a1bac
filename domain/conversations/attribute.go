package conversations

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Attribute keeps whose a conversation is when what knew that is forgotten before it, such as its call: a project may keep
// calls for less long.
type Attribute struct {
	Persons []string // hashes of what they are known by
	At      time.Time
}

// Attributed says by which hashes of identities a conversation is found for whom it is of, now that nothing else leads to it.
type Attributed struct {
	Persons []string  `json:"persons" personal:"participant"`
	At      time.Time `json:"at"`
}

var _ = event.Register[Attributed](Conversations, "attributed", 1)

// Decide says what the conversation does not know yet. Nobody said anything by that: it is not younger for it.
func (c Attribute) Decide(s State) ([]event.Payload, error) {
	unknown := slices.DeleteFunc(slices.Clone(c.Persons), func(p string) bool { return slices.Contains(s.Persons, p) })
	if s.Phase == Unknown || len(unknown) == 0 {
		return nil, nil
	}
	return []event.Payload{Attributed{Persons: unknown, At: stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Attributed) Apply(s *State) { s.Persons = append(slices.Clip(s.Persons), e.Persons...) }
