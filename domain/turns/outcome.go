package turns

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Outcome is what came of a call that a turn waits for, with what follows from it. The first
// one counts, from whomever it comes.
type Outcome struct {
	CallID   string
	Ended    sessions.CallEnded      // its outcome, code, result and figures
	Answer   *sessions.ModelAnswered // of a model, in place of Ended
	Memory   []sessions.StoreTold    // what the tool left in the stores that it sees
	Programs Programs
	At       time.Time
	Try      sessions.Claimed // who makes the calls that follow
}

// Decide goes on with the turn. It does nothing for a call that is not open (any more).
func (c Outcome) Decide(s sessions.State) ([]event.Payload, error) {
	if c.Answer != nil {
		return c.answer(s)
	}
	open := s.Talk.Running.Call(c.CallID)
	if open == nil {
		return nil, nil
	}
	of := *open
	m, err := goingOn(s, c.Programs, c.At, c.Try)
	if err != nil {
		return nil, err
	}
	if len(c.Memory) > 0 {
		m.memorize(of.CallID, c.Memory)
	}
	m.at(of.Delegate, func(x *machine) { x.ends(of, c.Ended) })
	m.end()
	return m.out, nil
}

// goingOn is a machine that goes on with the turn of a state.
func goingOn(s sessions.State, programs Programs, at time.Time, try sessions.Claimed) (*machine, error) {
	r := s.Talk.Running
	s.Talk = s.Talk.Own() // which the machine folds into
	m := &machine{s: s, turn: s.Talk.Turns, heard: r.Heard, steps: r.Steps, transfers: r.Transfers, back: r.Back,
		Receive: Receive{Action: r.Action, Metadata: r.Metadata, Programs: programs, At: at, Try: try}}
	if p := s.Talk.People; p != nil && p.Wish != nil {
		m.escalated = p.Wish.Turn == m.turn
	}
	if m.program() == nil {
		return nil, errNoProgram(s.Talk.Agent)
	}
	return m, nil
}

// ends goes on behind a call.
func (m *machine) ends(of sessions.CallOpened, ended sessions.CallEnded) {
	p := m.Programs[of.Agent]
	if p == nil || p.Tool(of.Tool) == nil {
		m.cutOff()
		m.fail("UNKNOWN_TOOL", of.Tool)
		return
	}
	ended = m.close(of, p.Tool(of.Tool), ended)
	if !of.Later && m.takesTooLong() {
		m.cutOff()
		m.timesOut()
		return
	}
	switch step := p.Flow.Step(of.Step); {
	case of.Start:
		if m.started(ended) != stopped {
			m.reply()
		}
	case of.Wish != "":
		m.goesOn(of.Agent, m.wished(step, p.Tool(of.Tool), ended))
	case step == nil || step.Call == nil:
		m.fail("UNKNOWN_STEP", of.Step)
	default:
		m.goesOn(of.Agent, m.called(step, of.Retry, of.Key, ended))
	}
}

// cutOff ends the calls for which nobody waits any more: those that were made at once with one that ends the turn.
func (m *machine) cutOff() {
	for _, of := range slices.Clone(m.s.Talk.Running.Open) {
		m.emit(of.CutOff(m.in()))
	}
}

// wished goes on behind a call that a model wanted: with ON_TIMEOUT of its tool where the answer never came, and else the model
// is told.
func (m *machine) wished(step *dsl.Step, tool *dsl.Tool, e sessions.CallEnded) outcome {
	if e.Code != tooLate || tool.OnTimeout == nil {
		return m.carryOut(step)
	}
	switch out := m.then(tool.OnTimeout); {
	case out != proceed:
		return out
	case tool.OnTimeout.Continue:
		return m.carryOut(step)
	}
	return m.spoken(step)
}

// TakeOver goes on with calls whose try gives no sign of life any more: what may be made again
// is claimed anew, and of the rest nobody knows what came of it.
type TakeOver struct {
	From     string // the try that is gone
	Programs Programs
	At       time.Time
	Try      sessions.Claimed
}

// Decide takes over what the try has open.
func (c TakeOver) Decide(s sessions.State) ([]event.Payload, error) {
	if s.Talk.Running == nil {
		return nil, nil
	}
	m, err := goingOn(s, c.Programs, c.At, c.Try)
	if err != nil {
		return nil, err
	}
	m.takeOver(c.From)
	if memory := m.s.Talk.Running.Memory; memory != nil && memory.Try == c.From && (m.asks || len(m.out) == 0) {
		m.emit(sessions.CallClaimed{InTurn: m.in(), CallID: memory.CallID, Claimed: c.Try}) // else the end of the turn asks again
		m.asks = true
	}
	if len(m.out) == 0 {
		return nil, nil
	}
	m.end()
	return m.out, nil
}

func (m *machine) takeOver(from string) {
	r := m.s.Talk.Running
	asked, works := r.Asked, r.Work.Open()
	for _, of := range slices.Clone(r.Open) {
		switch {
		case of.Try != from:
		case of.Later && !of.Repeat:
			m.sent(of) // it may have been made: its answer comes, or it does not
		case of.Repeat:
			m.emit(sessions.CallClaimed{InTurn: m.in(), CallID: of.CallID, Claimed: m.Try})
			m.asks = true
		default:
			m.ends(of, sessions.CallEnded{Outcome: sessions.CallUnknown, Code: sessions.CodeUnknown})
		}
	}
	if asked != nil && asked.Try == from { // a model may be asked again
		m.emit(sessions.CallClaimed{InTurn: m.in(), CallID: asked.CallID, Claimed: m.Try})
		m.asks = true
	}
	for _, id := range works {
		m.inside(id, func(x *machine) { x.takeOver(from) })
	}
	if len(works) > 0 {
		m.resumes()
	}
}

// sent says that the answer to a call is waited for.
func (m *machine) sent(of sessions.CallOpened) {
	expires := of.At
	if p := m.Programs[of.Agent]; p != nil && p.Tool(of.Tool) != nil {
		expires = of.At.Add(p.Tool(of.Tool).Expires)
	}
	e := sessions.CallSent{InTurn: m.in(), CallID: of.CallID, ExpiresAt: event.Stamp(expires)}
	if !m.delegated() {
		f := m.s.Talk.Figures
		f.Traces++ // this
		e.Figures = &f
	}
	m.emit(e)
	m.asks = true
}

// Suspend says that a call was made whose answer comes later. It does nothing where the answer
// was faster.
type Suspend struct {
	CallID   string
	Programs Programs
	At       time.Time
}

// Decide suspends the turn.
func (c Suspend) Decide(s sessions.State) ([]event.Payload, error) {
	open := s.Talk.Running.Call(c.CallID)
	if open == nil || !open.Later || open.Try == "" { // an empty one: it waits already
		return nil, nil
	}
	of := *open
	m, err := goingOn(s, c.Programs, c.At, sessions.Claimed{})
	if err != nil {
		return nil, err
	}
	m.at(of.Delegate, func(x *machine) { x.sent(of) })
	return m.out, nil
}

// TooLate is the outcome of a call whose answer has not come in time: ON_TIMEOUT of the tool
// says what follows.
func TooLate() sessions.CallEnded {
	return sessions.CallEnded{Outcome: sessions.CallFailed, Code: tooLate}
}

const tooLate = "CALLBACK_EXPIRED"

// Wanted is a call to be made.
type Wanted struct {
	sessions.CallOpened
	Tool  *dsl.Tool
	Scope dsl.Scope    // what the tool's request sees
	Sees  []*dsl.Store // of code: as its agent declares them
	Tells Forwarding   // of an agent of others
}

// WantedOf are the open calls of a try, with their arguments: which follow from the state, and
// stand on the log only as MASK leaves them.
func WantedOf(s sessions.State, programs Programs, try string) ([]Wanted, error) {
	var out []Wanted
	for _, in := range places(s) {
		for _, of := range in.Talk.Running.Open {
			if of.Try != try || s.Talk.Running.Memory != nil && len(storesOf(programs, of)) > 0 { // what was set is kept first
				continue
			}
			m, err := goingOn(in, programs, of.At, sessions.Claimed{})
			if err != nil {
				return nil, err
			}
			w, ok := m.wanted(of)
			if !ok {
				continue // its outcome says that the source has no such tool
			}
			out = append(out, w)
		}
	}
	return out, nil
}

// places are where a turn stands: in the conversation, and in each delegate that works.
func places(s sessions.State) []sessions.State {
	r := s.Talk.Running
	if r == nil {
		return nil
	}
	out := []sessions.State{s}
	for _, id := range r.Work.Open() {
		if in, ok := s.Within(id); ok {
			out = append(out, places(in)...)
		}
	}
	return out
}

func (m *machine) wanted(of sessions.CallOpened) (Wanted, bool) {
	p := m.Programs[of.Agent]
	if p == nil || p.Tool(of.Tool) == nil {
		return Wanted{}, false
	}
	call, args := (*dsl.Call)(nil), map[string]any(nil)
	switch step := p.Flow.Step(of.Step); {
	case of.Wish != "":
		w := m.s.Talk.Wish(of.Wish)
		if w == nil {
			return Wanted{}, false
		}
		args, _ = objectIn(w.Arguments)
	case of.Start && p.OnStart != nil:
		call = p.OnStart.Call
	case step != nil:
		call = step.Call
	}
	if call == nil && of.Wish == "" {
		return Wanted{}, false
	}
	if call != nil {
		args, _ = m.arguments(call, p.Tool(of.Tool))
	}
	metadata, _ := decoded(m.Metadata).(map[string]any)
	if args, _, _ = m.guardArguments(p.Tool(of.Tool), args); args == nil {
		args = map[string]any{}
	}
	if metadata == nil {
		metadata = map[string]any{}
	}
	scope := m.scope()
	scope["args"], scope["call"], scope["message_metadata"] = args, map[string]any{"id": of.Key}, metadata
	tool := p.Tool(of.Tool)
	return Wanted{CallOpened: of, Tool: tool, Scope: scope, Sees: storesOf(m.Programs, of), Tells: m.forwarding(tool, args)}, true
}

// storesOf are the stores that the tool of a call sees, as its agent declares them.
func storesOf(programs Programs, of sessions.CallOpened) (out []*dsl.Store) {
	p := programs[of.Agent]
	if p == nil || p.Tool(of.Tool) == nil {
		return nil
	}
	for _, name := range p.Tool(of.Tool).Stores {
		if s := p.Store(name); s != nil {
			out = append(out, s)
		}
	}
	return out
}
