package humanagents

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// SetPresence says whether the agent is there.
type SetPresence struct {
	TenantID     string
	HumanAgentID string
	Type         PresenceType
	Name         string // onlineStatus; empty: the type's name
	At           time.Time
}

// AgentPresenceChanged says what the agent's presence now is. Conversations that the
// agent has are not touched by it.
type AgentPresenceChanged struct {
	TenantID     string       `json:"tenantId"`
	HumanAgentID string       `json:"agentId"`
	Type         PresenceType `json:"onlineStatusType"`
	Name         string       `json:"onlineStatus"`
	Was          PresenceType `json:"wasOnlineStatusType"`
	// AvailableSince is since when the agent is AVAILABLE without a break; null for the other types.
	AvailableSince *time.Time `json:"availableSince"`
	// LastOnlineAt is when the agent was last known to be there; null: never.
	LastOnlineAt *time.Time `json:"lastOnlineAt"`
	At           time.Time  `json:"at"`
}

var _ = event.Register[AgentPresenceChanged](Desks, "presence-changed", 1)

// Decide does nothing for the presence that the agent has already.
func (c SetPresence) Decide(d Desk) ([]event.Payload, error) {
	var f fault.Fields
	if !slices.Contains(PresenceTypes(), c.Type) {
		f.Add("onlineStatusType", "must be one of AVAILABLE, BUSY, AWAY, OFFLINE")
	}
	name := c.Type.Name()
	if c.Name != "" {
		name = access.CheckName(&f, "onlineStatus", c.Name)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	was, at := d.Presence(), event.Stamp(c.At)
	if was == c.Type && (d.Name == name || d.Type == "" && c.Name == "") {
		return nil, nil
	}
	e := AgentPresenceChanged{TenantID: c.TenantID, HumanAgentID: c.HumanAgentID, Type: c.Type, Name: name, Was: was, At: at}
	if c.Type == Available {
		e.AvailableSince = &at
		if was == Available {
			e.AvailableSince = &d.AvailableSince
		}
	}
	switch {
	case was != Offline || c.Type != Offline:
		e.LastOnlineAt = &at
	case !d.LastOnlineAt.IsZero():
		e.LastOnlineAt = &d.LastOnlineAt
	}
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e AgentPresenceChanged) Apply(d *Desk) {
	d.Type, d.Name, d.AvailableSince, d.LastOnlineAt = e.Type, e.Name, time.Time{}, time.Time{}
	if e.AvailableSince != nil {
		d.AvailableSince = *e.AvailableSince
	}
	if e.LastOnlineAt != nil {
		d.LastOnlineAt = *e.LastOnlineAt
	}
}
