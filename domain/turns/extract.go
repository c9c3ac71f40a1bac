package turns

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// sifted is what a model found in what the user said.
type sifted struct {
	found    map[string]json.RawMessage // values of slots, as they are kept
	invented map[string]string          // what is no value of its slot, and why
}

// notFound is why a slot has no value that a model was asked for.
const notFound = "not_found"

// extracts asks a model for the values that the user's message may hold; true: the turn waits
// for it. Where nobody can be asked, slots are read as with EXTRACT exact or pattern.
func (m *machine) extracts() bool {
	open := m.extractable()
	if len(open) == 0 || m.plain {
		return false
	}
	p := m.program()
	why, detail := m.spent()
	switch {
	case m.Try.Try == "":
		m.plain = true
		return false
	case why != "":
		m.plain = true
		m.notice(sessions.Budget, why, detail)
		return false
	case m.s.Talk.Running.Models >= p.Limits.ModelCalls:
		m.plain = true
		m.notice("limit", modelLimit, fmt.Sprintf("more than %d calls of a model in one turn", p.Limits.ModelCalls))
		return false
	}
	m.At = event.Stamp(m.At) // as the log has it, so that the same is asked again
	e := sessions.ModelAsked{InTurn: m.in(), CallID: m.nextCall(), Agent: p.Agent, Step: m.s.Talk.Step,
		Tier: p.Model.Tier, ModelID: p.Model.ID, Purpose: sessions.Extracts, Slots: open, Waits: m.s.Talk.Waits, Claimed: m.Try}
	if p.Model.ExtractTier != "" {
		e.Tier, e.ModelID = p.Model.ExtractTier, ""
	}
	e.Prompt = sumOf(m.extraction(e))
	m.asks = true
	m.emit(e)
	return true
}

// extractable are the slots that a model is asked for: open ones with EXTRACT: model, once in a
// turn, where no model leads that hears the message itself. What is a value of the slot that
// was asked for as it stands needs no model, and has no room for other values.
func (m *machine) extractable() (open []string) {
	p, waits := m.program(), m.s.Talk.Waits
	switch {
	case p.Flow == nil || m.Action != nil || strings.TrimSpace(m.heard) == "" && !m.hasFiles():
		return nil
	case waits.For == sessions.ForAction || waits.For == sessions.ForModel || slices.Contains(m.s.Talk.Running.Extracted, p.Agent):
		return nil
	}
	at := m.s.Talk.Step
	if at == "" {
		at = m.startAt()
	}
	if step := p.Flow.Step(at); step == nil || step.ByModel {
		return nil
	}
	if slot := p.Slot(waits.Slot); slot != nil && (slot.Extract == dsl.ExtractExact || slot.Extract == dsl.ExtractModel && slot.Formed()) {
		if _, problem := m.read(slot, m.heard); problem == "" {
			return nil
		}
	}
	for _, slot := range p.Slots {
		if slot.Extract == dsl.ExtractModel && !m.has(slot.Name) && (slot.AskWhen == nil || m.holds(slot.AskWhen)) {
			open = append(open, slot.Name)
		}
	}
	return open
}

// hasFiles is whether files came with the message that began the turn.
func (m *machine) hasFiles() bool {
	line := m.messageLine()
	return line != nil && len(line.Files) > 0
}

// extraction is what a model is asked that is to find values.
func (m *machine) extraction(of sessions.ModelAsked) completions.Request {
	p, members := m.program(), map[string]any{}
	for _, name := range of.Slots {
		members[name] = m.slotSchema(p.Slot(name))
	}
	brief := "Find values in what the user says, and call " + remember + " with them. Take only what was said; what was not said " +
		"is left out, and nothing is guessed.\nToday is " + of.At.UTC().Format(time.DateOnly) + ".\nThe user's language: " + m.s.Talk.Language
	if slot := p.Slot(of.Waits.Slot); slot != nil {
		brief += "\nThe user was asked for: " + slot.Name
	}
	messages := []completions.Message{{Role: completions.System, Text: brief}}
	lines := m.s.Talk.History
	for i := len(lines) - 1; i > 0; i-- {
		if lines[i].Agent != "" {
			continue
		}
		if before := lines[i-1]; before.Agent != "" && before.Text != "" {
			messages = append(messages, completions.Message{Role: completions.Assistant, Text: before.Text})
		}
		break
	}
	none := 0.0
	return completions.Request{ModelID: of.ModelID, Tier: of.Tier, Temperature: &none, MaxTokens: int64(p.Model.MaxTokens),
		Messages: append(messages, m.sifting()),
		Tools: []completions.Tool{{Name: remember, Parameters: encoded(object(members)),
			Description: "Keep the values that were found. What was not said is left out."}},
		ToolChoice: completions.OneTool, OnlyTool: remember}
}

// sifting is the message in which a model is to find values, with what is told of its files: a value may stand in one.
func (m *machine) sifting() completions.Message {
	out := completions.Message{Role: completions.User, Text: m.heard}
	line := m.messageLine()
	if line == nil {
		return out
	}
	if out.Text == "" {
		out.Text = line.Text
	}
	out.Text += m.filesTold(*line, true)
	out.Pictures = m.pictures([]sessions.Line{*line})[0]
	return out
}

// messageLine is the user's message that began the turn, as models see it; nil: none did.
func (m *machine) messageLine() *sessions.Line {
	lines, r := m.s.Talk.History, m.s.Talk.Running
	last := lastHeard(lines)
	if last < 0 || r.Greets || r.Behind != nil || lines[last].Text != cmp.Or(m.heard, sessions.OnlyFiles) {
		return nil
	}
	return &lines[last]
}

// learns goes on with the values that a model found, as if the user had just said them.
func (m *machine) learns(of sessions.ModelAsked, e sessions.ModelAnswered) {
	m.s.Talk.Waits = of.Waits
	args, answered := valuesOf(e)
	if !answered {
		m.plain = true
		m.notice("gather", "EXTRACT", "the model gave no values: they are read without it")
	} else {
		m.sift(of, args)
	}
	if m.take() {
		m.lead()
	}
}

// valuesOf are the values in an answer: those of the call that was wanted, or an object in words.
func valuesOf(e sessions.ModelAnswered) (map[string]any, bool) {
	if e.Failed != "" {
		return nil, false
	}
	for _, c := range e.ToolCalls {
		if c.Name == remember {
			return objectIn(c.Arguments)
		}
	}
	from, to := strings.IndexByte(e.Text, '{'), strings.LastIndexByte(e.Text, '}')
	if from < 0 || to < from {
		return nil, false
	}
	return objectIn(e.Text[from : to+1])
}

// sift keeps the values that the rules of their slots take.
func (m *machine) sift(of sessions.ModelAsked, args map[string]any) {
	for name, v := range args {
		if v == nil || v == "" { // so some say that there is none
			delete(args, name)
		}
	}
	found, refused := m.judge(args, of.Slots)
	m.sifted = &sifted{found, map[string]string{}}
	if len(found) > 0 {
		m.learned = true
		m.fill(m.program(), found)
		m.s.Talk.Waits = of.Waits // what it waits for is looked at next
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		if !slices.Contains(of.Slots, name) {
			m.notice("gather", "EXTRACT", "the model gave a value that nobody wanted")
			continue
		}
		m.sifted.invented[name] = refused[name].Code
		m.notice("gather", name, "the model gave what is no value: "+refused[name].Code)
	}
}

// judge takes values of slots as their rules do, and says which are none, and why.
func (m *machine) judge(args map[string]any, of []string) (found map[string]json.RawMessage, refused map[string]*dsl.SlotProblem) {
	found, refused = map[string]json.RawMessage{}, map[string]*dsl.SlotProblem{}
	p, scope := m.program(), m.scope()
	for name, said := range args {
		slot := p.Slot(name)
		if slot == nil || !slices.Contains(of, name) {
			refused[name] = &dsl.SlotProblem{Code: notFound, Hint: "there is no such value"}
			continue
		}
		v, problem := slot.Take(said, scope)
		if problem != nil {
			refused[name] = problem
			continue
		}
		found[name] = encoded(v)
	}
	return found, refused
}

// valueFor is the value of the slot that was asked for: as a model found it, or read without one
// where none was of help.
func (m *machine) valueFor(slot *dsl.Slot) (any, string) {
	if slot.Extract != dsl.ExtractModel || m.Action != nil {
		return m.read(slot, m.said(slot))
	}
	if m.sifted != nil && m.sifted.invented[slot.Name] == "" {
		if raw, found := m.sifted.found[slot.Name]; found {
			return decoded(raw), ""
		}
		return nil, notFound
	}
	v, problem := m.read(slot, m.heard)
	if problem != "" && slot.Formed() {
		if found, none := slot.Find(m.heard, m.s.Talk.Language, m.scope()); none == nil {
			return found, ""
		}
	}
	return v, problem
}

// learnedOthers is whether a model found other values than the one that was asked for, which
// then is asked for once more.
func (m *machine) learnedOthers(problem string) bool {
	return problem == notFound && m.sifted != nil && len(m.sifted.found) > 0
}
