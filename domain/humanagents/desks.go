package humanagents

import (
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Desks holds one stream per agent (see DeskStream): presence and capacity. Its rules:
//
//   - a claim is taken only while the agent is AVAILABLE and has fewer conversations of
//     that kind than the claim's limit, or has this one already
//   - a claim that is not confirmed before it expires lapses
//   - a claim id is one claim, and an ended one never comes back
//   - a conversation that an agent is in already is counted, whatever the agent can have
var Desks = event.NewAggregate[Desk]("humanagents", "humanagent", event.Busy)

// DeskStream names the stream of an agent's presence and capacity.
func DeskStream(tenantID, agentID string) string { return Desks.Stream(tenantID + "." + agentID) }

// AgentOfDesk is the inverse of DeskStream: the id of the agent whose stream it is.
func AgentOfDesk(tenantID, stream string) string {
	return strings.TrimPrefix(Desks.StreamID(stream), tenantID+".")
}

// Kind is a kind of conversation that takes up capacity of its own.
type Kind string

// The kinds of conversations. Chat is web and mobile chat, Messaging the messaging
// channels such as WhatsApp or SMS.
const (
	Chat      Kind = "chat"
	Email     Kind = "email"
	Messaging Kind = "messaging"
	Voice     Kind = "voice"
)

// Kinds lists them.
func Kinds() []Kind { return []Kind{Chat, Email, Messaging, Voice} }

// PresenceType is what an agent's presence means to routing; people may give it another
// name ("Lunch" is AWAY).
type PresenceType string

// The presence types. Only an AVAILABLE agent gets conversations.
const (
	Available PresenceType = "AVAILABLE"
	Busy      PresenceType = "BUSY"
	Away      PresenceType = "AWAY"
	Offline   PresenceType = "OFFLINE"
)

// Name is what the type is called when nobody says otherwise.
func (t PresenceType) Name() string {
	return map[PresenceType]string{Available: "Available", Busy: "Busy", Away: "Away", Offline: "Offline"}[t]
}

// PresenceTypes lists them.
func PresenceTypes() []PresenceType { return []PresenceType{Available, Busy, Away, Offline} }

// Desk is the state of one agent's stream. The zero value is an agent who was never there.
type Desk struct {
	Type           PresenceType // empty: never there, the same as OFFLINE
	Name           string
	AvailableSince time.Time        // when AVAILABLE
	LastOnlineAt   time.Time        // zero: never
	LastReleaseAt  time.Time        // when a conversation last ended
	Claims         map[string]Taken // open, by claim id
	Ended          []string         // ids of the last ended claims, oldest first
}

// Taken is an open claim.
type Taken struct {
	ConversationID string
	Kind           Kind
	ExpiresAt      time.Time // when it lapses, unless confirmed
	Confirmed      bool
	Since          time.Time // when it was made
}

// remembered is how many ended claims a desk knows, so that a claim which is sent again
// late is not taken a second time. Nobody sends one again after so many others.
const remembered = 200

// Presence is the type, OFFLINE for an agent who was never there.
func (d Desk) Presence() PresenceType {
	if d.Type == "" {
		return Offline
	}
	return d.Type
}

// Load is how many conversations of a kind the agent has. One that is transferred anew to who has it is
// claimed twice until the first transfer is replaced, and is one.
func (d Desk) Load(k Kind) int { return len(d.having(k)) }

// having are the conversations of a kind that the agent has.
func (d Desk) having(k Kind) map[string]bool {
	out := map[string]bool{}
	for _, c := range d.Claims {
		if c.Kind == k {
			out[c.ConversationID] = true
		}
	}
	return out
}

// IdleSince is the later of when the agent became available and when its last
// conversation ended: the longest idle gets the next one.
func (d Desk) IdleSince() time.Time {
	if d.LastReleaseAt.After(d.AvailableSince) {
		return d.LastReleaseAt
	}
	return d.AvailableSince
}

// nextExpiry is when the first of the unconfirmed claims lapses; nil: none can.
func (d Desk) nextExpiry() *time.Time {
	var next *time.Time
	for _, c := range d.Claims {
		if !c.Confirmed && (next == nil || c.ExpiresAt.Before(*next)) {
			next = &c.ExpiresAt
		}
	}
	return next
}

// after is the state once the events have happened; it leaves d alone.
func (d Desk) after(events ...event.Payload) Desk {
	claims := make(map[string]Taken, len(d.Claims)+1)
	for id, c := range d.Claims {
		claims[id] = c
	}
	d.Claims, d.Ended = claims, slices.Clone(d.Ended)
	for _, e := range events {
		Desks.Fold(&d, e)
	}
	return d
}

// Reason says why an agent did not take a conversation.
type Reason string

// The reasons. They are codes; the message of the refusal is for people.
const (
	ReasonOffline      Reason = "AGENT_OFFLINE"
	ReasonNotAvailable Reason = "AGENT_NOT_AVAILABLE" // BUSY or AWAY, or not active
	ReasonFull         Reason = "AGENT_FULL"
	ReasonUnsupported  Reason = "AGENT_DOES_NOT_SUPPORT" // limit 0: not this kind of conversation
	ReasonExpired      Reason = "CLAIM_EXPIRED"
	ReasonEnded        Reason = "CLAIM_ENDED"
	ReasonUnknown      Reason = "CLAIM_UNKNOWN"
)

// Refusal is the cause of every refusal of a claim; errors.As finds it.
type Refusal struct{ Reason Reason }

// Error implements error.
func (r *Refusal) Error() string { return string(r.Reason) }

func refuse(code fault.Code, reason Reason, format string, args ...any) error {
	return fault.New(code, format, args...).Because(&Refusal{reason})
}
