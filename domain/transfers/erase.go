package transfers

import "github.com/parley-platform/parley/domain/event"

// Erased: the customer who is transferred was erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Transfers, event.ErasedName, 1)
