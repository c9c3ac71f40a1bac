package contacts

import (
	"reflect"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Change says what else is known of a contact. A new identity was claimed for it before.
type Change struct {
	Edit    func(*Details) // what is given
	ClaimID string         // by which Claimed was claimed; empty: nothing was
	Claimed Details        // whose identity was claimed
	At      time.Time
}

// Changed says all that is known of the contact from now on.
type Changed struct {
	ContactID string    `json:"contactId"`
	TenantID  string    `json:"tenantId"`
	Details   Details   `json:"details"`
	ClaimID   string    `json:"claimId,omitempty"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Changed](Contacts, "changed", 1)

// Decide says nothing where nothing changes.
func (c Change) Decide(s State) ([]event.Payload, error) {
	if !s.Exists() {
		return nil, Unknown()
	}
	to, err := s.Details.Edited(c.Edit)
	if err != nil {
		return nil, err
	}
	claim := s.ClaimID
	switch {
	case to.SameIdentity(s.Details):
	case to.Identity == "":
		claim = ""
	case !to.SameIdentity(c.Claimed):
		return nil, fault.New(fault.Conflict, "the contact's identity was changed at the same time: try again")
	default:
		claim = c.ClaimID
	}
	if err := s.holds(claim); err != nil {
		return nil, err
	}
	if claim == s.ClaimID && reflect.DeepEqual(to, s.Details) {
		return nil, nil
	}
	return []event.Payload{Changed{ContactID: s.ID, TenantID: s.TenantID, Details: to, ClaimID: claim, At: event.Stamp(c.At)}}, nil
}

// Edited is the details with what is given, clean.
func (d Details) Edited(edit func(*Details)) (Details, error) {
	was := d
	edit(&d)
	return d.cleaned(was)
}

// SameIdentity reports whether both are known by the same.
func (d Details) SameIdentity(other Details) bool {
	return d.Identity == other.Identity && d.IdentityType == other.IdentityType
}

// Apply folds the event.
func (e Changed) Apply(s *State) { s.Details, s.ClaimID = e.Details, e.ClaimID }
