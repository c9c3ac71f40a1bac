package turns

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Why a turn failed that needed what others do.
const delegateFailed = "DELEGATE_FAILED"

// work has others do something for the agent, those of them whose WHEN holds, and goes on behind
// it when enough is done.
func (m *machine) work(e sessions.WorkGiven, names []string) outcome {
	p := m.program()
	for _, name := range names {
		if d := p.Delegate(name); d != nil && (d.When == nil || m.holds(d.When)) {
			e.Delegates = append(e.Delegates, name)
		}
	}
	if len(e.Delegates) == 0 {
		return m.behind(p.Flow.Step(e.Step))
	}
	e.InTurn, e.Agent = m.in(), p.Agent
	if g := p.Group(e.Group); g != nil {
		e.ExpiresAt = event.Stamp(m.At.Add(g.Timeout))
	}
	m.emit(e)
	return m.join()
}

// worksByWhen is what comes behind the flow: the first delegate whose WHEN holds, with its group,
// once a turn. What steps run is not meant.
func (m *machine) worksByWhen() outcome {
	p := m.program()
	if slices.Contains(m.s.Talk.Running.Worked, p.Agent) {
		return proceed
	}
	for _, d := range p.Delegates {
		if d.When == nil || runByStep(p, d.ID) || !m.holds(d.When) {
			continue
		}
		names := []string{d.ID}
		if g := p.Group(d.Group); g != nil {
			names = g.Delegates
		}
		return m.work(sessions.WorkGiven{Group: d.Group, Waits: m.s.Talk.Waits}, names)
	}
	return proceed
}

func runByStep(p *dsl.Program, delegate string) bool {
	return p.Flow != nil && slices.ContainsFunc(p.Flow.Steps, func(s *dsl.Step) bool { return slices.Contains(s.Delegate, delegate) })
}

// join begins as many delegates as may work at once, and goes on behind the work when enough of
// it is done: what is not done then is cancelled, and results are taken in the order of the list.
func (m *machine) join() outcome {
	done, broken := m.beginNext()
	if !done {
		m.asks = true
		return stopped
	}
	w := m.s.Talk.Running.Work
	m.cancel()
	e := sessions.WorkDone{InTurn: m.in(), Agent: w.Agent, Group: w.Group}
	if broken != nil {
		e.Failed, e.Code = broken.Name, broken.Code
	} else {
		m.takeResults(w)
	}
	m.emit(e)
	return m.behindWork(w, broken)
}

func (m *machine) beginNext() (done bool, broken *sessions.Delegate) {
	p, w := m.program(), m.s.Talk.Running.Work
	most := 1
	if g := p.Group(w.Group); g != nil {
		most = g.MaxParallel
	}
	for _, name := range w.Names {
		if done, broken = m.stands(w); done || len(w.Open()) >= most {
			return done, broken
		}
		if w.Begun(name) == nil {
			m.beginDelegate(p.Delegate(name), 0)
		}
	}
	return m.stands(w)
}

// stands is whether enough of a piece of work is done, or that cannot be any more because of one
// that failed.
func (m *machine) stands(w *sessions.Work) (done bool, broken *sessions.Delegate) {
	p, need, ok, pending := m.program(), 0, 0, 0
	if g := p.Group(w.Group); g != nil && g.Join != dsl.All {
		need = min(g.Join, len(w.Names))
	}
	for _, name := range w.Names {
		switch d := w.Begun(name); {
		case d == nil || d.Outcome == "":
			pending++
		case d.Outcome == sessions.DelegateOK:
			ok++
		case broken == nil && !p.Delegate(name).Continue:
			broken = d
		}
	}
	switch {
	case need > 0 && ok >= need:
		return true, nil
	case broken != nil && ok+pending < max(need, 1), broken != nil && need == 0:
		return true, broken
	}
	return pending == 0, broken
}

// cancel ends the delegates that work.
func (m *machine) cancel() {
	r := m.s.Talk.Running
	for _, id := range r.Work.Open() {
		m.leave(*r.Delegate(id), sessions.DelegateCancelled, "", nil)
	}
}

// takeResults puts what RETURNS names where it says. What is not in a result is taken away there.
func (m *machine) takeResults(w *sessions.Work) {
	for _, name := range w.Names {
		d := w.Begun(name)
		if d == nil || d.Outcome != sessions.DelegateOK {
			continue
		}
		for _, r := range m.program().Delegate(name).Returns {
			m.put(r.Target, decoded(d.Result[r.Member]))
		}
	}
}

// behindWork goes on where the work was wanted.
func (m *machine) behindWork(w *sessions.Work, broken *sessions.Delegate) outcome {
	step := m.program().Flow.Step(w.Step)
	if w.Wish != "" {
		m.tellWork(w, broken)
		return m.carryOut(step)
	}
	switch {
	case broken == nil && step == nil:
		return proceed
	case broken == nil:
		return m.behind(step)
	case step != nil && step.OnError != nil && w.Retry < step.OnError.Retry &&
		!slices.ContainsFunc(w.Delegates, func(d sessions.Delegate) bool { return d.Wrote }): // else a write might be done twice
		return m.work(sessions.WorkGiven{Step: step.Name, Group: step.Group, Retry: w.Retry + 1}, step.Delegate)
	case step == nil || step.Otherwise() == nil:
		return m.fail(delegateFailed, broken.Name+": "+broken.Code)
	}
	m.notice("limit", delegateFailed, broken.Name+": "+broken.Code)
	return m.otherwise(step)
}

// tellWork gives the model the result of what it had somebody do.
func (m *machine) tellWork(w *sessions.Work, broken *sessions.Delegate) {
	wish := m.s.Talk.Wish(w.Wish)
	if wish == nil {
		return
	}
	d := w.Begun(w.Names[0])
	switch {
	case d.Outcome == sessions.DelegateOK:
	case d.Wrote:
		m.refuse(*wish, d.Code, "this did not come to its end, and some of it may have been done")
		return
	default:
		m.refuse(*wish, d.Code, "this was not done")
		return
	}
	told := make(map[string]any, len(d.Result))
	for name, raw := range d.Result {
		told[name] = raw
	}
	m.tell(*wish, told)
}

// resumes goes on behind work, if enough of it is done now.
func (m *machine) resumes() {
	if !m.delegated() && m.takesTooLong() {
		m.cancel()
		m.timesOut()
		return
	}
	m.goesOn(m.s.Talk.Agent, m.join())
}

func (m *machine) workIsLate() bool {
	w := m.s.Talk.Running.Work
	return !w.ExpiresAt.IsZero() && !m.At.Before(w.ExpiresAt)
}

// Late ends what others do for an agent and has taken longer than it may. It does nothing before.
type Late struct {
	Programs Programs
	At       time.Time
	Try      sessions.Claimed
}

// Decide goes on with the turn where nothing is waited for any more.
func (c Late) Decide(s sessions.State) ([]event.Payload, error) {
	ends := s.Talk.Running.Ends()
	if ends.IsZero() || c.At.Before(ends) {
		return nil, nil
	}
	m, err := goingOn(s, c.Programs, c.At, c.Try)
	if err != nil {
		return nil, err
	}
	m.late()
	m.end()
	return m.out, nil
}

func (m *machine) late() {
	r := m.s.Talk.Running
	if w := r.Suspended; w != nil && m.delegated() && !m.At.Before(w.ExpiresAt) {
		m.ends(*r.Call(w.CallID), TooLate())
		return
	}
	works := r.Work.Open()
	for _, id := range works {
		if d := r.Delegate(id); d != nil && (m.workIsLate() || !m.At.Before(d.ExpiresAt)) {
			m.endDelegate(id, nil, sessions.CodeTimeout, true)
			continue
		}
		m.inside(id, (*machine).late)
	}
	if len(works) > 0 {
		m.resumes()
	}
}

// taskMember is the parameter of a delegate that says what is to be done, in the model's words.
const taskMember = "task"

// offeredWork is the delegate behind the name of a tool; nil: there is none.
func (m *machine) offeredWork(name string) *dsl.Delegate {
	id, is := strings.CutPrefix(name, giveWork)
	if d := m.program().Delegate(id); is && d != nil && d.Offered && m.Programs[d.Agent] != nil {
		return d
	}
	return nil
}

// workTools are the delegates that the model may have work.
func (m *machine) workTools() (out []completions.Tool) {
	for _, d := range m.program().Delegates {
		if m.offeredWork(giveWork+d.ID) == nil {
			continue
		}
		to := m.Programs[d.Agent]
		members := map[string]any{taskMember: map[string]any{"type": "string", "description": "What is to be done, in your words."}}
		for _, in := range d.Input {
			members[in.Name] = map[string]any{"description": "Left out: what is known."}
			if slot := to.Slot(in.Name); slot != nil {
				members[in.Name] = m.slotSchema(slot)
			}
		}
		about := strings.TrimSpace(m.text(d.Purpose) + " " + to.Description)
		out = append(out, completions.Tool{Name: giveWork + d.ID, Parameters: encoded(object(members)),
			Description: strings.TrimSpace("Have " + d.Agent + " do a piece of work, and get its result. " + about)})
	}
	return out
}

// workTold tells the model of a delegate what it is given, and that nobody answers.
func (m *machine) workTold(part func(title, text string)) {
	if !m.delegated() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m.s.Talk.Vars)) {
		part("Known: ", name+" = "+string(m.s.Talk.Vars[name]))
	}
	part("", "You work for the agent "+m.s.Talk.For[len(m.s.Talk.For)-1]+". Nobody answers questions: what you say last is your result.")
}
