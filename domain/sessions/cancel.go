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
	turn := cmp.Or(c.Turn, s.Talk.Turns)
	switch {
	case s.Status == "":
		return nil, fault.New(fault.NotFound, "there is no such session")
	case s.Status == Ended:
		return nil, fault.New(fault.Conflict, "the session has ended")
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
func (s State) cutOff(at time.Time) []event.Payload {
	if s.Talk.Running == nil {
		return nil
	}
	return s.cut(at, TurnEnded{Action: CutOff})
}

// cut ends the turn that runs, with what there is to say of it.
func (s State) cut(at time.Time, how TurnEnded, why ...Noticed) (out []event.Payload) {
	was := s.Talk.Own()
	s.Talk = s.Talk.Own() // which is folded into
	c := cutting{at: event.Stamp(at), emit: func(p event.Payload) {
		out = append(out, p)
		Sessions.Fold(&s, p)
	}, in: InTurn{Turn: s.Talk.Turns, Test: s.Talk.Test, At: event.Stamp(at)}, project: s.ProjectID}
	c.cut(was)
	for _, n := range why {
		n.InTurn = c.in
		c.emit(n)
	}
	if how.Failed != "" {
		s.Talk.Errors++
	}
	s.Talk.Traces++ // that it has ended
	how.InTurn, how.Waits, how.Figures, how.Thread = c.in, was.waitsCut(), s.Talk.Figures, s.Thread
	c.emit(how)
	return out
}

// waitsCut is what the session waits for when its turn was cut off: the step begins anew with what
// is said next, but a model that leads it hears that.
func (t Talk) waitsCut() Waiting {
	r := t.Running
	leads := r.Asked != nil && r.Asked.Step != "" || r.Work != nil && r.Work.Wish != "" && r.Work.Step != "" ||
		slices.ContainsFunc(r.Open, func(c CallOpened) bool { return c.Wish != "" && c.Step != "" })
	switch {
	case leads:
		return Waiting{For: ForModel}
	case t.Waits.For == "":
		return Waiting{For: ForMessage}
	}
	return t.Waits
}

// cutting is a turn that is cut off.
type cutting struct {
	in      InTurn
	at      time.Time
	project string
	emit    func(event.Payload)
}

// cut ends what whoever stands there waits for: calls, a model, and delegates with all of theirs.
func (c cutting) cut(t Talk) {
	in, r := c.in, t.Running
	in.Delegate = t.Place
	for _, of := range r.Open {
		c.emit(of.CutOff(in))
	}
	if of := r.Asked; of != nil {
		c.emit(ModelAnswered{InTurn: in, CallID: of.CallID, ProjectID: c.project, Agent: of.Agent, Step: of.Step, Failed: CodeCancelled})
	}
	for _, id := range r.Work.Open() {
		d := r.Delegate(id)
		c.cut(*d.Talk)
		c.emit(DelegateEnded{InTurn: in, DelegateID: id, Name: d.Name, From: t.Agent, To: d.Agent, Task: d.Task, Outcome: DelegateCancelled,
			TookMs: c.at.Sub(d.At).Milliseconds()})
	}
}

// CutOff is the outcome of a call for which nobody waits any more.
func (c CallOpened) CutOff(in InTurn) CallEnded {
	e := CallEnded{InTurn: in, CallID: c.CallID, Agent: c.Agent, Step: c.Step, Tool: c.Tool, Wish: c.Wish, Outcome: CallCancelled,
		Code: CodeCancelled}
	if !c.Repeat && !c.Later {
		e.Outcome = CallUnknown // it may have been done
	}
	return e
}

// LetGo are the outcomes of the calls that a delegate waits for, and those that work for it: nobody waits for them any more.
func (d Delegate) LetGo(in InTurn) (out []CallEnded) {
	for r := range d.Talk.Running.everywhere() {
		for _, c := range r.Open {
			in.Delegate = c.Delegate
			out = append(out, c.CutOff(in))
		}
	}
	return out
}

// Claimed is whether a try makes anything of what the turn waits for.
func (r *Running) Claimed(try string) bool {
	return slices.ContainsFunc(r.Claims(), func(c Claimed) bool { return c.Try == try })
}
