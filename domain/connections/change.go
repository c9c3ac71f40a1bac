package connections

import (
	"cmp"
	"maps"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Change gives a connection other settings or credentials.
type Change struct {
	Edit        func(*Settings)        // what is given
	Credentials map[string]*Credential // those that change; nil takes one away
	At          time.Time
}

// Changed says all that holds of the connection from now on.
type Changed struct {
	ConnectionID string                `json:"connectionId"`
	TenantID     string                `json:"tenantId"`
	ProjectID    string                `json:"projectId"`
	Kind         string                `json:"channelType"`
	Settings     Settings              `json:"settings"`
	Credentials  map[string]Credential `json:"credentials"`
	At           time.Time             `json:"at"`
}

var _ = event.Register[Changed](Connections, "changed", 1)

// Decide says nothing where nothing changes.
func (c Change) Decide(s State) ([]event.Payload, error) {
	if s.ID == "" {
		return nil, Unknown()
	}
	edited := s.Settings
	c.Edit(&edited)
	edited.Name = cmp.Or(strings.TrimSpace(edited.Name), s.External) // as where it is made
	settings, err := edited.clean()
	if err != nil {
		return nil, err
	}
	has := held(maps.Clone(s.Credentials))
	for name, given := range c.Credentials {
		switch was, there := has[name]; {
		case given == nil:
			delete(has, name)
		case there && was.Fingerprint == given.Fingerprint: // the same, sealed anew
		default:
			has[name] = *given
		}
	}
	kind, ok := KindOf(s.Kind)
	if !ok {
		return nil, fault.New(fault.Internal, "there are no connections of the kind %s any more", s.Kind)
	}
	if err := kind.lacks(has); err != nil {
		return nil, err
	}
	if settings == s.Settings && maps.Equal(has, s.Credentials) {
		return nil, nil
	}
	return []event.Payload{Changed{ConnectionID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, Kind: s.Kind, Settings: settings,
		Credentials: has, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Changed) Apply(s *State) {
	s.Settings, s.Credentials, s.UpdatedAt = e.Settings, maps.Clone(e.Credentials), e.At
	s.Settled, s.Troubles = false, nil
}
