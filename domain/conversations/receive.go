package conversations

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Author is who wrote a message.
type Author string

// The authors, by the names of the API.
const (
	User       Author = "USER"
	HumanAgent Author = "AGENT"
)

// Receive takes a message of a user or an agent (conversation-hook). Pointers tell a
// member that is absent from one that is empty or false.
type Receive struct {
	About
	Query            string
	HumanAgentID     string
	Experience       string
	AuthorType       string
	Source           string
	SendUserMessage  *bool
	SendAgentMessage *bool
	Language         string
}

// MessageReceived is one message. A user's is part of the transcript, and with
// sendUserMessage asks the assisting agent. An agent's is part of the transcript with
// sendAgentMessage; without it its text is not kept.
type MessageReceived struct {
	Number           int        `json:"number"` // in the conversation, from 1
	Author           Author     `json:"author"` // USER or AGENT
	HumanAgentID     string     `json:"agentId" personal:"agent" key:"own"`
	Query            string     `json:"query,omitempty" personal:"participant"` // the text; absent when it is not kept
	Recorded         bool       `json:"recorded"`                               // part of the transcript
	Source           string     `json:"source"`
	Language         string     `json:"language"`
	Experience       Experience `json:"experience"`
	SendUserMessage  bool       `json:"sendUserMessage"`
	SendAgentMessage bool       `json:"sendAgentMessage"`
	At               time.Time  `json:"at"`
}

var _ = event.Register[MessageReceived](Conversations, "message-received", 1)

// AsksAssist reports whether the message is for the assisting agent.
func (e MessageReceived) AsksAssist() bool { return e.Author == User && e.SendUserMessage }

// Decide takes a message from the first entry of an agent to the end.
func (c Receive) Decide(s State) ([]event.Payload, error) {
	e, err := c.message(s)
	if err != nil {
		return nil, err
	}
	switch s.Phase {
	case Ended:
		return c.late(s, "message")
	case Unknown, Waiting:
		return nil, fault.Field("conversationId", "names a conversation that no agent has entered yet: messages come after the first entry")
	}
	if e.AsksAssist() && len(s.Asked) >= MostAsked {
		return []event.Payload{e, AssistFailed{Number: e.Number, Code: AssistTooMany, Waiting: len(s.Asked), At: e.At}}, nil
	}
	return []event.Payload{e}, nil
}

func (c Receive) message(s State) (MessageReceived, error) {
	var f fault.Fields
	c.validate(&f)
	m := members{faults: &f}
	if c.Query == "" {
		m.add("query", "is required")
	} else if len([]rune(c.Query)) > MaxQuery {
		m.add("query", "must have at most %d characters", MaxQuery)
	}
	m.text("agentId", c.HumanAgentID, MaxText)
	m.text("source", c.Source, MaxText)
	e := MessageReceived{Number: s.Messages + 1, HumanAgentID: c.HumanAgentID, Source: c.Source, Language: c.Language,
		Author:     oneOf(m.in("author"), "type", c.AuthorType, true, User, HumanAgent),
		Experience: oneOf(m, "experience", c.Experience, true, Chat, Voice), At: stamp(c.At)}
	e.SendUserMessage = m.flag("sendUserMessage", c.SendUserMessage)
	e.SendAgentMessage = m.flag("sendAgentMessage", c.SendAgentMessage)
	if e.Recorded = e.Author == User || e.SendAgentMessage; e.Recorded {
		e.Query = c.Query
	}
	m.form("language", c.Language, languageCode, "a language code such as en or de-AT")
	return e, f.Err()
}

// flag reads a required boolean.
func (m members) flag(name string, given *bool) bool {
	if given == nil {
		m.add(name, "is required")
		return false
	}
	return *given
}

// Apply counts, and has the assisting agent asked.
func (e MessageReceived) Apply(s *State) {
	s.Messages, s.LastAt = e.Number, e.At
	if e.AsksAssist() {
		s.Asked = append(s.Asked[:len(s.Asked):len(s.Asked)], Asked{Number: e.Number, At: e.At})
	}
}
