package sessions

import "github.com/parley-platform/parley/domain/event"

// Erased: the customer of the session was erased.
type Erased struct{ event.Erasure }

// Apply remembers it. What was said the store takes away; see event.Erasure.
func (Erased) Apply(s *State) { s.Forgotten = true }

var _ = event.Register[Erased](Sessions, event.ErasedName, 1)
