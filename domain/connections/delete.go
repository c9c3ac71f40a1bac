package connections

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Delete takes a connection away: nothing comes by it any more, and what it was called by is
// free.
type Delete struct{ At time.Time }

// Deleted says that the connection is gone.
type Deleted struct {
	ConnectionID string    `json:"connectionId"`
	TenantID     string    `json:"tenantId"`
	ProjectID    string    `json:"projectId"`
	Kind         string    `json:"channelType"`
	Registered   bool      `json:"registered,omitempty"` // its provider still sends here, and is to be told
	At           time.Time `json:"at"`
}

var _ = event.Register[Deleted](Connections, "deleted", 1)

// Decide refuses what is not there.
func (c Delete) Decide(s State) ([]event.Payload, error) {
	if s.ID == "" {
		return nil, Unknown()
	}
	return []event.Payload{Deleted{ConnectionID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, Kind: s.Kind,
		Registered: s.WebhookURL != "", At: event.Stamp(c.At)}}, nil
}

// Apply folds the event: nothing is left but the claims that hold nothing, and what its provider is still
// to be told of.
func (e Deleted) Apply(s *State) {
	was := *s
	*s = State{GivenUp: s.GivenUp}
	if e.Registered {
		s.Gone = &Gone{ID: e.ConnectionID, TenantID: e.TenantID, ProjectID: e.ProjectID, Kind: e.Kind, External: was.External,
			Credentials: was.Credentials}
	}
}
