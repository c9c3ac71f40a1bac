package contacts

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Create makes a contact. Its identity was claimed for it before.
type Create struct {
	ContactID string // ct-<uuid>
	TenantID  string
	Details   Details // clean
	ClaimID   string  // by which the identity was claimed; empty without one
	At        time.Time
}

// Created says that the account knows somebody.
type Created struct {
	ContactID string    `json:"contactId"`
	TenantID  string    `json:"tenantId"`
	Details   Details   `json:"details"`
	ClaimID   string    `json:"claimId,omitempty"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Created](Contacts, "created", 1)

// Decide refuses an identity that somebody else has taken meanwhile.
func (c Create) Decide(s State) ([]event.Payload, error) {
	if s.ID != "" {
		return nil, fault.New(fault.Conflict, "the contact %s exists already", s.ID)
	}
	if err := s.holds(c.ClaimID); err != nil {
		return nil, err
	}
	return []event.Payload{Created{ContactID: c.ContactID, TenantID: c.TenantID, Details: c.Details, ClaimID: c.ClaimID,
		At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Created) Apply(s *State) {
	s.ID, s.TenantID, s.Details, s.ClaimID, s.CreatedAt = e.ContactID, e.TenantID, e.Details, e.ClaimID, e.At
}
