package connections

import (
	"encoding/hex"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/registrations"
)

// Identifiers holds one stream per external identifier of a kind: identifier-<keyed hash>. It
// says which connection claimed it last, and nothing of the identifier itself. They belong to the
// operator, as no tenant may have one for good. A claim alone does not say that the connection
// has the identifier: the connection's own stream does.
var Identifiers = event.NewAggregate[ClaimState]("identifiers", "identifier", event.Quiet)

// Server is the account to which the streams of Identifiers belong.
const Server = registrations.Tenant

// IdentifierStream is where an external identifier is claimed. mac is a keyed hash.
func (k Kind) IdentifierStream(mac func(purpose string, parts ...string) []byte, tenantID, external string) string {
	if !k.Own {
		tenantID = ""
	}
	return Identifiers.Stream(hex.EncodeToString(mac("connection-identifier", k.Slug, tenantID, external)[:16]))
}

// ClaimState is who claimed an identifier last.
type ClaimState struct {
	TenantID     string
	ConnectionID string
	ClaimID      string
}

// Claim takes an external identifier for a connection that is about to be made.
type Claim struct {
	TenantID     string
	ConnectionID string
	ClaimID      string // of this try
	Over         string // a claim that was found to hold nothing; empty: none was
}

// Claimed says that the connection may take the identifier.
type Claimed struct {
	TenantID     string `json:"tenantId"`
	ConnectionID string `json:"connectionId"`
	ClaimID      string `json:"claimId"`
}

var _ = event.Register[Claimed](Identifiers, "claimed", 1)

// Decide refuses what another claim may hold.
func (c Claim) Decide(s ClaimState) ([]event.Payload, error) {
	switch s.ClaimID {
	case c.ClaimID:
		return nil, nil
	case "", c.Over:
		return []event.Payload{Claimed{TenantID: c.TenantID, ConnectionID: c.ConnectionID, ClaimID: c.ClaimID}}, nil
	}
	return nil, Taken()
}

// Apply folds the event.
func (e Claimed) Apply(s *ClaimState) { *s = ClaimState(e) }

// GiveUp says on a connection's stream that a claim holds nothing, unless the connection is
// there by it: then that is refused. Whoever makes the connection at the same moment is refused
// behind it, so of two who want the same identifier one gets it.
type GiveUp struct {
	ConnectionID string
	ClaimID      string
}

// ClaimGivenUp says that the claim holds nothing, and never will.
type ClaimGivenUp struct {
	ConnectionID string `json:"connectionId"`
	ClaimID      string `json:"claimId"`
}

var _ = event.Register[ClaimGivenUp](Connections, "claim-given-up", 1)

// Decide gives a claim up once.
func (c GiveUp) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.ID != "" && s.ClaimID == c.ClaimID:
		return nil, Taken()
	case slices.Contains(s.GivenUp, c.ClaimID):
		return nil, nil
	}
	return []event.Payload{ClaimGivenUp(c)}, nil
}

// Apply folds the event.
func (e ClaimGivenUp) Apply(s *State) { s.GivenUp = append(slices.Clone(s.GivenUp), e.ClaimID) }
