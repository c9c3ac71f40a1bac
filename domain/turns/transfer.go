package turns

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// rules are what stands above the flow, in each turn: constraints, then what escalates, then
// handoffs.
func (m *machine) rules() outcome {
	p := m.program()
	for _, c := range p.Constraints {
		if c.Before != "" {
			continue
		}
		if out, kept := m.constrain(c); kept {
			return m.halt(c, out)
		}
	}
	if out := m.raises(); out != proceed {
		return out
	}
	for i, h := range p.Handoffs {
		if h.When != nil && h.To != m.back && m.holds(h.When) {
			return m.handOff(i, h)
		}
	}
	return proceed
}

// hinders is whether a constraint does not hold that is more than a warning. That it does not is
// noticed.
func (m *machine) hinders(c *dsl.Constraint) bool {
	broken, err := c.Broken(m.scope())
	m.noticeError(err)
	if broken {
		m.emit(sessions.Noticed{InTurn: m.in(), Kind: sessions.ConstraintBroken, Agent: m.s.Talk.Agent, Step: m.s.Talk.Step, What: string(c.Kind),
			Detail: c.Check.String(), Before: c.Before})
	}
	return broken && c.Kind != dsl.Warn
}

// constrain is what a constraint leads to; kept: what it stands before does not happen. It does where the constraint
// holds, where ON_FAIL says CONTINUE, and where its SET has mended what was wrong.
func (m *machine) constrain(c *dsl.Constraint) (out outcome, kept bool) {
	if !m.hinders(c) {
		return proceed, false
	}
	if c.OnFail == nil {
		return proceed, true
	}
	if out = m.then(c.OnFail); out != proceed {
		return out, true
	}
	broken, _ := c.Broken(m.scope()) // what cannot be computed was noticed
	return proceed, broken && !c.OnFail.Continue
}

// halt is where an agent stands that a constraint keeps from going on: it waits, unless that led elsewhere.
func (m *machine) halt(c *dsl.Constraint, out outcome) outcome {
	switch {
	case out != proceed:
		return out
	case m.delegated():
		return m.fail(notAllowed, c.Check.String())
	}
	m.s.Talk.Waits = sessions.Waiting{For: sessions.ForMessage}
	return stopped
}

// barred is whether a constraint keeps a text from being said, and where that leads. What its own ON_FAIL says is said.
func (m *machine) barred() (out outcome, is bool) {
	if m.barring {
		return proceed, false
	}
	m.barring = true
	defer func() { m.barring = false }()
	for _, c := range m.program().Constraints {
		if c.Before != dsl.BeforeReply {
			continue
		}
		if out, is = m.constrain(c); is {
			return out, true
		}
	}
	return proceed, false
}

// handOffTo hands over to an agent by its name, by the handoff to it.
func (m *machine) handOffTo(agent string) outcome {
	for i, h := range m.program().Handoffs {
		if h.To == agent {
			return m.handOff(i, h)
		}
	}
	return m.fail("UNKNOWN_AGENT", agent)
}

// handOff gives the conversation to another agent, with what its CONTEXT passes: values of
// slots fill slots of the same names.
func (m *machine) handOff(index int, h *dsl.Handoff) outcome {
	p := m.program()
	if m.transfers++; m.transfers > p.Limits.Transfers {
		return m.fail("TRANSFER_LIMIT", fmt.Sprintf("more than %d handoffs in one turn", p.Limits.Transfers))
	}
	to := m.Programs[h.To]
	if to == nil {
		return m.fail("UNKNOWN_AGENT", h.To)
	}
	passed := map[string]any{}
	for _, a := range h.Pass {
		v, err := a.Value.Eval(m.scope())
		m.noticeError(err)
		if name := lastOf(a.Name); err == nil && v != nil && to.Slot(name) != nil {
			passed[name] = v
		}
	}
	e := sessions.HandedOff{InTurn: m.in(), From: p.Agent, To: to.Agent, Index: index, Returns: h.Return, Why: m.text(h.Reason),
		Summary: m.summary(h), Stores: h.Memory}
	if h.History != dsl.All {
		most := h.History
		e.History = &most
	}
	m.emit(e)
	m.slotAsked, m.jumped = "", ""
	m.receive(to, passed)
	return moved
}

// unmended are failures behind which nobody goes on in the turn.
var unmended = []string{turnTimeout, budgetExceeded, costLimit}

// recovers gives the conversation back to who handed it over, where the other has failed before it said anything, and goes on
// as ON_FAIL of the handoff says; false: there is none.
func (m *machine) recovers() bool {
	h := m.s.Talk.Running.Handed
	if h == nil || m.failed == "" || m.asks || slices.Contains(unmended, m.failed) {
		return false
	}
	p := m.Programs[h.Agent]
	if p == nil || h.Index >= len(p.Handoffs) || p.Handoffs[h.Index].OnFail == nil {
		return false
	}
	back := sessions.HandedBack{InTurn: m.in(), From: m.s.Talk.Agent, To: h.Agent, Failed: m.failed}
	m.emit(back)
	m.failed, m.slotAsked, m.jumped, m.back = "", "", "", back.From
	out := m.then(p.Handoffs[h.Index].OnFail)
	if out == proceed {
		m.s.Talk.Waits, out = sessions.Waiting{For: sessions.ForMessage}, stopped
	}
	m.goesOn(h.Agent, out)
	return true
}

// receive fills slots of the agent who has the conversation now, with what it takes of what was
// passed: the rest it asks for.
func (m *machine) receive(p *dsl.Program, passed map[string]any) {
	taken, scope, gathered := map[string]json.RawMessage{}, m.scope(), m.gathered()
	scope["gather"] = gathered
	for _, slot := range p.Slots {
		if v, given := passed[slot.Name]; given {
			if v = m.fitting(slot, v, scope); v != nil {
				taken[slot.Name], gathered[slot.Name] = encoded(v), v // VALIDATE of the next may look at it
			}
		}
	}
	if len(taken) > 0 {
		m.fill(p, taken)
	}
}

// summary is what the other agent is told in place of, or beside, what was said before, as the
// guardrails of a handoff leave it.
func (m *machine) summary(h *dsl.Handoff) string {
	if h.Summary.Empty() {
		return ""
	}
	text := m.text(h.Summary)
	if utf8.RuneCountInString(text) > longestSaid {
		text = string([]rune(text)[:longestSaid])
		m.notice("limit", "TEXT", "a summary was cut")
	}
	text, against, blocked := m.guard("handoff", text)
	m.noticeGuards("handoff", against)
	if blocked != nil {
		return ""
	}
	return text
}

// lastOf is what a path ends with: email of gather.email.
func lastOf(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[i+1:]
		}
	}
	return path
}

// completes ends the agent's work where a COMPLETE holds.
func (m *machine) completes() outcome {
	if c := m.completing(); c != nil {
		return m.complete(c)
	}
	return proceed
}

// completing is the first COMPLETE that holds; nil: none does.
func (m *machine) completing() *dsl.Complete {
	for _, c := range m.program().Completes {
		if m.holds(c.When) {
			return c
		}
	}
	return nil
}

// complete ends the work of the agent who is at it: whoever handed it the conversation has
// it back, else the session has ended.
func (m *machine) complete(c *dsl.Complete) outcome {
	result := map[string]any{}
	if c == nil && m.delegated() { // what it was asked for is the result wherever its flow ends
		c = m.completing()
	}
	if c != nil {
		if out := m.sayText(c.Say, nil); out != proceed {
			return out
		}
		result = m.resultOf(c)
	}
	t := m.s.Talk
	if c == nil && len(t.Frames) > 0 { // as for a delegate, but END has said what there is to say
		if holds := m.completing(); holds != nil {
			result = m.resultOf(holds)
		}
	}
	if len(t.Frames) == 0 && !m.delegated() && t.Running.Unsaid { // nobody is left without having been told anything
		m.s.Talk.Waits = sessions.Waiting{For: sessions.ForMessage}
		return stopped
	}
	if len(t.Frames) == 0 {
		m.ended, m.yields = true, result
		return stopped
	}
	frame := t.Frames[len(t.Frames)-1]
	back := sessions.HandedBack{InTurn: m.in(), From: t.Agent, To: frame.Agent}
	for name, v := range result {
		if raw := encoded(v); raw != nil {
			if back.Result == nil {
				back.Result = map[string]json.RawMessage{}
			}
			back.Result[name] = raw
		}
	}
	m.emit(back)
	m.slotAsked, m.jumped, m.back = "", "", back.From
	return m.resume(frame, result)
}

// resultOf is what RESULT gives: a member that cannot be computed is left out, as one of SET is.
func (m *machine) resultOf(c *dsl.Complete) map[string]any {
	result := map[string]any{}
	for _, a := range c.Result {
		if v, err := a.Value.Eval(m.scope()); err != nil {
			m.noticeError(err)
		} else {
			result[a.Name] = v
		}
	}
	return result
}

// resume is what an agent does that has the conversation again.
func (m *machine) resume(frame sessions.Frame, result map[string]any) outcome {
	p := m.program()
	if frame.Index >= len(p.Handoffs) || p.Handoffs[frame.Index].OnReturn == nil {
		return moved
	}
	then := p.Handoffs[frame.Index].OnReturn
	m.with(result, func() { m.assign(then.Set) })
	m.jumped = then.Next
	return moved
}
