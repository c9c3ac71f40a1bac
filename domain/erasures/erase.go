package erasures

import "github.com/parley-platform/parley/domain/event"

// Erased: the job has forgotten whom it was about.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Jobs, event.ErasedName, 1)
