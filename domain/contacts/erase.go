package contacts

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Forget deletes a contact because the person is to be erased.
type Forget struct{ At time.Time }

// Decide says nothing of a contact that is not there any more.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	if !s.Exists() {
		return nil, nil
	}
	return Delete(c).Decide(s)
}

// Erased: the contact was erased.
type Erased struct{ event.Erasure }

// Apply changes nothing; see event.Erasure.
func (Erased) Apply(*State) {}

var _ = event.Register[Erased](Contacts, event.ErasedName, 1)
