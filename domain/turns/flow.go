package turns

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// outcome is how a part of a turn left it.
type outcome int

const (
	proceed outcome = iota // go on behind it
	moved                  // the flow is at another step, or another agent is at it
	stopped                // the agent waits, the session has ended, or the turn failed
)

// flow runs the steps of the agent who is at it, until it waits, ends or hands over.
func (m *machine) flow() {
	agent := m.s.Talk.Agent
	out := moved
	switch step := m.s.Talk.Step; {
	case m.program().Flow == nil: // the model leads the whole conversation
		if m.back != "" { // what came back may be all that was wanted
			if out = m.completes(); out != proceed {
				break
			}
		}
		out = m.consult(nil, sessions.ModelAsked{})
	case m.jumped != "":
		step, m.jumped = m.jumped, ""
		out = m.enter(step)
	case step == "":
		out = m.begun(m.startAt())
	case m.s.Talk.Waits.For == sessions.ForMessage || m.current() == nil:
		out = m.enter(step) // without NEXT it is done again with what comes; one that is no more fails there
	case m.s.Talk.Waits.For == sessions.ForModel:
		out = m.led(m.current())
	default:
		out = m.goOn(m.current(), m.asked())
	}
	m.follow(agent, out)
}

// follow goes from step to step of an agent, for as long as it is at it.
func (m *machine) follow(agent string, out outcome) {
	for out == moved && m.going() && m.s.Talk.Agent == agent {
		step := m.jumped
		m.jumped = ""
		out = m.enter(step)
	}
}

func (m *machine) startAt() string {
	if b := m.s.Talk.Running.Brought; b != nil && b.StartAt != "" && m.turn == 1 {
		return b.StartAt
	}
	return m.program().Flow.Start
}

// begun begins the flow. At a step that a test names the agent stands as if it had asked there: what
// is said is the answer to its first question, where it is one.
func (m *machine) begun(name string) outcome {
	step, b := m.program().Flow.Step(name), m.s.Talk.Running.Brought
	if step == nil || b == nil || b.StartAt == "" || m.turn != 1 || m.learned || step.When != nil && !m.holds(step.When) {
		return m.enter(name)
	}
	slot := m.question(step, 0)
	if slot == nil {
		return m.begunByChoice(step)
	}
	v, problem := m.read(slot, m.said(slot))
	if problem != "" {
		return m.enter(name)
	}
	m.steps++
	m.emit(sessions.StepEntered{InTurn: m.in(), Agent: m.program().Agent, Step: name})
	m.fill(m.program(), map[string]json.RawMessage{slot.Name: encoded(v)})
	m.slotAsked = slot.Name
	return m.goOn(step, m.asked())
}

// begunByChoice is the same where the step shows what can be chosen, and asks nothing.
func (m *machine) begunByChoice(step *dsl.Step) outcome {
	if m.Action == nil {
		m.Action = m.typed(step)
	}
	branch := m.branchOf(step)
	if branch == nil {
		return m.enter(step.Name)
	}
	m.steps++
	m.emit(sessions.StepEntered{InTurn: m.in(), Agent: m.program().Agent, Step: step.Name})
	m.acted = true
	if out := m.then(&branch.Then); out != proceed {
		return out
	}
	return m.goOn(step, 0)
}

// question is the first slot that a step asks for, from a place on; nil: none.
func (m *machine) question(step *dsl.Step, from int) *dsl.Slot {
	if step.ByModel {
		return nil // it asks in its own words
	}
	for _, name := range step.Gather[min(from, len(step.Gather)):] {
		slot := m.program().Slot(name)
		if slot == nil || m.has(name) || slot.AskWhen != nil && !m.holds(slot.AskWhen) || m.assumes(slot) {
			continue
		}
		return slot
	}
	return nil
}

func (m *machine) current() *dsl.Step { return m.program().Flow.Step(m.s.Talk.Step) }

// asked is the place behind the slot that was asked for, in the step's GATHER.
func (m *machine) asked() int { return slices.Index(m.current().Gather, m.slotAsked) + 1 }

// enter begins a step.
func (m *machine) enter(name string) outcome {
	p := m.program()
	step := p.Flow.Step(name)
	if step == nil {
		return m.fail("UNKNOWN_STEP", name)
	}
	if m.steps++; m.steps > p.Limits.Steps {
		return m.fail("STEP_LIMIT", fmt.Sprintf("more than %d steps in one turn", p.Limits.Steps))
	}
	if step.MaxVisits > 0 && m.s.Talk.Visits[sessions.Visit(p.Agent, name)] >= step.MaxVisits {
		return m.overvisited(step)
	}
	m.emit(sessions.StepEntered{InTurn: m.in(), Agent: p.Agent, Step: name})
	m.slotAsked, m.acted = "", false
	if step.When != nil && !m.holds(step.When) {
		return m.beyond(step)
	}
	if out := m.sayText(step.Say, step.Rich); out != proceed {
		return out
	}
	return m.goOn(step, 0)
}

func (m *machine) overvisited(step *dsl.Step) outcome {
	m.notice("limit", "MAX_VISITS", step.Name)
	then := cmp.Or(step.OnExhausted, step.Otherwise())
	if then == nil {
		return m.fail("MAX_VISITS", step.Name)
	}
	return m.settle(m.then(then), step)
}

// goOn is what a step does behind its SAY: it gathers from a place on, waits for a choice, and
// calls.
func (m *machine) goOn(step *dsl.Step, from int) outcome {
	if slot := m.question(step, from); slot != nil {
		return m.ask(step, slot)
	}
	if len(step.OnAction) > 0 && !m.acted {
		m.s.Talk.Waits = sessions.Waiting{For: sessions.ForAction}
		return stopped
	}
	switch {
	case step.ByModel:
		return m.led(step)
	case step.Call != nil:
		return m.call(step)
	case len(step.Delegate) > 0:
		return m.work(sessions.WorkGiven{Step: step.Name, Group: step.Group}, step.Delegate)
	}
	return m.behind(step)
}

// behind is what a step does when it has called: it sets, checks, and branches.
func (m *machine) behind(step *dsl.Step) outcome {
	m.assign(step.Set)
	if step.Check != nil && !m.holds(step.Check) {
		if out, kept := m.checked(step); kept {
			return out
		}
	}
	for i := range step.Branch {
		if b := &step.Branch[i]; b.If == nil || m.holds(b.If) {
			return m.settle(m.then(&b.Then), step)
		}
	}
	return m.next(step)
}

// checked is what follows where CHECK of a step does not hold; kept: it goes no further. As with a constraint it does where
// ON_FAIL says CONTINUE, and where its SET has mended what was wrong.
func (m *machine) checked(step *dsl.Step) (out outcome, kept bool) {
	if step.OnFail == nil {
		return m.fail(checkFailed, step.Name), true
	}
	if out = m.then(step.OnFail); out != proceed {
		return out, true
	}
	if holds, _ := step.Check.Holds(m.scope()); holds || step.OnFail.Continue { // what cannot be computed was noticed
		return proceed, false
	}
	if m.delegated() {
		return m.fail(checkFailed, step.Name), true
	}
	m.s.Talk.Waits = sessions.Waiting{For: sessions.ForMessage}
	return stopped, true
}

// checkFailed is why a turn failed whose step has a CHECK that does not hold, and leads nowhere.
const checkFailed = "CHECK_FAILED"

// settle goes on behind what a part of a step has done.
func (m *machine) settle(out outcome, step *dsl.Step) outcome {
	if out == proceed {
		return m.next(step)
	}
	return out
}

// next leaves a step: to people, if it says so, and beyond it when they give the conversation back.
func (m *machine) next(step *dsl.Step) outcome {
	if step.Escalate != "" {
		return m.escalate(sessions.Escalated{By: sessions.ByStep, Queue: step.Escalate, Ends: step.End})
	}
	return m.beyond(step)
}

// beyond is where a step leads.
func (m *machine) beyond(step *dsl.Step) outcome {
	switch {
	case step.End:
		return m.complete(nil)
	case step.Next != "":
		m.jumped = step.Next
		return moved
	}
	m.s.Talk.Waits = sessions.Waiting{For: sessions.ForMessage}
	return stopped
}

// ask asks for a slot. A step that says something, and whose slot has no words of its own,
// has asked already.
func (m *machine) ask(step *dsl.Step, slot *dsl.Slot) (out outcome) {
	switch bySaying := asksBySaying(step, slot); {
	case bySaying && m.repeats == slot.Name:
		out = m.sayText(step.Say, step.Rich)
	case !bySaying:
		var rich []sessions.Element
		if step.Say.Empty() { // else it was shown with what the step says
			rich = m.beside(step, slot.Name)
		}
		out = m.say(m.label(slot.Prompt, slot.Name), rich)
	}
	return m.waitsFor(slot, out)
}

// waitsFor is where an agent stands that has asked for a slot, unless something kept it from asking that leads elsewhere.
func (m *machine) waitsFor(slot *dsl.Slot, out outcome) outcome {
	if out != proceed {
		return out
	}
	m.s.Talk.Waits = sessions.Waiting{For: sessions.ForSlot, Slot: slot.Name}
	return stopped
}

// asksBySaying is whether what a step says is the question for the slot.
func asksBySaying(step *dsl.Step, slot *dsl.Slot) bool {
	return !step.Say.Empty() && slot.Prompt.Empty() && len(step.Gather) > 0 && step.Gather[0] == slot.Name
}

// then carries out what happens next.
func (m *machine) then(t *dsl.Then) outcome {
	if out := m.sayText(t.Say, nil); out != proceed {
		return out
	}
	m.assign(t.Set)
	switch {
	case len(t.Ask) > 0:
		return m.askAgain(t.Ask)
	case t.Goto != "":
		m.jumped = t.Goto
		return moved
	case t.Handoff != "":
		return m.handOffTo(t.Handoff)
	case t.Escalate != "":
		return m.escalate(sessions.Escalated{By: sessions.ByThen, Queue: t.Escalate, Ends: t.End})
	case t.End:
		return m.complete(nil)
	case t.Stop:
		m.s.Talk.Waits = sessions.Waiting{For: sessions.ForMessage}
		return stopped
	}
	return proceed
}

// askAgain forgets slots and asks for the first of them.
func (m *machine) askAgain(names []string) outcome {
	p := m.program()
	gone := map[string]json.RawMessage{}
	for _, name := range names {
		if m.has(name) {
			gone[name] = json.RawMessage("null")
		}
	}
	if len(gone) > 0 {
		m.fill(p, gone)
	}
	slot := p.Slot(names[0])
	if slot == nil {
		return m.fail("UNKNOWN_SLOT", names[0])
	}
	return m.waitsFor(slot, m.say(m.label(slot.Prompt, slot.Name), nil))
}
