package contactlists

import "github.com/parley-platform/parley/domain/event"

// Erased: contacts of lists were erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Lists, event.ErasedName, 1)
