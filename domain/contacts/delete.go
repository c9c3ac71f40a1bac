package contacts

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Delete takes a contact away: its identity is free again.
type Delete struct{ At time.Time }

// Deleted says that the account does not list the contact any more. What was said of it is
// on the log until the person is erased.
type Deleted struct {
	ContactID string    `json:"contactId"`
	TenantID  string    `json:"tenantId"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Deleted](Contacts, "deleted", 1)

// Decide refuses what is not there.
func (c Delete) Decide(s State) ([]event.Payload, error) {
	if !s.Exists() {
		return nil, Unknown()
	}
	return []event.Payload{Deleted{ContactID: s.ID, TenantID: s.TenantID, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Deleted) Apply(s *State) { s.DeletedAt, s.ClaimID = e.At, "" }
