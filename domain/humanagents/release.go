package humanagents

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Why capacity became free.
const (
	ReleasedEnded   = "ended"   // the conversation is over, or another agent has it
	ReleasedExpired = "expired" // nobody confirmed the claim
)

// Release frees what a claim took. It is harmless for a claim that is not open.
type Release struct {
	TenantID     string
	HumanAgentID string
	ClaimID      string
	Reason       string // empty: ReleasedEnded
	At           time.Time
}

// CapacityReleased says that the agent has one conversation less.
type CapacityReleased struct {
	TenantID       string     `json:"tenantId"`
	HumanAgentID   string     `json:"agentId"`
	ClaimID        string     `json:"claimId"`
	ConversationID string     `json:"conversationId"`
	Kind           Kind       `json:"kind"`
	Reason         string     `json:"reason"`
	Load           int        `json:"load"`       // how many the agent still has of that kind
	NextExpiry     *time.Time `json:"nextExpiry"` // of the other unconfirmed claims; null: none
	At             time.Time  `json:"at"`
}

var _ = event.Register[CapacityReleased](Desks, "capacity-released", 1)

// Decide does nothing for a claim that is not open.
func (c Release) Decide(d Desk) ([]event.Payload, error) {
	if _, open := d.Claims[c.ClaimID]; !open {
		return nil, nil
	}
	return []event.Payload{d.release(c.TenantID, c.HumanAgentID, c.ClaimID, cmp.Or(c.Reason, ReleasedEnded), c.At)}, nil
}

// Lapse frees what was claimed and not confirmed in time. A timer sends it.
type Lapse struct {
	TenantID     string
	HumanAgentID string
	At           time.Time
}

// Decide says nothing when no claim is due.
func (c Lapse) Decide(d Desk) ([]event.Payload, error) {
	var events []event.Payload
	for _, id := range slices.Sorted(maps.Keys(d.Claims)) {
		if taken := d.Claims[id]; taken.Confirmed || taken.ExpiresAt.After(c.At) {
			continue
		}
		e := d.release(c.TenantID, c.HumanAgentID, id, ReleasedExpired, c.At)
		events = append(events, e)
		d = d.after(e)
	}
	return events, nil
}

func (d Desk) release(tenantID, agentID, claimID, reason string, at time.Time) CapacityReleased {
	taken := d.Claims[claimID]
	e := CapacityReleased{TenantID: tenantID, HumanAgentID: agentID, ClaimID: claimID, ConversationID: taken.ConversationID, Kind: taken.Kind,
		Reason: reason, At: event.Stamp(at)}
	next := d.after(e)
	e.Load, e.NextExpiry = next.Load(taken.Kind), next.nextExpiry()
	return e
}

// Apply folds the event.
func (e CapacityReleased) Apply(d *Desk) {
	d.Claims = maps.Clone(d.Claims)
	delete(d.Claims, e.ClaimID)
	ended := append(slices.Clone(d.Ended), e.ClaimID)
	d.Ended = ended[max(0, len(ended)-remembered):]
	if e.At.After(d.LastReleaseAt) {
		d.LastReleaseAt = e.At
	}
}
