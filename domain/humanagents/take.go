package humanagents

import (
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Take says that the agent is in a conversation, which somebody else than routing
// brought about. It is a fact: presence and limits do not refuse it, and an agent may
// by it have more than they can.
type Take struct {
	TenantID       string
	HumanAgentID   string
	ClaimID        string // derived from the cause, so that a repeat is the same claim
	ConversationID string
	Aliases        []string // other ids of the same conversation
	Kind           Kind
	At             time.Time // since when
}

// CapacityTaken says that the agent has one conversation more, until it is released.
type CapacityTaken struct {
	TenantID       string    `json:"tenantId"`
	HumanAgentID   string    `json:"agentId"`
	ClaimID        string    `json:"claimId"`
	ConversationID string    `json:"conversationId"`
	Kind           Kind      `json:"kind"`
	Load           int       `json:"load"` // how many it now has of that kind
	At             time.Time `json:"at"`
}

var _ = event.Register[CapacityTaken](Desks, "capacity-taken", 1)

// Decide does nothing for a claim that is or was there, and for a conversation that the
// agent has already: routing may have been first.
func (c Take) Decide(d Desk) ([]event.Payload, error) {
	if err := checkClaim(c.ClaimID, c.ConversationID, c.Kind); err != nil {
		return nil, err
	}
	_, open := d.Claims[c.ClaimID]
	if open || slices.Contains(d.Ended, c.ClaimID) || len(d.of(c.ConversationID, c.Aliases, nil)) > 0 {
		return nil, nil
	}
	return []event.Payload{CapacityTaken{TenantID: c.TenantID, HumanAgentID: c.HumanAgentID, ClaimID: c.ClaimID,
		ConversationID: c.ConversationID,
		Kind:           c.Kind,
		Load:           d.Load(c.Kind) + 1, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e CapacityTaken) Apply(d *Desk) {
	d.Claims = maps.Clone(d.Claims)
	if d.Claims == nil {
		d.Claims = map[string]Taken{}
	}
	d.Claims[e.ClaimID] = Taken{ConversationID: e.ConversationID, Kind: e.Kind, ExpiresAt: e.At, Confirmed: true, Since: e.At}
}

// Drop says that the agent is in a conversation no longer. Whoever brought them there,
// what they have of it is released.
type Drop struct {
	TenantID       string
	HumanAgentID   string
	ConversationID string
	Aliases        []string  // other ids of the same conversation
	At             time.Time // when they left: what they were given later stays
}

// Decide does nothing for a conversation that the agent does not have.
func (c Drop) Decide(d Desk) ([]event.Payload, error) {
	var events []event.Payload
	at := event.Stamp(c.At)
	for _, id := range d.of(c.ConversationID, c.Aliases, &at) {
		e := d.release(c.TenantID, c.HumanAgentID, id, ReleasedEnded, c.At)
		events = append(events, e)
		d = d.after(e)
	}
	return events, nil
}

// of lists the claims of a conversation that are open, by all its ids, sorted; until
// leaves out those that were made later.
func (d Desk) of(conversationID string, aliases []string, until *time.Time) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(d.Claims)) {
		taken := d.Claims[id]
		if taken.ConversationID != conversationID && !slices.Contains(aliases, taken.ConversationID) {
			continue
		}
		if until == nil || !taken.Since.After(*until) {
			ids = append(ids, id)
		}
	}
	return ids
}
