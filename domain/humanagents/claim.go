package humanagents

import (
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Claim takes capacity of an agent for a conversation that is being transferred to it.
// It is the first of two steps: what is not confirmed before ExpiresAt lapses.
//
// Limit is Record.Limit of that kind as the caller read it. A record that is changed at
// that very moment makes the limit old; the next claim has the new one, and nobody loses
// a conversation over it.
type Claim struct {
	TenantID       string
	HumanAgentID   string
	ClaimID        string // derived from the cause, so that a repeat is the same claim
	ConversationID string
	Kind           Kind
	Limit          int
	Inactive       bool // the record's status is not ACTIVE
	ExpiresAt      time.Time
	At             time.Time
}

// CapacityClaimed says that a conversation is kept for the agent until it is confirmed,
// released, or lapses.
type CapacityClaimed struct {
	TenantID       string     `json:"tenantId"`
	HumanAgentID   string     `json:"agentId"`
	ClaimID        string     `json:"claimId"`
	ConversationID string     `json:"conversationId"`
	Kind           Kind       `json:"kind"`
	Limit          int        `json:"limit"` // how many the agent could have
	Load           int        `json:"load"`  // how many it now has of that kind
	ExpiresAt      time.Time  `json:"expiresAt"`
	NextExpiry     *time.Time `json:"nextExpiry"` // of all unconfirmed claims of the agent; null: none
	At             time.Time  `json:"at"`
}

var _ = event.Register[CapacityClaimed](Desks, "capacity-claimed", 1)

// Decide refuses with a Refusal inside, unless the capacity is there.
func (c Claim) Decide(d Desk) ([]event.Payload, error) {
	if err := checkClaim(c.ClaimID, c.ConversationID, c.Kind); err != nil {
		return nil, err
	}
	if _, open := d.Claims[c.ClaimID]; open {
		return nil, nil
	}
	if slices.Contains(d.Ended, c.ClaimID) {
		return nil, refuse(fault.Gone, ReasonEnded, "the claim %s has ended", c.ClaimID)
	}
	at, expires := event.Stamp(c.At), event.Stamp(c.ExpiresAt)
	switch p := d.Presence(); {
	case c.Inactive:
		return nil, refuse(fault.Conflict, ReasonNotAvailable, "agent %s is not active", c.HumanAgentID)
	case !expires.After(at):
		return nil, refuse(fault.Gone, ReasonExpired, "the claim %s has expired", c.ClaimID)
	case p == Offline:
		return nil, refuse(fault.Conflict, ReasonOffline, "agent %s is offline", c.HumanAgentID)
	case p != Available:
		return nil, refuse(fault.Conflict, ReasonNotAvailable, "agent %s is not available: %s", c.HumanAgentID, d.Name)
	case c.Limit < 1:
		return nil, refuse(fault.Conflict, ReasonUnsupported, "agent %s takes no conversations of kind %s", c.HumanAgentID, c.Kind)
	case d.Load(c.Kind) >= c.Limit && !d.having(c.Kind)[c.ConversationID]:
		return nil, refuse(fault.Conflict, ReasonFull, "agent %s has all the %s conversations it can have (%d)", c.HumanAgentID, c.Kind, c.Limit)
	}
	e := CapacityClaimed{TenantID: c.TenantID, HumanAgentID: c.HumanAgentID, ClaimID: c.ClaimID, ConversationID: c.ConversationID,
		Kind:  c.Kind,
		Limit: c.Limit, ExpiresAt: expires, At: at}
	next := d.after(e)
	e.Load, e.NextExpiry = next.Load(c.Kind), next.nextExpiry()
	return []event.Payload{e}, nil
}

// maxConversation is two ids and a dot: see conversations.Key.
const maxConversation = 2*access.MaxIDLength + 1

func checkClaim(claimID, conversationID string, kind Kind) error {
	var f fault.Fields
	access.CheckID(&f, "claimId", claimID)
	if conversationID == "" || len(conversationID) > maxConversation {
		f.Add("conversationId", "must be 1 to %d characters", maxConversation)
	}
	if !slices.Contains(Kinds(), kind) {
		f.Add("kind", "must be one of chat, email, messaging, voice")
	}
	return f.Err()
}

// Apply folds the event.
func (e CapacityClaimed) Apply(d *Desk) {
	claims := maps.Clone(d.Claims)
	if claims == nil {
		claims = map[string]Taken{}
	}
	claims[e.ClaimID] = Taken{ConversationID: e.ConversationID, Kind: e.Kind, ExpiresAt: e.ExpiresAt, Since: e.At}
	d.Claims = claims
}

// Confirm makes a claim last until it is released: the conversation has been given to
// the agent.
type Confirm struct {
	TenantID     string
	HumanAgentID string
	ClaimID      string
	At           time.Time
}

// ClaimConfirmed says that the claim lapses no more.
type ClaimConfirmed struct {
	TenantID       string     `json:"tenantId"`
	HumanAgentID   string     `json:"agentId"`
	ClaimID        string     `json:"claimId"`
	ConversationID string     `json:"conversationId"`
	Kind           Kind       `json:"kind"`
	NextExpiry     *time.Time `json:"nextExpiry"` // of the other unconfirmed claims; null: none
	At             time.Time  `json:"at"`
}

var _ = event.Register[ClaimConfirmed](Desks, "claim-confirmed", 1)

// Decide refuses a claim that has expired even if nobody has noticed yet: its capacity
// may be somebody else's a moment later.
func (c Confirm) Decide(d Desk) ([]event.Payload, error) {
	taken, open := d.Claims[c.ClaimID]
	at := event.Stamp(c.At)
	switch {
	case !open && slices.Contains(d.Ended, c.ClaimID):
		return nil, refuse(fault.Gone, ReasonEnded, "the claim %s has ended", c.ClaimID)
	case !open:
		return nil, refuse(fault.NotFound, ReasonUnknown, "there is no claim %s", c.ClaimID)
	case taken.Confirmed:
		return nil, nil
	case !taken.ExpiresAt.After(at):
		return nil, refuse(fault.Gone, ReasonExpired, "the claim %s has expired", c.ClaimID)
	}
	e := ClaimConfirmed{TenantID: c.TenantID, HumanAgentID: c.HumanAgentID, ClaimID: c.ClaimID, ConversationID: taken.ConversationID,
		Kind: taken.Kind,
		At:   at}
	e.NextExpiry = d.after(e).nextExpiry()
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e ClaimConfirmed) Apply(d *Desk) {
	if taken, ok := d.Claims[e.ClaimID]; ok {
		taken.Confirmed = true
		d.Claims = maps.Clone(d.Claims)
		d.Claims[e.ClaimID] = taken
	}
}
