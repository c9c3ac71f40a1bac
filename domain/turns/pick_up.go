package turns

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// PickUp is the turn with which a session begins whose other side is there and has said nothing: that
// of a call, or of a channel's conversation. The agent says something first: ON_START, or, where that
// says nothing, what it begins with.
type PickUp struct {
	Programs Programs
	At       time.Time
	Try      sessions.Claimed // who makes the calls that it wants
	InRoom   bool             // somebody is in the session's room, who hears it, whatever else the session is of
}

// Decide runs the turn, once.
func (c PickUp) Decide(s sessions.State) ([]event.Payload, error) {
	if s.Status != sessions.Active || !c.InRoom && s.CallID == "" && s.Thread == "" || s.Talk.Manifest == nil || s.Talk.Turns > 0 {
		return nil, nil
	}
	s.Talk = s.Talk.Own() // which the machine folds into
	m := &machine{Receive: Receive{Programs: c.Programs, At: c.At, Try: c.Try}, s: s, turn: 1}
	p := m.program()
	if p == nil {
		return nil, errNoProgram(s.Talk.Agent)
	}
	m.emit(sessions.PickedUp{InTurn: m.in()})
	if !m.recalls(true) {
		m.starts(true)
	}
	m.end()
	return m.out, nil
}

// opens is what comes behind ON_START in a turn that no message has begun: nothing, if something
// was said.
func (m *machine) opens() {
	if m.s.Talk.Messages == 0 || m.jumped != "" {
		m.lead()
	}
}
