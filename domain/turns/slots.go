package turns

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// fill gives slots of an agent their values.
func (m *machine) fill(p *dsl.Program, values map[string]json.RawMessage) {
	e := sessions.SlotsFilled{InTurn: m.in(), Agent: p.Agent, Values: values}
	for name := range values {
		if slot := p.Slot(name); slot != nil && slot.Sensitive {
			e.Sensitive = append(e.Sensitive, name)
		}
	}
	slices.Sort(e.Sensitive)
	m.emit(e)
}

// fitting is a value as the slot takes it from whoever gives it; nil: it would not take it from the
// user either, which is noticed, and the slot stays as it is.
func (m *machine) fitting(slot *dsl.Slot, v any, scope dsl.Scope) any {
	good, problem := slot.Take(v, scope)
	if problem != nil {
		m.notice("gather", slot.Name, "no value: "+problem.Code)
		return nil
	}
	return good
}

// checkSlots refuses values that a test brings which the user could not have given.
func (m *machine) checkSlots() error {
	p := m.program()
	m.Slots = maps.Clone(m.Slots) // they are the caller's, who may play them again
	for name, raw := range m.Slots {
		slot := p.Slot(name)
		if slot == nil {
			return fault.Field("testContext.gatherValues", "has %q, which is no slot of the agent %s", name, p.Agent)
		}
		v, problem := slot.Take(decoded(raw), m.scope())
		if problem != nil {
			return fault.Field("testContext.gatherValues", "has a value of %q that the agent would not take: %s", name, problem.Hint)
		}
		m.Slots[name] = encoded(v)
	}
	return nil
}

// take uses what the user said or chose; false: the agent asks once more, or goes no further.
func (m *machine) take() bool {
	waits := m.s.Talk.Waits
	if waits.For == sessions.ForSlot && m.pressedOld(m.current(), waits.Slot) {
		return m.takeOld(waits)
	}
	m.find(waits.Slot)
	switch waits.For {
	case sessions.ForSlot:
		return m.takeSlot(waits)
	case sessions.ForAction:
		return m.takeAction()
	case sessions.ForConfirm:
		return m.takeConfirm(waits)
	}
	return true
}

// find looks for values of slots that stand somewhere in what was said, but for the one
// that was asked for.
func (m *machine) find(asked string) {
	p := m.program()
	found := map[string]json.RawMessage{}
	for _, slot := range p.Slots {
		plainly := m.plain && slot.Extract == dsl.ExtractModel && slot.Formed()
		if slot.Extract != dsl.ExtractPattern && !plainly || slot.Name == asked || m.has(slot.Name) || m.heard == "" {
			continue
		}
		if v, problem := slot.Find(m.heard, m.s.Talk.Language, m.scope()); problem == nil {
			found[slot.Name] = encoded(v)
		}
	}
	if len(found) > 0 {
		m.learned = true
		waits := m.s.Talk.Waits
		m.fill(p, found)
		m.s.Talk.Waits = waits // what it waits for was not given by that
	}
}

func (m *machine) has(slot string) bool {
	_, ok := m.s.Talk.Slots[m.s.Talk.Agent][slot]
	return ok
}

// takeSlot reads the value of the slot that was asked for.
func (m *machine) takeSlot(waits sessions.Waiting) bool {
	p := m.program()
	slot, step := p.Slot(waits.Slot), p.Flow.Step(m.s.Talk.Step)
	if slot == nil || step == nil {
		return true
	}
	m.slotAsked = slot.Name
	v, problem := m.valueFor(slot)
	beside := m.besideSlot(step, slot, problem)
	switch {
	case beside != nil:
		m.acted, m.slotAsked = true, ""
		return m.then(&beside.Then) != stopped
	case problem == "":
		m.fill(p, map[string]json.RawMessage{slot.Name: encoded(v)})
		return true
	case slot.Default != nil:
		m.fill(p, map[string]json.RawMessage{slot.Name: encoded(slot.Default)})
		return true
	case !slot.Required:
		m.notice("gather", slot.Name, "no value: "+problem)
		return true
	case m.learnedOthers(problem):
		m.s.Talk.Waits, m.slotAsked, m.repeats = sessions.Waiting{}, "", slot.Name
		return true
	}
	m.notice("retry", slot.Name, problem)
	if waits.Tries+1 > slot.MaxRetries {
		return m.exhausted(step, slot.Name) != stopped
	}
	return m.askForSlot(step, slot, waits.Tries+1)
}

// askForSlot asks once more for the value of a slot; true: what follows goes on instead.
func (m *machine) askForSlot(step *dsl.Step, slot *dsl.Slot, tries int) bool {
	again := slot.RetryPrompt
	if again.Empty() {
		again = slot.Prompt
	}
	if again.Empty() && asksBySaying(step, slot) {
		again = step.Say
	}
	if out := m.say(m.label(again, slot.Name), m.beside(step, slot.Name)); out != proceed {
		return out != stopped
	}
	m.s.Talk.Waits = sessions.Waiting{For: sessions.ForSlot, Slot: slot.Name, Tries: tries}
	return false
}

// pressedOld is whether something was pressed that neither is of the slot that a step asks for, nor stands beside the question, nor
// was shown in the turn that asked.
func (m *machine) pressedOld(step *dsl.Step, slot string) bool {
	if m.Action == nil || !m.s.Talk.Running.Old || m.Action.ID == slot || step == nil {
		return false
	}
	return !slices.ContainsFunc(step.Rich, func(r *dsl.Rich) bool { return r.ID == m.Action.ID || r.Has(m.Action.ID) })
}

// takeOld asks once more behind such a press: it is no answer, not even a wrong one.
func (m *machine) takeOld(waits sessions.Waiting) bool {
	slot := m.program().Slot(waits.Slot)
	if slot == nil {
		return true
	}
	m.notice("ignored", "action", "it was shown before the question for "+slot.Name)
	return m.askForSlot(m.current(), slot, waits.Tries)
}

// besideSlot is what follows something that was pressed in place of a value of the slot; nil: nothing does. Words are for the
// slot alone.
func (m *machine) besideSlot(step *dsl.Step, slot *dsl.Slot, problem string) *dsl.OnAction {
	if m.Action == nil || m.Action.ID == slot.Name || problem == "" {
		return nil
	}
	return m.branchOf(step)
}

// said is the text that is read as a slot's value: what was chosen or filled in for it, else
// what was said.
func (m *machine) said(slot *dsl.Slot) string {
	if m.Action == nil || m.Action.ID != slot.Name && len(m.Action.Value) == 0 {
		return m.heard
	}
	m.acted = true
	switch v := decoded(m.Action.Value).(type) {
	case nil:
		return m.Action.ID
	case string:
		return v
	default:
		return strings.TrimSpace(string(encoded(v)))
	}
}

// exhausted is what follows when somebody has been asked for a value too often.
func (m *machine) exhausted(step *dsl.Step, slot string) outcome {
	then := cmp.Or(step.OnExhausted, step.Otherwise())
	if then == nil {
		return m.fail("RETRIES_EXHAUSTED", "no value of "+slot+" could be read")
	}
	m.s.Talk.Waits = sessions.Waiting{}
	return m.then(then)
}

// beside is the rich content of a step that belongs to a slot.
func (m *machine) beside(step *dsl.Step, slot string) []sessions.Element {
	for _, r := range step.Rich {
		if r.ID == slot {
			return m.elements([]*dsl.Rich{r})
		}
	}
	return nil
}

// takeAction finds what was chosen among what was shown, by its id, or by its label in words.
func (m *machine) takeAction() bool {
	step := m.program().Flow.Step(m.s.Talk.Step)
	if step == nil {
		return true
	}
	if branch := m.branchOf(step); branch != nil {
		m.acted = true
		return m.then(&branch.Then) != stopped
	}
	m.notice("ignored", "action", "nothing that was shown was chosen")
	if out := m.sayText(step.Say, step.Rich); out != proceed {
		return out != stopped
	}
	m.s.Talk.Waits = sessions.Waiting{For: sessions.ForAction}
	return false
}

// branchOf is what follows what was chosen; nil: nothing does. What follows an option goes before what follows its select,
// wherever they stand.
func (m *machine) branchOf(step *dsl.Step) *dsl.OnAction {
	chosen := m.Action
	if chosen == nil {
		chosen = m.typed(step)
	}
	if chosen == nil {
		return nil
	}
	value, _ := decoded(chosen.Value).(string)
	for _, r := range step.Rich {
		if own := step.Follows(value); own != nil && r.ID == chosen.ID && r.Has(value) {
			return own
		}
	}
	if named := step.Follows(chosen.ID); named != nil {
		return named
	}
	return step.Follows(value)
}

// named is what was shown that the user calls by its id or its label, and that something follows: of a select an
// option of it, or the select itself.
func (m *machine) named(step *dsl.Step) (r *dsl.Rich, option string) {
	words := strings.TrimSpace(m.heard)
	called := func(id string, label dsl.Text) bool {
		if strings.EqualFold(words, id) {
			return true
		}
		said, _ := label.Say(m.s.Talk.Language, m.scope()) // what is wrong with it was noticed when it was shown
		return !label.Empty() && strings.EqualFold(words, said)
	}
	for _, r := range step.Rich {
		own := step.Follows(r.ID) != nil
		for _, o := range r.Options {
			if (own || step.Follows(o.ID) != nil) && called(o.ID, o.Label) {
				return r, o.ID
			}
		}
		if own && called(r.ID, r.Label) {
			return r, ""
		}
	}
	return nil, ""
}

// typed is what the user's words choose of what a step shows, as it would be sent if it had been pressed; nil: nothing.
func (m *machine) typed(step *dsl.Step) *sessions.Chosen {
	if step == nil {
		return nil
	}
	r, option := m.named(step)
	switch {
	case r == nil:
		return nil
	case option != "":
		return &sessions.Chosen{ID: r.ID, Value: encoded(option)}
	case r.Value == nil:
		return &sessions.Chosen{ID: r.ID}
	}
	v, _ := r.Value.Eval(m.scope())
	return &sessions.Chosen{ID: r.ID, Value: encoded(v)}
}
