package contacts

import (
	"encoding/hex"

	"github.com/parley-platform/parley/domain/event"
)

// Identities holds one stream per identity: identity-<keyed hash>. It says who claimed it
// last, and nothing of the identity itself. A claim alone does not say that the contact has
// the identity: the contact's own stream does.
var Identities = event.NewAggregate[ClaimState]("identities", "identity", event.Busy)

// IdentityStream is where an identity of an account is claimed. mac is a keyed hash.
func IdentityStream(mac func(purpose string, parts ...string) []byte, tenantID string, d Details) string {
	return Identities.Stream(hex.EncodeToString(mac("contact-identity", tenantID, d.IdentityType, d.Identity)[:16]))
}

// ClaimState is who claimed an identity last.
type ClaimState struct {
	ContactID string
	ClaimID   string
}

// Claim takes an identity for a contact that is about to be made or changed.
type Claim struct {
	TenantID  string
	ContactID string
	ClaimID   string // of this try
	Over      string // a claim that was found to hold nothing; empty: none was
}

// Claimed says that the contact may take the identity.
type Claimed struct {
	TenantID  string `json:"tenantId"`
	ContactID string `json:"contactId"`
	ClaimID   string `json:"claimId"`
}

var _ = event.Register[Claimed](Identities, "claimed", 1)

// Decide refuses what another claim may hold.
func (c Claim) Decide(s ClaimState) ([]event.Payload, error) {
	switch s.ClaimID {
	case c.ClaimID:
		return nil, nil
	case "", c.Over:
		return []event.Payload{Claimed{TenantID: c.TenantID, ContactID: c.ContactID, ClaimID: c.ClaimID}}, nil
	}
	return nil, Taken()
}

// Apply folds the event.
func (e Claimed) Apply(s *ClaimState) { *s = ClaimState{e.ContactID, e.ClaimID} }

// GiveUp says on a contact's stream that a claim holds nothing, unless the contact has its
// identity by it: then that is refused. Whoever makes the contact at the same moment is
// refused behind it, so of two who want the same identity one gets it.
type GiveUp struct {
	TenantID  string
	ContactID string
	ClaimID   string
}

// ClaimGivenUp says that the claim holds nothing, and never will.
type ClaimGivenUp struct {
	TenantID  string `json:"tenantId"`
	ContactID string `json:"contactId"`
	ClaimID   string `json:"claimId"`
}

var _ = event.Register[ClaimGivenUp](Contacts, "claim-given-up", 1)

// Decide gives a claim up once.
func (c GiveUp) Decide(s State) ([]event.Payload, error) {
	if s.ClaimID == c.ClaimID {
		return nil, Taken()
	}
	if s.holds(c.ClaimID) != nil {
		return nil, nil
	}
	return []event.Payload{ClaimGivenUp(c)}, nil
}

// Apply folds the event.
func (e ClaimGivenUp) Apply(s *State) { s.GivenUp = append(s.GivenUp, e.ClaimID) }
