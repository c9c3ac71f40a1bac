package conversations

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Transfer is the kind of an agent's entry or exit
// (docs/decisions/2026-11-22-hooks.md).
type Transfer string

// The kinds, as they are kept; callers write them in either case.
const (
	NA     Transfer = "na"     // the first agent's entry, the last agent's exit
	Cold   Transfer = "cold"   // one agent replaces another
	Warm   Transfer = "warm"   // a consultant beside the main agent
	Redial Transfer = "redial" // after an abrupt end, or for a callback; an entry only
)

const (
	entry = "entry"
	exit  = "exit"
)

// transfer reads an INTERNAL_TRANSFER_EVENT.
func (t Told) transfer(m members) step {
	kind := oneOf(m, "transfertype", t.TransferType, true, NA, Cold, Warm, Redial)
	transition := oneOf(m, "transition", t.Transition, true, entry, exit)
	if kind == Redial && transition == exit {
		m.add("transition", "must be entry with redial: the reconnected conversation ends with an NA exit")
	}
	if t.IsExtAD == nil {
		m.add("isExtAD", "is required")
	}
	detail := detail{Agent: m.participant(t.Participant), Kind: kind, Reason: t.Reason, Language: t.Language,
		Experience: oneOf(m, "experience", t.Experience, true, Chat, Voice)}
	if t.IsExtAD != nil {
		detail.IsExtAD = *t.IsExtAD
	}
	m.optional("reason", t.Reason, MaxText)
	m.optional("language", t.Language, MaxLanguage)
	if transition == exit {
		return leave{detail}
	}
	return enter{detail}
}

// detail is what entries and exits say.
type detail struct {
	Agent      Participant
	Kind       Transfer
	IsExtAD    bool
	Experience Experience
	Reason     string
	Language   string
}

// enter is an agent's coming.
type enter struct{ detail }

// AgentEntered says that an agent takes part from now on.
type AgentEntered struct {
	ConversationID string       `json:"conversationId"`
	TenantID       string       `json:"tenantId"`
	ProjectID      string       `json:"projectId"`
	Identity       string       `json:"identity" personal:"agent" key:"own"` // as the caller names the agent
	Name           string       `json:"name" personal:"agent" key:"own"`
	TransferType   Transfer     `json:"transferType"`        // na, cold, warm, redial
	Stay           int          `json:"stay"`                // number of the agent's stay; a redial of who left last continues it
	Segment        int          `json:"segment"`             // of the conversation, from 1; a redial begins none
	Continues      bool         `json:"continues,omitempty"` // a redial that continues its stay
	Experience     Experience   `json:"experience"`
	IsExtAD        bool         `json:"isExtAD"`
	Reason         string       `json:"reason,omitempty" personal:"participant"`
	Language       string       `json:"language,omitempty"`
	CustomFields   CustomFields `json:"customFields,omitzero"`
	At             time.Time    `json:"at"`
}

var _ = event.Register[AgentEntered](Conversations, "agent-entered", 1)

func (c enter) decide(s State, about About) ([]event.Payload, string, error) {
	who := s.Agents[c.Agent.Identity]
	if who.Present && who.Came == c.Kind {
		return nil, "", nil
	}
	if problem := c.problem(s, who); problem != "" {
		return nil, problem, nil
	}
	var out []event.Payload
	if s.Phase == Unknown {
		out = append(out, Opened{ConversationID: about.ConversationID, TenantID: about.TenantID, ProjectID: about.ProjectID, Origin: ByHook,
			Experience: c.Experience, At: stamp(about.At)})
	}
	e := AgentEntered{ConversationID: about.ConversationID, TenantID: about.TenantID, ProjectID: about.ProjectID, Identity: c.Agent.Identity,
		Name:         c.Agent.Name,
		TransferType: c.Kind, Stay: s.Stays + 1, Segment: s.Segment, Experience: c.Experience, IsExtAD: c.IsExtAD, Reason: c.Reason,
		Language:     c.Language,
		CustomFields: c.Agent.CustomFields, At: stamp(about.At)}
	switch {
	case c.Kind == Cold || s.Segment == 0:
		e.Segment++
	case c.Kind == Redial && who.Left == NA && who.Segment == s.Segment:
		e.Stay, e.Continues = who.Stay, true
	}
	if e.Stay > MaxStays {
		return nil, "", fault.New(fault.LimitReached, "a conversation can have at most %d entries of agents", MaxStays)
	}
	return append(out, e), "", nil
}

// problem says why the agent cannot have come; empty if nothing speaks against it.
func (c enter) problem(s State, who Part) string {
	begun := s.Phase != Unknown && s.Phase != Waiting
	switch {
	case who.Present:
		return fmt.Sprintf("this agent is there already, by a %s entry", who.Came)
	case !begun && c.Kind != NA && c.Kind != Redial:
		return "the first event is the NA entry of an agent, or a redial entry"
	case begun && c.Kind == NA:
		return "the conversation has had its NA entry; after an NA exit agents come back by a redial entry"
	case c.Kind == Cold && s.Phase != Transferring:
		return "a cold entry follows the cold exit of the agent before"
	case c.Kind == Warm && s.Phase != Active:
		return "a warm entry needs the main agent to be there"
	case c.Kind == Redial && begun && s.Phase != Closing:
		return "a redial entry follows the NA exit of the dropped session"
	}
	return ""
}

// Apply folds the event.
func (e AgentEntered) Apply(s *State) {
	if s.Agents == nil {
		s.Agents = map[string]Part{}
	}
	who := s.Agents[e.Identity]
	who.Present, who.Came, who.Stay, who.Segment = true, e.TransferType, e.Stay, e.Segment
	who.Email = cmp.Or(e.CustomFields.HumanAgentEmail, who.Email)
	s.Agents[e.Identity] = who
	s.Stays, s.Segment = max(s.Stays, e.Stay), e.Segment
	if e.TransferType != Warm {
		s.Phase, s.Main = Active, e.Identity
	}
	s.LastAt = e.At
}

// leave is an agent's going.
type leave struct{ detail }

// AgentLeft says that an agent takes part no longer.
type AgentLeft struct {
	ConversationID string       `json:"conversationId"`
	TenantID       string       `json:"tenantId"`
	ProjectID      string       `json:"projectId"`
	Identity       string       `json:"identity" personal:"agent" key:"own"`
	Name           string       `json:"name" personal:"agent" key:"own"`
	TransferType   Transfer     `json:"transferType"` // na, cold, warm
	Stay           int          `json:"stay"`
	Segment        int          `json:"segment"`
	Experience     Experience   `json:"experience"`
	IsExtAD        bool         `json:"isExtAD"`
	Reason         string       `json:"reason,omitempty" personal:"participant"`
	Language       string       `json:"language,omitempty"`
	CustomFields   CustomFields `json:"customFields,omitzero"`
	At             time.Time    `json:"at"`
}

var _ = event.Register[AgentLeft](Conversations, "agent-left", 1)

// TransferAbandoned says that nobody came after a cold exit: the agent who left
// was the last one.
type TransferAbandoned struct {
	Identity string    `json:"identity" personal:"agent" key:"own"`
	Reason   string    `json:"reason,omitempty" personal:"participant"`
	At       time.Time `json:"at"`
}

var _ = event.Register[TransferAbandoned](Conversations, "transfer-abandoned", 1)

func (c leave) decide(s State, about About) ([]event.Payload, string, error) {
	who, known := s.Agents[c.Agent.Identity]
	if known && !who.Present && who.Left == c.Kind {
		return nil, "", nil
	}
	if s.Phase == Transferring && c.Kind == NA && c.Agent.Identity == s.Main {
		return []event.Payload{TransferAbandoned{Identity: s.Main, Reason: c.Reason, At: stamp(about.At)}}, "", nil
	}
	if problem := c.problem(s, who); problem != "" {
		return nil, problem, nil
	}
	return []event.Payload{AgentLeft{ConversationID: about.ConversationID, TenantID: about.TenantID, ProjectID: about.ProjectID,
		Identity: c.Agent.Identity, Name: c.Agent.Name,
		TransferType: c.Kind, Stay: who.Stay, Segment: who.Segment, Experience: c.Experience, IsExtAD: c.IsExtAD, Reason: c.Reason,
		Language:     c.Language,
		CustomFields: c.Agent.CustomFields, At: stamp(about.At)}}, "", nil
}

// problem says why the agent cannot have gone; empty if nothing speaks against it.
func (c leave) problem(s State, who Part) string {
	isMain := c.Agent.Identity == s.Main
	switch {
	case s.Phase == Unknown || s.Phase == Waiting:
		return "the first event is the NA entry of an agent, or a redial entry"
	case !who.Present:
		return "this agent is not there"
	case isMain && c.Kind == Warm:
		return "the main agent leaves by a cold or an NA exit"
	case !isMain && c.Kind != Warm:
		return "a consultant leaves by a warm exit"
	case isMain && len(s.consultants()) > 0:
		return "the main agent leaves last, and there still is " + strings.Join(s.consultants(), ", ")
	}
	return ""
}

// Apply folds the event.
func (e AgentLeft) Apply(s *State) {
	s.gone(e.Identity, e.TransferType)
	switch e.TransferType {
	case Cold:
		s.Phase = Transferring
	case NA:
		s.close()
	}
	s.LastAt = e.At
}

// Apply folds the event.
func (e TransferAbandoned) Apply(s *State) {
	s.gone(e.Identity, NA)
	s.close()
}

func (s *State) gone(identity string, how Transfer) {
	who := s.Agents[identity]
	who.Present, who.Left = false, how
	if s.Agents == nil { // an exit in the first place: no decision gives it, and no fold fails of it
		s.Agents = map[string]Part{}
	}
	s.Agents[identity] = who
}

func (s *State) close() {
	s.Phase, s.Main = Closing, ""
	s.Exits++
}
