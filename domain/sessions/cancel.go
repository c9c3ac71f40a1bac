package sessions

import (
	"cmp"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// How a turn and its calls end that are cut off.
const (
	// CutOff is a turn that was cancelled: what was said in it stays, and the user may say
	// something, unless the session has ended.
	CutOff Action = "cancelled"
	// CallCancelled is a call whose answer nobody waits for any more. What writes, and was on its
	// way, has the outcome CallUnknown instead.
	CallCancelled CallOutcome = "cancelled"
	// CodeCancelled is the code of both, and why a model has no answer.
	CodeCancelled = "CANCELLED"
)

// CancelTurn ends the turn that runs or is suspended. The stream decides who was first: an
// outcome of what it waits for, the end of that time, a reset, the end of the session, or this.
type CancelTurn struct {
	Turn int // which one is meant; 0: whichever runs
	At   time.Time
}

// Decide does nothing for a turn that was cancelled before, and refuses where nothing runs.
func (c CancelTurn) Decide(s State) ([]event.Payload, error) {
	if err := s.Takes("messages"); err != nil {
		return nil, err
	}
	turn := cmp.Or(c.Turn, s.Talk.Turns)
	switch {
	case s.Talk.Running != nil && turn == s.Talk.Turns:
		return s.cutOff(c.At), nil
	case turn > 0 && turn == s.Talk.Cancelled:
		return nil, nil
	case s.Talk.Running == nil:
		return nil, fault.New(fault.Conflict, "no turn of the session runs or is suspended: there is nothing to cancel")
	}
	return nil, fault.New(fault.Conflict, "the turn %d does not run: the session is at turn %d", c.Turn, s.Talk.Turns)
}

// cutOff ends the turn that runs, with all that it waits for; nothing runs: it is nothing.
func (s State) cutOff(at time.Time) (out []event.Payload) {
	r := s.Talk.Running
	if r == nil {
		return nil
	}
	s.Talk = s.Talk.Own() // which is folded into
	in := InTurn{Turn: s.Talk.Turns, Test: s.Talk.Test, At: event.Stamp(at)}
	emit := func(p event.Payload) {
		out = append(out, p)
		Sessions.Fold(&s, p)
	}
	waits := s.Talk.Waits
	for _, of := range slices.Clone(r.Open) {
		e := CallEnded{InTurn: in, CallID: of.CallID, Agent: of.Agent, Step: of.Step, Tool: of.Tool, Wish: of.Wish,
			Outcome: CallCancelled, Code: CodeCancelled}
		if !of.Repeat && !of.Later {
			e.Outcome = CallUnknown // it may have been done
		}
		if of.Wish != "" && of.Step != "" {
			waits = Waiting{For: ForModel}
		}
		emit(e)
	}
	if of := r.Asked; of != nil {
		if of.Step != "" {
			waits = Waiting{For: ForModel} // which hears what is said next
		}
		emit(ModelAnswered{InTurn: in, CallID: of.CallID, ProjectID: s.ProjectID, Agent: of.Agent, Step: of.Step, Failed: CodeCancelled})
	}
	if waits.For == "" {
		waits.For = ForMessage
	}
	s.Talk.Traces++ // that it has ended
	emit(TurnEnded{InTurn: in, Action: CutOff, Waits: waits, Figures: s.Talk.Figures})
	return out
}

// Claimed is whether a try makes anything of what the turn waits for.
func (r *Running) Claimed(try string) bool {
	if r == nil {
		return false
	}
	return r.Asked != nil && r.Asked.Try == try || slices.ContainsFunc(r.Open, func(c CallOpened) bool { return c.Try == try })
}
