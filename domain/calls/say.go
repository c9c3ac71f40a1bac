package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Say says a text to the callee, in the agent's name.
type Say struct {
	Text     string
	Language string // language tag; empty: the flow's
	Message  int    // which message of the session it is, from 1; 0: none, it is the start text
	At       time.Time
}

// Said is what the agent said.
type Said struct {
	Text     string    `json:"text" personal:"callee"`
	Language string    `json:"language,omitempty"`
	Message  int       `json:"message,omitempty"` // of the session, from 1, where it is one
	At       time.Time `json:"at"`
}

var _ = event.Register[Said](Calls, "said", 1)

// Decide says a text while somebody listens, and no message twice.
func (c Say) Decide(s State) ([]event.Payload, error) {
	if !s.Answered() || c.Text == "" || c.Message > 0 && c.Message <= s.Spoken {
		return nil, nil
	}
	e := Said{Text: c.Text, Language: c.Language, Message: c.Message, At: event.Stamp(c.At)}
	if e.Language == "" {
		e.Language = s.Request.Flow.Language
	}
	return []event.Payload{e}, nil
}

// Apply keeps the text.
func (e Said) Apply(s *State) {
	s.Said = append(s.Said, e.Text)
	s.Spoken = max(s.Spoken, e.Message)
	s.sign(e.At)
}
