package secrets

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Create puts a secret under a name where none is.
type Create struct {
	Name      Name // clean
	SecretID  string
	Value     string     // sealed
	ExpiresAt *time.Time // nil: never
	At        time.Time
}

// Created says that a secret stands under its name.
type Created struct {
	TenantID    string     `json:"tenantId"`
	ProjectID   string     `json:"projectId"`
	SecretID    string     `json:"secretId"`
	ToolName    string     `json:"toolName"`
	SecretKey   string     `json:"secretKey"`
	Environment string     `json:"environment"`
	Value       string     `json:"value"` // sealed
	Version     int        `json:"version"`
	ExpiresAt   *time.Time `json:"expiresAt,omitempty"` // absent: never
	At          time.Time  `json:"at"`
}

var _ = event.Register[Created](Secrets, "created", 1)

// Decide refuses a name that is taken.
func (c Create) Decide(s State) ([]event.Payload, error) {
	if err := checkExpiry(c.ExpiresAt, c.At); err != nil {
		return nil, err
	}
	if s.ID != "" {
		return nil, taken(s, c.At)
	}
	return []event.Payload{Created{TenantID: c.Name.TenantID, ProjectID: c.Name.ProjectID, SecretID: c.SecretID, ToolName: c.Name.ToolName,
		SecretKey: c.Name.SecretKey, Environment: c.Name.Environment, Value: c.Value, Version: 1, ExpiresAt: stamped(c.ExpiresAt),
		At: event.Stamp(c.At)}}, nil
}

// taken is the refusal of a name under which a secret stands. How to go on is told with it: who meets an expired one
// did not know that it still has its name.
func taken(s State, at time.Time) error {
	state := "already"
	if !s.Good(at) {
		state = "already, which has expired"
	}
	return fault.New(fault.Conflict, "the tool has a secret of that key in this environment %s: give %s another value (change-tool-secret, "+
		"PUT /api/tool-secrets/%s), or delete it first", state, s.ID, s.ID)
}

// Apply folds the event.
func (e Created) Apply(s *State) {
	*s = State{ID: e.SecretID, Version: e.Version, Value: e.Value, ExpiresAt: e.ExpiresAt}
}
