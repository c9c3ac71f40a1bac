package turns

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/domain/sessions"
)

// taken is what is put in place of a text, or of what a guardrail finds in it.
const taken = "[redacted]"

// guard is a text on its way in or out as the guardrails leave it: which of them had something
// against it, and the one that blocks it. It tells nobody: what is said stands on the log
// before what was noticed of it.
func (m *machine) guard(on, text string) (left string, against []string, blocked *dsl.Guardrail) {
	for _, g := range m.program().Guardrails {
		if g.On != on {
			continue
		}
		if ok, err := g.Check.Holds(m.guarded(text)); ok && err == nil {
			continue
		}
		against = append(against, g.Name)
		switch g.Action {
		case dsl.Redact:
			text = g.Redacted(text, taken)
		case dsl.Block:
			return taken, against, g
		case dsl.EscalateGuard:
			return text, against, g // people see what it is about
		}
	}
	return text, against, nil
}

// guardInput takes what the user said and chose as the guardrails leave it, before anything of
// it stands on the log.
func (m *machine) guardInput() (against []string, blocked *dsl.Guardrail) {
	if j := m.Judged; j != nil {
		m.heard = m.Text
		return j.Against, m.guardrail(j.Blocked)
	}
	m.heard, against, blocked = m.guard("input", m.Text)
	if m.Action == nil || len(m.Action.Value) == 0 {
		return against, blocked
	}
	text := valueText(m.Action.Value)
	left, also, stops := m.guard("input", text)
	if left != text {
		m.Action = &sessions.Chosen{ID: m.Action.ID, Value: encoded(left)}
	}
	for _, name := range also {
		if !slices.Contains(against, name) {
			against = append(against, name)
		}
	}
	if blocked == nil {
		blocked = stops
	}
	return against, blocked
}

// guardrail is the one with a name; nil: none.
func (m *machine) guardrail(name string) *dsl.Guardrail {
	for _, g := range m.program().Guardrails {
		if g.Name == name {
			return g
		}
	}
	return nil
}

func nameOf(g *dsl.Guardrail) string {
	if g == nil {
		return ""
	}
	return g.Name
}

// valueText is what goes with a choice as a text: whatever is filled in comes this way. Of
// what is no text it is the JSON, plainly written, so that no spelling of it hides anything.
func valueText(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return string(raw)
	}
	if text, is := v.(string); is {
		return text
	}
	plain, err := plainjson.Of(v)
	if err != nil {
		return string(raw)
	}
	return string(plain)
}

// noticeGuards tells of the guardrails that had something against a text.
func (m *machine) noticeGuards(on string, against []string) {
	for _, name := range against {
		m.notice("guardrail", name, on)
	}
}

// guardedOutput is what may be said of a text.
func (m *machine) guardedOutput(text string) string {
	left, against, blocked := m.guard("output", text)
	m.noticeGuards("output", against)
	if blocked != nil {
		if blocked.Action == dsl.EscalateGuard {
			m.alarmed = blocked
		}
		return m.text(blocked.Message)
	}
	return left
}

func (m *machine) guarded(text string) dsl.Scope {
	s := m.scope()
	s["text"] = text
	return s
}
