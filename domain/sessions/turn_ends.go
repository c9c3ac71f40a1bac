package sessions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Action is how a turn leaves the session.
type Action string

// The actions.
const (
	Continue  Action = "continue"  // the user may say something
	EndAction Action = "end"       // the session has ended
	ToPeople  Action = "escalated" // people have it, or are asked to
)

// TurnEnded says that a message has its answer.
type TurnEnded struct {
	InTurn
	Action  Action  `json:"action"`
	Waits   Waiting `json:"waits"`
	Failed  string  `json:"failed,omitempty"` // why it did not come to its end, such as STEP_LIMIT
	Figures Figures `json:"figures"`          // of the session, this turn included
	Thread  string  `json:"thread,omitempty"` // whose next message may come now
	Kept    *Kept   `json:"kept,omitempty"`   // what the agent does when people give the conversation back
}

var _ = event.Register[TurnEnded](Sessions, "turn-ended", 1)

// Apply folds the event.
func (e TurnEnded) Apply(s *State) {
	s.Talk.Waits, s.Talk.Figures, s.Talk.Running = e.Waits, e.Figures, nil
	if e.Waits.For != ForConfirm { // else what a model wanted is still to be done
		s.Talk.settle()
	}
	if e.Action == CutOff {
		s.Talk.Cancelled = e.Turn
	}
	e.Kept.apply(s, e.InTurn)
}

// Reset makes a session as if nothing had been said in it.
type Reset struct{ At time.Time }

// WasReset says so. What was said before stays on the log, and readable.
type WasReset struct {
	Before int       `json:"before"`         // how many messages there had been
	Test   bool      `json:"test,omitempty"` // of a test session: in no report
	At     time.Time `json:"at"`
}

var _ = event.Register[WasReset](Sessions, "was-reset", 1)

// Decide resets a session that takes messages; one in which nothing was said is as it would be. A
// turn that runs is cut off first.
func (c Reset) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.Status == Ended:
		return nil, fault.New(fault.Conflict, "the session has ended")
	case s.CallID != "" || s.Talk.Manifest == nil:
		return nil, fault.New(fault.Conflict, "the session is one of a call, which cannot be begun again")
	case s.Talk.People != nil:
		return nil, fault.New(fault.Conflict, "people have the session: hand it back first")
	case s.Talk.Turns == 0 || s.ResetBefore == s.Talk.Messages:
		return nil, nil
	}
	return append(s.cutOff(c.At), WasReset{Before: s.Talk.Messages, Test: s.Talk.Test, At: event.Stamp(c.At)}), nil
}

// Apply folds the event: figures go on, and so does who talks.
func (e WasReset) Apply(s *State) {
	s.Talk = Talk{Begun: s.Talk.Begun, Agent: s.AgentName, Vars: cloned(s.Talk.Variables), Calls: s.Talk.Calls,
		Figures: s.Talk.Figures, Escalations: s.Talk.Escalations,
		Transferred: s.Talk.Transferred}
	s.ResetBefore = e.Before
}

// MessageDropped is what is noticed of a message that a reset has dropped.
const MessageDropped = "message"

// DropMessage says that a message was refused which had waited when the session was reset.
type DropMessage struct{ At time.Time }

// Decide tells it of a session that takes messages.
func (c DropMessage) Decide(s State) ([]event.Payload, error) {
	if s.Status != Active || s.Talk.Turns == 0 {
		return nil, nil
	}
	e := Noticed{InTurn: InTurn{Turn: s.Talk.Turns, Test: s.Talk.Test, At: event.Stamp(c.At)}, Kind: "ignored", Agent: s.Talk.Agent,
		What: MessageDropped, Detail: "it waited when the session was reset"}
	if s.Talk.Running == nil {
		f := s.Talk.Figures
		f.Traces++
		e.Figures = &f
	}
	return []event.Payload{e}, nil
}
