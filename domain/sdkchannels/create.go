package sdkchannels

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Define says what a channel is: it is made, or made to be so.
type Define struct {
	ChannelID string
	TenantID  string
	ProjectID string
	Settings  Settings
	At        time.Time
}

// Created says that a channel is there.
type Created struct {
	ChannelID string    `json:"channelId"`
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	Settings  Settings  `json:"settings"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Created](Channels, "created", 1)

// Decide says nothing where nothing changes.
func (c Define) Decide(s State) ([]event.Payload, error) {
	if s.ID != "" {
		if s.ProjectID != c.ProjectID {
			return nil, fault.Field("projectId", "cannot change")
		}
		return Change{Edit: func(to *Settings) { *to = c.Settings }, At: c.At}.Decide(s)
	}
	settings, err := c.Settings.Clean()
	if err != nil {
		return nil, err
	}
	return []event.Payload{Created{ChannelID: c.ChannelID, TenantID: c.TenantID, ProjectID: c.ProjectID, Settings: settings,
		At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Created) Apply(s *State) {
	*s = State{ID: e.ChannelID, TenantID: e.TenantID, ProjectID: e.ProjectID, Settings: e.Settings, CreatedAt: e.At, UpdatedAt: e.At}
}
