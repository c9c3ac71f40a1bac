package transfers

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/callerurl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
)

// Request asks for a transfer. What it names was found to exist by whoever sends it.
type Request struct {
	TransferID     string
	TenantID       string
	ProjectID      string
	OrgID          string
	SessionID      string
	ConversationID string // what agents know it by
	CustomerID     string // the person at the other end; empty: unknown
	Kind           humanagents.Kind
	CallbackURL    string // with nothing secret in it
	CallbackSealed string // the whole of it, if that holds a secret
	HumanAgentID   string // the target, or
	Queue          Queue  // the target
	Skills         []string
	Escalation     *Escalation // of an agent's own wish; nil: somebody else asks
	Turn           int         // above that of every transfer of the session that the caller could see
	At             time.Time
}

// Queue is a queue as it was when the transfer was asked for.
type Queue struct {
	ID        string
	Name      string
	Wait      time.Duration // how long its line may take; zero: nobody waits
	Voicemail bool          // what comes after it
}

// Requested says that a transfer was asked for. Either agentId or queueId is there.
// Of two transfers of a session the one with the greater turn is the later one, and of
// two with the same turn the one with the greater id.
type Requested struct {
	TransferID     string           `json:"transferId"`
	TenantID       string           `json:"tenantId"`
	ProjectID      string           `json:"projectId"`
	OrgID          string           `json:"orgId"`
	SessionID      string           `json:"sessionId"`
	ConversationID string           `json:"conversationId"`
	CustomerID     string           `json:"userId,omitempty" personal:"user"`
	Kind           humanagents.Kind `json:"kind"`                                        // what it takes up of an agent's capacity
	CallbackURL    string           `json:"callbackUrl"`                                 // scheme, host and path
	CallbackSealed string           `json:"callbackUrlSealed,omitempty" personal:"user"` // the whole of it, where a query holds more
	HumanAgentID   string           `json:"agentId,omitempty"`
	QueueID        string           `json:"queueId,omitempty"`
	QueueName      string           `json:"queueName,omitempty"`
	WaitMs         int64            `json:"waitMs,omitempty"`
	Voicemail      bool             `json:"voicemail,omitempty"` // what comes after the wait
	Skills         []string         `json:"skills,omitempty"`
	Escalation     *Escalation      `json:"escalation,omitempty"`
	Turn           int              `json:"turn"`
	At             time.Time        `json:"at"`
}

var _ = event.Register[Requested](Transfers, "requested", 1)

// Decide begins the transfer. One to an agent is offered to that agent at once.
func (c Request) Decide(s State) ([]event.Payload, error) {
	if s.Phase != "" {
		return nil, nil
	}
	if problem := callerurl.Unsealed(c.CallbackURL); problem != "" {
		return nil, fault.Field("callbackUrl", "%s", problem)
	}
	at := event.Stamp(c.At)
	e := Requested{TransferID: c.TransferID, TenantID: c.TenantID, ProjectID: c.ProjectID, OrgID: c.OrgID, SessionID: c.SessionID,
		ConversationID: c.ConversationID,
		CustomerID:     c.CustomerID, Kind: c.Kind, CallbackURL: c.CallbackURL, CallbackSealed: c.CallbackSealed,
		HumanAgentID: c.HumanAgentID, Skills: slices.Clone(c.Skills), Escalation: c.Escalation.clone(), Turn: c.Turn, At: at}
	if c.HumanAgentID != "" {
		return []event.Payload{e, Offered{HumanAgentID: c.HumanAgentID, Attempt: 1, At: at}}, nil
	}
	e.QueueID, e.QueueName, e.WaitMs, e.Voicemail = c.Queue.ID, c.Queue.Name, c.Queue.Wait.Milliseconds(), c.Queue.Voicemail
	return []event.Payload{e}, nil
}

// Apply begins the state.
func (e Requested) Apply(s *State) {
	e.Skills, e.Escalation = slices.Clone(e.Skills), e.Escalation.clone()
	*s = State{Request: e, Phase: PhaseRequested}
}

// Wait is how long the line may take.
func (e Requested) Wait() time.Duration { return time.Duration(e.WaitMs) * time.Millisecond }

// Later reports whether the transfer comes after another one of the same session.
func Later(turn int, id string, otherTurn int, otherID string) bool {
	return turn > otherTurn || turn == otherTurn && id > otherID
}

// KindOf is what a session of a channel takes up of an agent's capacity.
func KindOf(channel string) humanagents.Kind {
	switch channel {
	case "voice":
		return humanagents.Voice
	case "email":
		return humanagents.Email
	case "", "api", "web", "web_debug", "rtm", "mobile", "sdk":
		return humanagents.Chat
	}
	return humanagents.Messaging
}
