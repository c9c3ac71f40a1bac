package turns

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// PickUp is the turn with which the session of a call begins. Who calls says something first:
// ON_START, or, where that says nothing, what the agent begins with.
type PickUp struct {
	Programs Programs
	At       time.Time
	Try      sessions.Claimed // who makes the calls that it wants
}

// Decide runs the turn, once.
func (c PickUp) Decide(s sessions.State) ([]event.Payload, error) {
	if s.Status != sessions.Active || s.CallID == "" || s.Talk.Manifest == nil || s.Talk.Turns > 0 {
		return nil, nil
	}
	s.Talk = s.Talk.Own() // which the machine folds into
	m := &machine{Receive: Receive{Programs: c.Programs, At: c.At, Try: c.Try}, s: s, turn: 1}
	p := m.program()
	if p == nil {
		return nil, errNoProgram(s.Talk.Agent)
	}
	m.emit(sessions.PickedUp{InTurn: m.in()})
	if m.begin(p) != stopped {
		m.reply()
	}
	m.end()
	return m.out, nil
}

// opens is what comes behind ON_START in a turn that no message has begun: nothing, if something
// was said.
func (m *machine) opens() {
	if m.s.Talk.Messages == 0 {
		m.lead()
	}
}
