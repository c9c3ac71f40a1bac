package voicemails

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Attribute keeps whose a voicemail is when what knew that is forgotten before it, such as the call of its session: a project
// may keep calls for less long.
type Attribute struct {
	Persons []string // hashes of what they are known by
	At      time.Time
}

// Attributed says by which hashes of identities a voicemail is found for whom it is of, now that nothing else leads to it.
type Attributed struct {
	Persons []string  `json:"persons" personal:"caller"`
	At      time.Time `json:"at"`
}

var _ = event.Register[Attributed](Voicemails, "attributed", 1)

// Decide says what the voicemail does not know yet.
func (c Attribute) Decide(s State) ([]event.Payload, error) {
	unknown := slices.DeleteFunc(slices.Clone(c.Persons), func(p string) bool { return slices.Contains(s.Persons, p) })
	if s.Status == "" || s.Forgotten || len(unknown) == 0 {
		return nil, nil
	}
	return []event.Payload{Attributed{Persons: unknown, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Attributed) Apply(s *State) { s.Persons = append(slices.Clip(s.Persons), e.Persons...) }
