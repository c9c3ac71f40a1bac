package sessions

import "github.com/parley-platform/parley/domain/event"

// Erased: the customer of the session was erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Sessions, event.ErasedName, 1)
