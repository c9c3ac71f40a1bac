package turns

import "github.com/parley-platform/parley/domain/dsl"

// taken is what is put in place of a text, or of what a guardrail finds in it.
const taken = "[redacted]"

// guardedInput is the text as the guardrails leave it, before anything of it stands on the
// log, and the guardrail that blocks it.
func (m *machine) guardedInput(p *dsl.Program) (text string, blocked *dsl.Guardrail) {
	text = m.Text
	for _, g := range p.Guardrails {
		if g.On != "input" {
			continue
		}
		ok, err := g.Check.Holds(m.guarded(text))
		if ok && err == nil {
			continue
		}
		m.pending = append(m.pending, g.Name)
		switch g.Action {
		case dsl.Redact:
			text = g.Redacted(text, taken)
		case dsl.Block:
			return taken, g
		}
	}
	return text, nil
}

// replayNotices tells of the guardrails that had something against what was said, behind
// the message that it was said in.
func (m *machine) replayNotices() {
	for _, name := range m.pending {
		m.notice("guardrail", name, "input")
	}
	m.pending = nil
}

// guardedOutput is what may be said of a text.
func (m *machine) guardedOutput(text string) string {
	for _, g := range m.program().Guardrails {
		if g.On != "output" {
			continue
		}
		ok, err := g.Check.Holds(m.guarded(text))
		if ok && err == nil {
			continue
		}
		m.notice("guardrail", g.Name, "output")
		switch g.Action {
		case dsl.Redact:
			text = g.Redacted(text, taken)
		case dsl.Block:
			return m.text(g.Message)
		}
	}
	return text
}

func (m *machine) guarded(text string) dsl.Scope {
	s := m.scope()
	s["text"] = text
	return s
}
