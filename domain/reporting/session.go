package reporting

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/transfers"
)

// Session is what is known of one that has ended.
type Session struct {
	SessionID, ConversationID, Channel, Direction string // the channel by its slug
	CustomerID, CustomerPhone, CenterID           string // CustomerPhone is empty where the id is no number
	StartedAt, EndedAt                            time.Time
	DisconnectingEvent                            string
	FinalStatus                                   FinalStatus
	Customer                                      calls.Customer // as the dial-out gave it, or the contact of a chat has it

	Transfers    []Transfer             // in their order
	Conversation *Conversation          // what hooks and notes tell; nil: nothing
	Said         map[string][]time.Time // when each agent said something, by who is named in it, in order
}

// Transfer is one to a human agent or a queue.
type Transfer struct {
	TransferID        string
	ConversationID    string // that it is about, or would have been
	Opened            bool   // there is such a conversation
	Status            transfers.Phase
	AskedHumanAgentID string // the target, or
	QueueID           string // the target,
	QueueName         string // as it was called then
	Skills            []string
	RequestedAt       time.Time
	HumanAgentID      string // who had the conversation
	AssignedAt        *time.Time
	EndedAt           *time.Time
	Reason            transfers.Reason
}

// Conversation is what hooks and notes tell.
type Conversation struct {
	ConversationID, SessionID string // SessionID is empty where none is known
	EndedAt                   *time.Time
	EndReason                 string
	Dispositions              []string
	DispositionRemarks        []string
	AgentNotes                []string
	UserLevelTags             []string
	SessionLevelTags          []conversations.Tag
	MetaInfo                  json.RawMessage // an object, or nil
	Participants              []Stay          // in order of their entries
	AfterCallWork             []conversations.AfterCallWork
}

// Stay is an agent's presence from an entry to its exit, as hooks told of it.
type Stay struct {
	Identity, Name, Email string
	QueueID, QueueName    string
	EnteredAt             time.Time
	LeftAt                *time.Time
}

// Of picks the conversations of the session. Hooks may have told of one before its
// session was known: then a transfer knows it. They may have named it by its session.
func (s Session) Of(all []Conversation) (own []Conversation) {
	for _, c := range all {
		transferred := func(t Transfer) bool { return t.ConversationID == c.ConversationID }
		if c.ConversationID == s.ConversationID || c.ConversationID == s.SessionID || c.SessionID != "" && c.SessionID == s.SessionID ||
			slices.ContainsFunc(s.Transfers, transferred) {
			own = append(own, c)
		}
	}
	return own
}

// AsOne tells the conversations of one session, in order of their opening, as one: that of
// a transfer, say, and the call's own, in which something was noted. Of several the one
// with agents tells who was there, the newest of those; what was noted in the others fills
// what was not noted in it.
func AsOne(all []Conversation) *Conversation {
	if len(all) == 0 {
		return nil
	}
	main := len(all) - 1
	for i, c := range all {
		if len(c.Participants) > 0 {
			main = i
		}
	}
	out := all[main]
	for _, c := range slices.Backward(all) {
		ifNone(&out.Dispositions, c.Dispositions)
		ifNone(&out.DispositionRemarks, c.DispositionRemarks)
		ifNone(&out.AgentNotes, c.AgentNotes)
		ifNone(&out.UserLevelTags, c.UserLevelTags)
		ifNone(&out.SessionLevelTags, c.SessionLevelTags)
		ifNone((*[]byte)(&out.MetaInfo), c.MetaInfo)
		ifNone(&out.AfterCallWork, c.AfterCallWork)
	}
	return &out
}

func ifNone[T any](have *[]T, other []T) {
	if len(*have) == 0 {
		*have = other
	}
}

// AgentsOf lists whoever is named as an agent in the sessions, each name once.
func AgentsOf(all []Session) (names []string) {
	for _, s := range all {
		for _, t := range s.Transfers {
			names = append(names, t.HumanAgentID)
		}
		if c := s.Conversation; c != nil {
			for _, p := range c.Participants {
				names = append(names, p.Identity, p.Email)
			}
			for _, work := range c.AfterCallWork {
				names = append(names, work.HumanAgentID)
			}
		}
		names = slices.AppendSeq(names, maps.Keys(s.Said))
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
}
