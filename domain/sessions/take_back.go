package sessions

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

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
