package runs

import "github.com/parley-platform/parley/domain/event"

// Erased: contacts of the run were erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Runs, event.ErasedName, 1)
