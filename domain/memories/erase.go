package memories

import "github.com/parley-platform/parley/domain/event"

// Erased: who talked in the session, or the contact, was erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure: what was written before is null, so the store is
// empty.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Memories, event.ErasedName, 1)
