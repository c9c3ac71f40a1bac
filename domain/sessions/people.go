package sessions

import (
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// People says that people have the conversation in place of the agent, or are asked to.
type People struct {
	TransferID     string
	ConversationID string // in which they answer
	QueueID        string // in whose line it waits, or waited
	HumanAgentID   string // who has it; empty: nobody yet, or nobody of ours
	Elsewhere      bool   // somebody has it who is no agent of ours
	Turn           int    // of the transfer among those of the session; 0: nobody has taken it yet
	Since          time.Time
	Wish           *Escalated // of the agent; nil: somebody took the session over
}

// Taken is whether an agent or a queue has it.
func (p *People) Taken() bool { return p.Turn > 0 }

// Waits reports whether nobody talks with the other side yet: it waits in a queue's line, or is about to.
func (p *People) Waits() bool { return p.HumanAgentID == "" && !p.Elsewhere }

// before reports whether a transfer comes after the one that stands.
func (p *People) before(turn int, id string) bool {
	return turn > p.Turn || turn == p.Turn && id > p.TransferID
}

// GivesBack is whether the end of a transfer gives the conversation back to the agent: that of the
// one that stands does, and that of one which came after it and was taken.
func (s State) GivesBack(turn int, id string, taken bool) bool {
	p := s.Talk.People
	if s.Status != Active || p == nil {
		return false
	}
	return id == p.TransferID || taken && (turn > s.Talk.Transferred || p.Taken() && p.before(turn, id))
}

// EscalatedBy is what in an agent's source asks for people.
type EscalatedBy string

// The ways.
const (
	ByRule      EscalatedBy = "rule"      // an ESCALATE whose WHEN holds
	ByModel     EscalatedBy = "model"     // one without, which the model chose
	ByStep      EscalatedBy = "step"      // ESCALATE of a step
	ByThen      EscalatedBy = "then"      // ESCALATE of what follows something
	ByGuardrail EscalatedBy = "guardrail" // its ACTION
)

// Escalated says that the agent gives the conversation to people. The transfer has the id that is
// said here, whoever makes it; until it is over the agent is silent.
type Escalated struct {
	InTurn
	Number     int                        `json:"number"` // among those of the session, from 1, through resets
	TransferID string                     `json:"transferId"`
	Agent      string                     `json:"agent"`
	Step       string                     `json:"step,omitempty"`
	By         EscalatedBy                `json:"by"`
	Index      int                        `json:"index,omitempty"` // of the ESCALATE among those of the agent, from 1
	Queue      string                     `json:"queue"`           // its id or name
	Priority   string                     `json:"priority,omitempty"`
	Skills     []string                   `json:"skills,omitempty"`
	Why        string                     `json:"why,omitempty" personal:"customer"` // its REASON, filled in
	Context    map[string]json.RawMessage `json:"context,omitempty" personal:"customer"`
	Ends       bool                       `json:"ends,omitempty"` // END follows when people are done
}

var _ = event.Register[Escalated](Sessions, "escalated", 1)

// TransferID is the id of the transfer of the n-th escalation of a session, from 1: the same
// whoever computes it.
func TransferID(session string, n int) string { return nthID(session, 't', n) }

// peopleID is the conversation that a transfer opens unless it goes on with another.
func peopleID(transfer string) string { return "c-" + transfer }

// Apply folds the event.
func (e Escalated) Apply(s *State) {
	t := &s.Talk
	t.Traces++
	t.Escalations = e.Number
	t.People = &People{TransferID: e.TransferID, ConversationID: peopleID(e.TransferID), Since: e.At, Wish: &e}
	t.raise(e)
}

// Take says that an agent or a queue has the session, because of a transfer that the session's own
// agent wanted, or somebody else.
type Take struct {
	TransferID     string
	ConversationID string
	QueueID        string
	HumanAgentID   string
	Elsewhere      bool // somebody has it who is no agent of ours
	Turn           int
	At             time.Time
}

// TakenByPeople says so: until it is given back, the agent is silent. A turn that runs still ends.
type TakenByPeople struct {
	TransferID     string    `json:"transferId"`
	ConversationID string    `json:"conversationId"`
	QueueID        string    `json:"queueId,omitempty"`
	HumanAgentID   string    `json:"agentId,omitempty"`   // absent: it waits in the queue's line, unless it is elsewhere
	Elsewhere      bool      `json:"elsewhere,omitempty"` // somebody has it who is no agent of ours
	Turn           int       `json:"turn"`                // of the transfer among those of the session
	Test           bool      `json:"test,omitempty"`      // of a test session: in no report
	At             time.Time `json:"at"`
}

var _ = event.Register[TakenByPeople](Sessions, "taken-by-people", 1)

// Decide does nothing where the state says so already, and for a session that takes no messages.
func (c Take) Decide(s State) ([]event.Payload, error) {
	if s.Status != Active || s.Talk.Manifest == nil || c.Turn < s.Talk.Transferred {
		return nil, nil
	}
	if p := s.Talk.People; p != nil && p.Taken() {
		same := p.TransferID == c.TransferID && p.Turn == c.Turn
		if same && p.HumanAgentID == c.HumanAgentID && p.Elsewhere == c.Elsewhere || !same && !p.before(c.Turn, c.TransferID) {
			return nil, nil
		}
	}
	return []event.Payload{TakenByPeople{TransferID: c.TransferID, ConversationID: c.ConversationID, QueueID: c.QueueID,
		HumanAgentID: c.HumanAgentID, Elsewhere: c.Elsewhere, Turn: c.Turn, Test: s.Talk.Test, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e TakenByPeople) Apply(s *State) {
	s.Talk.Traces++
	p := People{Since: e.At}
	if s.Talk.People != nil {
		p = *s.Talk.People
	}
	p.TransferID, p.ConversationID, p.QueueID, p.HumanAgentID, p.Turn = e.TransferID, e.ConversationID, e.QueueID, e.HumanAgentID, e.Turn
	p.Elsewhere = e.Elsewhere
	s.Talk.People, s.Talk.Transferred = &p, max(s.Talk.Transferred, e.Turn)
}

// GivenBack says that people do not have the conversation any more. If its turn has a number, the
// agent goes on, in a turn that no message began.
type GivenBack struct {
	InTurn
	TransferID   string `json:"transferId"`
	TransferTurn int    `json:"transferTurn,omitempty"` // of the transfer among those of the session; absent: there was none
	Failed       bool   `json:"failed,omitempty"`       // nobody took it, or nobody could keep it
	Reason       string `json:"reason,omitempty"`       // of the transfer's end
	Patience
}

var _ = event.Register[GivenBack](Sessions, "given-back", 1)

// Apply folds the event.
func (e GivenBack) Apply(s *State) {
	t := &s.Talk
	t.Traces++
	if e.Turn > 0 {
		t.Turns, t.Running, t.Waits = e.Turn, &Running{Alone: e.Failed, At: e.At}, Waiting{}
		if t.People != nil {
			t.Running.Behind = t.People.Wish
		}
	}
	t.People, t.Transferred, s.SaidAt = nil, max(t.Transferred, e.TransferTurn), e.At
}

// Kept is what an agent came to while people had the session whom it had not asked: it gave the conversation to people,
// or it was done. Neither takes it from those who have it: it follows when they give it back.
type Kept struct {
	Agent string      `json:"agent"`
	Step  string      `json:"step,omitempty"`
	By    EscalatedBy `json:"by,omitempty"`    // absent: it was done
	Index int         `json:"index,omitempty"` // of the ESCALATE among those of the agent, from 1
	Ends  bool        `json:"ends,omitempty"`  // END follows when people are done
}

// Done is whether the agent had ended the conversation, and asked for nobody.
func (e Escalated) Done() bool { return e.By == "" }

// apply has those who have the session be whom the agent wanted.
func (k *Kept) apply(s *State, in InTurn) {
	if k == nil || s.Talk.People == nil {
		return
	}
	p := *s.Talk.People
	p.Wish = &Escalated{InTurn: in, TransferID: p.TransferID, Agent: k.Agent, Step: k.Step, By: k.By, Index: k.Index, Ends: k.Ends}
	s.Talk.People = &p
	s.Talk.raise(*p.Wish)
}

// raise remembers a rule that gave the conversation to people: it does so once for as long as it holds.
func (t *Talk) raise(e Escalated) {
	if e.By == ByRule {
		t.Raised = append(t.Raised[:len(t.Raised):len(t.Raised)], Raised(e.Agent, e.Index))
	}
}
