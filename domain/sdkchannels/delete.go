package sdkchannels

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Delete takes a channel away, and with it all tokens that were given out for it.
type Delete struct{ At time.Time }

// Deleted says that the channel is gone.
type Deleted struct {
	ChannelID string    `json:"channelId"`
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Deleted](Channels, "deleted", 1)

// Decide refuses what is not there.
func (c Delete) Decide(s State) ([]event.Payload, error) {
	if s.ID == "" {
		return nil, Unknown()
	}
	return []event.Payload{Deleted{ChannelID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Deleted) Apply(s *State) { *s = State{} }
