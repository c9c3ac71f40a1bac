package threads

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Said is a message that its sender may take back, or has.
type Said struct {
	Number            int
	ProviderMessageID string
	SessionID         string // that took it; empty: none yet
	MessageID         string // what it is there
	TakenBack         bool
}

// mostSaid is how many messages can be taken back: providers let people do so for a day.
const mostSaid = 200

// CodeTakenBack is why nobody answers what was taken back before a session had it.
const CodeTakenBack = "TAKEN_BACK"

// TakenBack says that its sender has taken a message back: it is shown no more, and its files go. What it said stays on
// the log, sealed, until the person is erased.
type TakenBack struct {
	Number    int       `json:"number"`
	SessionID string    `json:"sessionId,omitempty"` // that has it; empty: none, or one that is just taking it
	MessageID string    `json:"messageId,omitempty"`
	At        time.Time `json:"at"`
}

var _ = event.Register[TakenBack](Threads, "taken-back", 1)

// takesBack is what somebody says who takes a message back: nothing of one that is not known, or is taken back already.
func (s State) takesBack(name string, at time.Time) []event.Payload {
	i := slices.IndexFunc(s.Said, func(m Said) bool { return m.ProviderMessageID == name && !m.TakenBack })
	if name == "" || i < 0 {
		return nil
	}
	m := s.Said[i]
	return []event.Payload{TakenBack{Number: m.Number, SessionID: m.SessionID, MessageID: m.MessageID, At: event.Stamp(at)}}
}

// IsTakenBack is whether its sender has taken a message back.
func (s State) IsTakenBack(number int) bool {
	return slices.ContainsFunc(s.Said, func(m Said) bool { return m.Number == number && m.TakenBack })
}

// Apply has nobody give it to a session any more, nor fetch its files.
func (e TakenBack) Apply(s *State) {
	s.said(e.Number, func(m *Said) { m.TakenBack = true })
	s.Waiting = slices.Clone(s.Waiting)
	for i := range s.Waiting {
		if m := &s.Waiting[i]; m.Number == e.Number {
			m.Text, m.Chosen, m.Files, m.About = "", nil, nil, nil
		}
	}
}

// mayTakeBack remembers a message of a kind whose people may take it back.
func (s *State) mayTakeBack(e Received) {
	if e.ProviderMessageID == "" {
		return
	}
	s.Said = append(slices.Clip(s.Said), Said{Number: e.Number, ProviderMessageID: e.ProviderMessageID})
	s.Said = slices.Clone(s.Said[max(0, len(s.Said)-mostSaid):])
}

// toldTo remembers which session has a message.
func (s *State) toldTo(e Taken) {
	s.said(e.Number, func(m *Said) { m.SessionID, m.MessageID = e.SessionID, e.MessageID })
}

func (s *State) said(number int, edit func(*Said)) {
	if i := slices.IndexFunc(s.Said, func(m Said) bool { return m.Number == number }); i >= 0 {
		s.Said = slices.Clone(s.Said)
		edit(&s.Said[i])
	}
}
