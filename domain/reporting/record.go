package reporting

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/transfers"
)

// Record is a session as call details tell it.
type Record struct {
	SessionID, ConversationID string
	Channel                   string // as records show it
	StartedAt, EndedAt        time.Time
	CustomerID                string
	ChannelCustomerID         string // as the channel calls them: without its name before it
	DisconnectingEvent        string
	FinalStatus               FinalStatus

	Customer         Customer
	Skills           []string // asked for in transfers, each once
	UserLevelTags    []string
	SessionLevelTags []conversations.Tag

	People *People // nil: no person was asked for, told of, or has noted anything
}

// Customer is who was at the other end.
type Customer struct {
	Phone, CenterPhone, Direction string
	FirstName, LastName, Email    string
}

// People is what records of conversations with agents have more.
type People struct {
	Dispositions, DispositionRemarks []string
	MetaInfo                         map[string]json.RawMessage // caller, transfers, and what was noted
	Destinations                     []Destination              // in their order
}

// HumanAgent is one of the organisation, as we know him.
type HumanAgent struct{ ID, Name, Email string }

// HumanAgents are those of the organisation, by each name that others call them.
type HumanAgents map[string]HumanAgent

// Record tells the session.
func (a HumanAgents) Record(s Session) Record {
	c := cmp.Or(s.Conversation, &Conversation{})
	r := Record{SessionID: s.SessionID, ConversationID: s.ConversationID, Channel: channels.Name(s.Channel), StartedAt: s.StartedAt,
		EndedAt: s.EndedAt, CustomerID: s.CustomerID, ChannelCustomerID: strings.TrimPrefix(s.CustomerID, s.Channel+":"),
		DisconnectingEvent: s.DisconnectingEvent, FinalStatus: s.FinalStatus,
		Customer: customerOf(s, c), Skills: skillsOf(s.Transfers), UserLevelTags: c.UserLevelTags, SessionLevelTags: c.SessionLevelTags}
	if len(s.Transfers) == 0 && s.Conversation == nil {
		return r
	}
	r.ConversationID = cmp.Or(c.ConversationID, firstConversation(s.Transfers), s.ConversationID)
	r.People = &People{Dispositions: c.Dispositions, DispositionRemarks: c.DispositionRemarks, MetaInfo: metaInfo(s, c),
		Destinations: a.met(c).destinations(s, c)}
	if slices.ContainsFunc(r.People.Destinations, func(d Destination) bool { return d.Agent != nil }) && closedByAgent(s, c) {
		r.DisconnectingEvent = AgentClosed
	}
	return r
}

// closedByAgent: the conversation was over before the session, or with it but not because
// of it, and the session was not the bot's again behind it.
func closedByAgent(s Session, c *Conversation) bool {
	switch transfers.Reason(c.EndReason) {
	case transfers.SessionEnded, transfers.HandedBack, transfers.AgentRemoved, transfers.NoAnswer, transfers.TurnedDown,
		transfers.Unreachable, transfers.ClaimLost, transfers.QueueTimeout, transfers.QueueVoicemail, transfers.QueueRemoved:
		return false
	}
	return s.FinalStatus == Closed && c.EndedAt != nil && !c.EndedAt.After(s.EndedAt)
}

// firstConversation is that of the first transfer that opened one.
func firstConversation(all []Transfer) string {
	for _, t := range all {
		if t.Opened && t.ConversationID != "" {
			return t.ConversationID
		}
	}
	return ""
}

// customerOf takes names that were noted before those that the dial-out or the contact gave.
func customerOf(s Session, c *Conversation) Customer {
	noted := calls.CustomerOf(c.MetaInfo)
	return Customer{Phone: s.CustomerPhone, CenterPhone: s.CenterID, Direction: s.Direction,
		FirstName: cmp.Or(noted.FirstName, s.Customer.FirstName), LastName: cmp.Or(noted.LastName, s.Customer.LastName),
		Email: cmp.Or(noted.Email, s.Customer.Email)}
}

func skillsOf(all []Transfer) []string {
	skills := []string{}
	for _, t := range all {
		skills = append(skills, t.Skills...)
	}
	slices.Sort(skills)
	return slices.Compact(skills)
}

// metaInfo: who called, how it was transferred, and what was noted, whose members win.
func metaInfo(s Session, c *Conversation) map[string]json.RawMessage {
	type move struct {
		TransferID   string   `json:"transferId"`
		QueueID      string   `json:"queueId,omitempty"`
		HumanAgentID string   `json:"agentId,omitempty"`
		Skills       []string `json:"skills"`
		Status       string   `json:"status"`
		Reason       string   `json:"reason,omitempty"`
	}
	moves := []move{}
	for _, t := range s.Transfers {
		moves = append(moves, move{TransferID: t.TransferID, QueueID: t.QueueID, HumanAgentID: cmp.Or(t.HumanAgentID, t.AskedHumanAgentID),
			Skills: append([]string{}, t.Skills...), Status: string(t.Status), Reason: string(t.Reason)})
	}
	info := map[string]json.RawMessage{}
	for name, value := range map[string]any{"caller": map[string]string{"userId": s.CustomerID, "channel": s.Channel}, "transfers": moves,
		"sessionId": s.SessionID} {
		info[name], _ = json.Marshal(value) // of such values there always is one
	}
	var noted map[string]json.RawMessage
	if json.Unmarshal(c.MetaInfo, &noted) == nil {
		for name, value := range noted {
			info[name] = value
		}
	}
	return info
}
