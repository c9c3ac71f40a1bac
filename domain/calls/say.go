package calls

import (
	"time"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
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

// Hear records what the callee said, up to a silence.
type Hear struct {
	Number   int // of what was heard in the call, from 1: one that comes again is known by it
	Text     string
	Language string // in which it was recognised; empty: the flow's
	At       time.Time
}

// LongestHeard is how many characters are heard at once. A callee who goes on beyond them without
// a silence is heard in parts.
const LongestHeard = 4_000

// Heard is what the callee said: a message to the agent that takes the call.
type Heard struct {
	Number   int       `json:"number"`
	Text     string    `json:"text" personal:"callee"`
	Language string    `json:"language,omitempty"`
	At       time.Time `json:"at"`
}

var _ = event.Register[Heard](Calls, "heard", 1)

// Decide hears somebody who is connected, with an agent that takes it in.
func (c Hear) Decide(s State) ([]event.Payload, error) {
	if utf8.RuneCountInString(c.Text) > LongestHeard {
		return nil, fault.Field("text", "may have at most %d characters", LongestHeard)
	}
	if !s.Answered() || !s.Talks() || c.Text == "" || c.Number <= s.Heard {
		return nil, nil
	}
	e := Heard{Number: c.Number, Text: c.Text, Language: c.Language, At: event.Stamp(c.At)}
	if e.Language == "" {
		e.Language = s.Request.Flow.Language
	}
	return []event.Payload{e}, nil
}

// Apply counts it.
func (e Heard) Apply(s *State) {
	s.Heard = e.Number
	s.sign(e.At)
}
