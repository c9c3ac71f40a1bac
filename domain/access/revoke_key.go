package access

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// RevokeKey deletes an API key for good (revoke-api-key).
type RevokeKey struct {
	KeyID string
	At    time.Time
}

// KeyRevoked says that the key opens nothing any more and its name is free.
type KeyRevoked struct {
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	ScopeID   string    `json:"scopeId"`
	ScopeName string    `json:"scopeName"`
	KeyID     string    `json:"keyId"`
	Name      string    `json:"name"`
	RevokedAt time.Time `json:"revokedAt"`
}

var _ = event.Register[KeyRevoked](Scopes, "key-revoked", 1)

// Decide does not tell a revoked key from one that never was: both are not found.
func (c RevokeKey) Decide(s ScopeState) ([]event.Payload, error) {
	key, ok := s.Keys[c.KeyID]
	if !ok {
		return nil, fault.New(fault.NotFound, "API key not found")
	}
	return []event.Payload{KeyRevoked{TenantID: s.TenantID, ProjectID: s.ProjectID, ScopeID: s.ID, ScopeName: s.Name,
		KeyID: key.ID, Name: key.Name, RevokedAt: c.At.UTC()}}, nil
}

// Apply folds the event.
func (e KeyRevoked) Apply(s *ScopeState) { delete(s.Keys, e.KeyID) }
