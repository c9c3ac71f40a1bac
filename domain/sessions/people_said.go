package sessions

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// PassedOn is what the user said while people have the conversation: it is for them, and no turn
// begins. What a guardrail of the agent took out of it is not in it.
type PassedOn struct {
	MessageID      string          `json:"messageId"`
	TransferID     string          `json:"transferId"`
	ConversationID string          `json:"conversationId"`
	Text           string          `json:"text" personal:"customer"`
	Action         *Chosen         `json:"action,omitempty"`
	Metadata       json.RawMessage `json:"metadata,omitempty" personal:"customer"` // of this message alone
	Attachments    []string        `json:"attachments,omitempty"`                  // files of the session that came with it
	Early          bool            `json:"early,omitempty"`                        // nobody has taken the conversation yet
	Figures        Figures         `json:"figures"`                                // of the session, this message included
	Test           bool            `json:"test,omitempty"`                         // of a test session: in no report
	At             time.Time       `json:"at"`
	Patience
}

var _ = event.Register[PassedOn](Sessions, "passed-on", 1)

// Apply folds the event.
func (e PassedOn) Apply(s *State) {
	s.Talk.Messages++
	s.Talk.Traces++
	s.SaidAt = e.At
	s.Talk.heard(MessageReceived{Text: e.Text, Action: e.Action, Attachments: e.Attachments})
}

// HearPerson is what a person says to the user, in the conversation that people have.
type HearPerson struct {
	ConversationID string
	Number         int // of the message in the conversation
	HumanAgentID   string
	Text           string
	At             time.Time
}

// PersonSaid is that, in the session.
type PersonSaid struct {
	MessageID      string    `json:"messageId"`
	ConversationID string    `json:"conversationId"`
	Number         int       `json:"number"`                                      // of the message in the conversation
	HumanAgentID   string    `json:"person,omitempty" personal:"agent" key:"own"` // as the conversation names the person
	Text           string    `json:"text" personal:"customer"`
	Late           bool      `json:"late,omitempty"`   // people did not have the session any more
	Figures        Figures   `json:"figures"`          // of the session, this message included
	Test           bool      `json:"test,omitempty"`   // of a test session: in no report
	Thread         string    `json:"thread,omitempty"` // where it goes out
	At             time.Time `json:"at"`
	Patience
}

var _ = event.Register[PersonSaid](Sessions, "person-said", 1)

// Decide takes it for as long as the session lives, each message once, in whatever order they
// come: it was said.
func (c HearPerson) Decide(s State) ([]event.Payload, error) {
	if s.Status != Active || s.Talk.Manifest == nil {
		return nil, nil
	}
	f := s.Talk.Figures
	f.Messages++
	f.Traces++
	return []event.Payload{PersonSaid{MessageID: MessageID(s.ID, s.Talk.Messages+1), ConversationID: c.ConversationID, Number: c.Number,
		HumanAgentID: c.HumanAgentID, Text: c.Text, Late: s.Talk.People == nil, Figures: f, Test: s.Talk.Test, Thread: s.Thread,
		At: event.Stamp(c.At), Patience: s.Talk.Patience}}, nil
}

// Apply folds the event.
func (e PersonSaid) Apply(s *State) {
	s.Talk.Messages++
	s.Talk.Traces++
	s.SaidAt, s.LastSaid = e.At, e.MessageID
	s.Talk.line(Line{Agent: e.HumanAgentID, Person: true, Text: e.Text})
}

// EscalationOver is the kind of what is noticed when the WHEN of an ESCALATE holds no longer: it
// may escalate again.
const EscalationOver = "escalation_over"

// EscalationInVain is the kind of what is noticed when an agent that assists people would give them
// the conversation.
const EscalationInVain = "escalation_in_vain"

// Raised names an ESCALATE of an agent, by its place from 1.
func Raised(agent string, index int) string { return agent + "/" + strconv.Itoa(index) }
