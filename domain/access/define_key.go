package access

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineKey says what a public key is (manifest kind PublicKey): it is made, or held to other
// origins. Where the manifest does not name the secret, a key that is there keeps its own.
type DefineKey struct {
	CreateKey
	Given bool // the manifest names the secret
}

// KeyOriginsChanged says which pages a public key is for from now on.
type KeyOriginsChanged struct {
	TenantID       string    `json:"tenantId"`
	ProjectID      string    `json:"projectId"`
	ScopeID        string    `json:"scopeId"`
	KeyID          string    `json:"keyId"`
	AllowedOrigins []string  `json:"allowedOrigins"`
	ChangedAt      time.Time `json:"changedAt"`
}

var _ = event.Register[KeyOriginsChanged](Scopes, "key-origins-changed", 1)

// Decide refuses to give a key that is there another name or another secret.
func (c DefineKey) Decide(s ScopeState) ([]event.Payload, error) {
	key, ok := s.Keys[c.KeyID]
	if !ok {
		return c.CreateKey.Decide(s)
	}
	e, err := c.event(s)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	if key.Kind != PublicKey {
		f.Add("key_id", "is that of a secret key")
	}
	if !SameName(key.Name, e.Name) {
		f.Add("api_key_name", "cannot change: define another key")
	}
	if c.Given && c.Hash != key.Hash {
		f.Add("key", "cannot change: define another key")
	}
	if err := f.Err(); err != nil || slices.Equal(e.AllowedOrigins, key.Origins) {
		return nil, err
	}
	return []event.Payload{KeyOriginsChanged{TenantID: s.TenantID, ProjectID: s.ProjectID, ScopeID: s.ID, KeyID: c.KeyID,
		AllowedOrigins: e.AllowedOrigins, ChangedAt: c.At.UTC()}}, nil
}

// Apply folds the event.
func (e KeyOriginsChanged) Apply(s *ScopeState) {
	if key, ok := s.Keys[e.KeyID]; ok {
		key.Origins = slices.Clone(e.AllowedOrigins)
		s.Keys[e.KeyID] = key
	}
}
