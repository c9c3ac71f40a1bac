package secrets

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Delete takes a secret away: its name is free again.
type Delete struct {
	TenantID  string
	ProjectID string
	SecretID  string
	At        time.Time
}

// Deleted says that nothing stands under the name any more.
type Deleted struct {
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	SecretID  string    `json:"secretId"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Deleted](Secrets, "deleted", 1)

// Decide refuses what is not there.
func (c Delete) Decide(s State) ([]event.Payload, error) {
	if s.ID == "" || s.ID != c.SecretID {
		return nil, Unknown()
	}
	return []event.Payload{Deleted{TenantID: c.TenantID, ProjectID: c.ProjectID, SecretID: c.SecretID, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Deleted) Apply(s *State) { *s = State{} }
