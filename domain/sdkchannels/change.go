package sdkchannels

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Change gives a channel other settings.
type Change struct {
	Edit func(*Settings) // what is given
	At   time.Time
}

// Changed says all that holds of the channel from now on.
type Changed struct {
	ChannelID string    `json:"channelId"`
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	Settings  Settings  `json:"settings"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Changed](Channels, "changed", 1)

// Decide says nothing where nothing changes.
func (c Change) Decide(s State) ([]event.Payload, error) {
	if s.ID == "" {
		return nil, Unknown()
	}
	edited := s.Settings
	c.Edit(&edited)
	settings, err := edited.Clean()
	if err != nil || settings.same(s.Settings) {
		return nil, err
	}
	return []event.Payload{Changed{ChannelID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, Settings: settings,
		At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Changed) Apply(s *State) { s.Settings, s.UpdatedAt = e.Settings, e.At }
