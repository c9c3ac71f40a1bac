package secrets

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Change gives a secret another value.
type Change struct {
	TenantID  string
	ProjectID string
	SecretID  string
	Value     string     // sealed
	ExpiresAt *time.Time // nil: never
	At        time.Time
}

// Changed says that a secret has another value.
type Changed struct {
	TenantID  string     `json:"tenantId"`
	ProjectID string     `json:"projectId"`
	SecretID  string     `json:"secretId"`
	Value     string     `json:"value"` // sealed
	Version   int        `json:"version"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"` // absent: never
	At        time.Time  `json:"at"`
}

var _ = event.Register[Changed](Secrets, "changed", 1)

// Decide raises the version, also where the value is the same: sealed it cannot be told.
func (c Change) Decide(s State) ([]event.Payload, error) {
	if s.ID == "" || s.ID != c.SecretID {
		return nil, Unknown()
	}
	if err := checkExpiry(c.ExpiresAt, c.At); err != nil {
		return nil, err
	}
	return []event.Payload{Changed{TenantID: c.TenantID, ProjectID: c.ProjectID, SecretID: c.SecretID, Value: c.Value, Version: s.Version + 1,
		ExpiresAt: stamped(c.ExpiresAt), At: event.Stamp(c.At)}}, nil
}

// Unknown is the refusal of a secret that is not there.
func Unknown() error { return fault.New(fault.NotFound, "there is no such secret") }

// Apply folds the event.
func (e Changed) Apply(s *State) { s.Version, s.Value, s.ExpiresAt = e.Version, e.Value, e.ExpiresAt }
