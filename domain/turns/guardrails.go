package turns

import "github.com/parley-platform/parley/domain/dsl"

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
		}
	}
	return text, against, nil
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
		return m.text(blocked.Message)
	}
	return left
}

func (m *machine) guarded(text string) dsl.Scope {
	s := m.scope()
	s["text"] = text
	return s
}
