package sessions

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/event"
)

// MessageID is the id of the n-th message of a session, from 1: the same whoever computes it.
func MessageID(session string, n int) string { return nthID(session, 'm', n) }

// nthID is the id of the n-th thing of its kind in a session.
func nthID(session string, kind byte, n int) string {
	of, err := uuid.Parse(session)
	if err != nil {
		of = uuid.NewSHA1(uuid.Nil, []byte(session))
	}
	return uuid.NewSHA1(of, []byte{kind, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
}

// Chosen is a button that was pressed, an option that was chosen, or an input that was filled in.
type Chosen struct {
	ID    string          `json:"id" personal:"customer"` // as the user's client names it, which need not be one that was shown
	Value json.RawMessage `json:"value,omitempty" personal:"customer"`
}

// Words are what was chosen as people and models read it, where nothing was said with it.
func (c *Chosen) Words(said string) string {
	if c == nil || said != "" {
		return said
	}
	return strings.TrimSpace(c.ID + " " + string(c.Value))
}

// Blank is whether a text says nothing: spaces and line breaks alone are no words.
func Blank(text string) bool { return strings.TrimSpace(text) == "" }

// MessageReceived is what the user said, and begins a turn. What a guardrail took out of it
// is not in it.
type MessageReceived struct {
	InTurn
	MessageID string          `json:"messageId"`
	Text      string          `json:"text" personal:"customer"`
	Action    *Chosen         `json:"action,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty" personal:"customer"` // of this turn alone
	Brought   *Brought        `json:"brought,omitempty"`                      // of a test
	Blocked   string          `json:"blocked,omitempty"`                      // the guardrail that blocks it

	Attachments []string `json:"attachments,omitempty"` // files of the session that came with it
	Patience
}

var _ = event.Register[MessageReceived](Sessions, "message-received", 1)

// Apply folds the event.
func (e MessageReceived) Apply(s *State) {
	s.Talk.Turns = e.Turn
	s.Talk.Messages++
	s.Talk.Traces++
	s.Talk.Running = &Running{Brought: e.Brought, Heard: e.Text, Action: e.Action, Metadata: e.Metadata, Blocked: e.Blocked, At: e.At,
		Old: e.Action != nil && !slices.Contains(s.Talk.Shown.IDs, e.Action.ID)}
	if e.Brought != nil {
		s.Talk.Running.Mocks = make([]int, len(e.Brought.Mocks))
		if e.Brought.Begins != nil {
			s.Talk.Tests(*e.Brought.Begins)
		}
	}
	s.SaidAt = e.At
	s.Talk.Led++
	s.Talk.heard(e)
}

// Said is one text that the agent says, with what can be chosen beside it.
type Said struct {
	InTurn
	MessageID string    `json:"messageId"`
	Agent     string    `json:"agent"`
	Step      string    `json:"step,omitempty"`
	Text      string    `json:"text" personal:"customer"`
	Rich      []Element `json:"rich,omitempty"`
	Thread    string    `json:"thread,omitempty"` // where it goes out
	Patience
}

// Element is a button, a select or an input that goes with a text.
type Element struct {
	Kind      string          `json:"kind"`
	ID        string          `json:"id"`
	Label     string          `json:"label,omitempty" personal:"customer"`
	Value     json.RawMessage `json:"value,omitempty" personal:"customer"`
	Options   []Choice        `json:"options,omitempty"`
	InputType string          `json:"inputType,omitempty"`
	Required  bool            `json:"required,omitempty"`
}

// Choice is one option of a select.
type Choice struct {
	ID    string `json:"id"`
	Label string `json:"label" personal:"customer"`
}

var _ = event.Register[Said](Sessions, "said", 1)

// Apply folds the event.
func (e Said) Apply(s *State) {
	s.Talk.Messages++
	s.SaidAt, s.LastSaid = e.At, e.MessageID
	if s.Talk.Running != nil {
		s.Talk.Running.Unsaid = false
	}
	s.Talk.shows(e)
	s.Talk.said(e)
	s.Talk.taken()
}

// PickedUp says that the callee of the session's call has picked up, and begins a turn: the agent
// says what it begins with, to somebody who has said nothing yet.
type PickedUp struct{ InTurn }

var _ = event.Register[PickedUp](Sessions, "picked-up", 1)

// PickedUpLine is what a model sees in place of what somebody says first.
const PickedUpLine = "(picks up the phone)"

// Apply folds the event.
func (e PickedUp) Apply(s *State) {
	t := &s.Talk
	t.Turns, t.Greeted = e.Turn, true
	t.Traces++
	t.Running = &Running{Greets: true, At: e.At}
	t.line(Line{Text: PickedUpLine})
}

// Begins is the turn that an event begins; 0: it begins none.
func Begins(p event.Payload) (turn int) {
	switch e := p.(type) {
	case MessageReceived:
		turn = e.Turn
	case PickedUp:
		turn = e.Turn
	case GivenBack:
		turn = e.Turn
	}
	return turn
}

// TakeBack has a session show no more what its user said, who has taken it back.
type TakeBack struct {
	Message MessageReceived // as the session has it
	At      time.Time
}

// MessageTakenBack says that a message is shown no more, to people and to models, and that its files are gone. What it
// said stays on the log, sealed, until the person is erased; what was learned of it stays learned.
type MessageTakenBack struct {
	MessageID   string    `json:"messageId"`
	Line        int       `json:"line,omitempty"` // of the session's texts; 0: models see it no more anyway
	Attachments []string  `json:"attachments,omitempty"`
	Test        bool      `json:"test,omitempty"` // of a test session: in no report
	At          time.Time `json:"at"`
}

var _ = event.Register[MessageTakenBack](Sessions, "message-taken-back", 1)

// TakenBackLine is what a model sees in its place.
const TakenBackLine = "(taken back by its sender)"

// HeardAs is what a user said, whoever it was for; false: an event says nothing of that.
func HeardAs(p event.Payload) (m MessageReceived, is bool) {
	switch e := p.(type) {
	case MessageReceived:
		return e, true
	case PassedOn:
		return MessageReceived{MessageID: e.MessageID, Text: e.Text, Action: e.Action, Attachments: e.Attachments}, true
	}
	return m, false
}

// Decide takes it of an ended session too. That the message is one of the session is for the caller to know.
func (c TakeBack) Decide(s State) ([]event.Payload, error) {
	if s.Status == "" {
		return nil, nil
	}
	out := MessageTakenBack{MessageID: c.Message.MessageID, Attachments: c.Message.Attachments, Test: s.Talk.Test, At: event.Stamp(c.At)}
	said := c.Message.line()
	for _, l := range slices.Backward(s.Talk.History) {
		if l.Agent == "" && !l.Person && l.Text == said.Text && slices.Equal(l.Files, said.Files) {
			out.Line = l.N
			break
		}
	}
	return []event.Payload{out}, nil
}

// Apply forgets it.
func (e MessageTakenBack) Apply(s *State) {
	s.Attachments = slices.DeleteFunc(slices.Clone(s.Attachments), func(a Attachment) bool { return slices.Contains(e.Attachments, a.ID) })
	s.Talk.History = slices.Clone(s.Talk.History)
	for i := range s.Talk.History {
		if l := &s.Talk.History[i]; e.Line > 0 && l.N == e.Line {
			l.Text, l.Files = TakenBackLine, nil
		}
	}
}
