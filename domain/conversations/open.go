package conversations

import (
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Open begins a conversation for agents before any of them is there: a transfer
// does so. A conversation that hooks tell of needs none, its first entry opens it.
type Open struct {
	TenantID       string
	ProjectID      string
	ConversationID string // c-...
	SessionID      string // the session that is transferred
	Experience     Experience
	Holder         *HandOver // who has it from the beginning, by that transfer; nil: nobody is said to
	At             time.Time
}

// Opened is the beginning of a conversation.
type Opened struct {
	ConversationID string     `json:"conversationId"`
	TenantID       string     `json:"tenantId"`
	ProjectID      string     `json:"projectId"`
	SessionID      string     `json:"sessionId,omitempty"`
	Origin         Origin     `json:"origin"` // hook, transfer or call
	Experience     Experience `json:"experience,omitempty"`
	At             time.Time  `json:"at"`
}

var _ = event.Register[Opened](Conversations, "opened", 1)

// Decide does nothing for a conversation that is known already, but for the session
// that hooks do not know: they may have been faster.
func (c Open) Decide(s State) ([]event.Payload, error) {
	var f fault.Fields
	access.CheckPrefixedID(&f, "conversationId", c.ConversationID, IDPrefix)
	if c.SessionID != "" {
		access.CheckID(&f, "sessionId", c.SessionID)
	}
	if c.Experience != "" && c.Experience != Chat && c.Experience != Voice {
		f.Add("experience", "must be chat or voice")
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if s.Phase != Unknown {
		if s.SessionID != "" || c.SessionID == "" {
			return nil, nil
		}
		return []event.Payload{Noted{SessionID: c.SessionID, At: stamp(c.At)}}, nil
	}
	opened := Opened{ConversationID: c.ConversationID, TenantID: c.TenantID, ProjectID: c.ProjectID, SessionID: c.SessionID,
		Origin: ByTransfer, Experience: c.Experience, At: stamp(c.At)}
	if c.Holder == nil {
		return []event.Payload{opened}, nil
	}
	handed, err := c.Holder.Decide(Conversations.State(opened))
	return append([]event.Payload{opened}, handed...), err
}

// Apply folds the event.
func (e Opened) Apply(s *State) {
	s.ID, s.TenantID, s.ProjectID, s.SessionID, s.Origin, s.Phase = e.ConversationID, e.TenantID, e.ProjectID, e.SessionID, e.Origin, Waiting
	s.LastAt = e.At
}
