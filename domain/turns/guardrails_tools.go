package turns

import (
	"encoding/json"
	"maps"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/domain/sessions"
)

// Guardrails of what goes to tools, and of what comes from them.
const (
	toolInput  = "tool_input"
	toolOutput = "tool_output"
)

// guardedOut is the code of a call that a guardrail keeps from being made, or whose result it
// keeps back.
const guardedOut = "GUARDRAIL"

// guardValue is a value as the guardrails leave it: its JSON is the text that they look at. One
// that redacts does so in each text and number of it; if the whole does not pass after that, it
// blocks. It tells nobody.
func (m *machine) guardValue(on string, v any) (left any, against []string, blocked bool) {
	for _, g := range m.program().Guardrails {
		if g.On != on || m.passes(g, plain(v)) {
			continue
		}
		against = append(against, g.Name)
		switch g.Action {
		case dsl.Redact:
			if v = m.redacted(g, v); !m.passes(g, plain(v)) {
				return nil, against, true
			}
		case dsl.Block, dsl.EscalateGuard:
			return nil, against, true
		}
	}
	return v, against, false
}

// passes is whether a guardrail has nothing against a text; a check that cannot be computed has.
func (m *machine) passes(g *dsl.Guardrail, text string) bool {
	ok, err := g.Check.Holds(m.guarded(text))
	return ok && err == nil
}

// redacted is a value without what a guardrail takes out. The names of members stay.
func (m *machine) redacted(g *dsl.Guardrail, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[name] = m.redacted(g, x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = m.redacted(g, x)
		}
		return out
	case nil, bool:
		return v
	}
	text, is := v.(string)
	if !is {
		text = plain(v)
	}
	if m.passes(g, text) {
		return v
	}
	if left := g.Redacted(text, taken); left != text {
		return left
	}
	return v
}

// plain is a value as guardrails look at it; empty: it has no JSON.
func plain(v any) string {
	text, _ := plainjson.Of(v)
	return string(text)
}

// guardArguments are the arguments that a tool is called with; why is the code of a call that is
// not made because of them.
func (m *machine) guardArguments(tool *dsl.Tool, args map[string]any) (left map[string]any, against []string, why string) {
	if !m.program().Guards(toolInput) {
		return args, nil, ""
	}
	v, against, blocked := m.guardValue(toolInput, asJSON(args))
	if blocked {
		return nil, against, guardedOut
	}
	left, _ = v.(map[string]any)
	if len(against) > 0 && tool.Params.Check(left) != nil {
		return nil, against, badArguments
	}
	return left, against, ""
}

// guardResult is the end of a call with what its result may be.
func (m *machine) guardResult(e sessions.CallEnded) (sessions.CallEnded, []string) {
	if !m.program().Guards(toolOutput) {
		return e, nil
	}
	var against []string
	if e.Problem != "" {
		e.Problem, against, _ = m.guard(toolOutput, e.Problem)
	}
	if e.Outcome != sessions.CallOK || len(e.Result) == 0 {
		return e, against
	}
	left, also, blocked := m.guardValue(toolOutput, decoded(e.Result))
	switch {
	case blocked:
		e.Outcome, e.Code, e.Result = sessions.CallFailed, guardedOut, nil
	case plain(left) != plain(decoded(e.Result)): // else it stays as it was written
		e.Result = json.RawMessage(plain(left))
	}
	return e, append(against, also...)
}

// asJSON are arguments as JSON has them.
func asJSON(args map[string]any) any {
	out := decoded(encoded(maps.Clone(args)))
	if out == nil {
		return map[string]any{}
	}
	return out
}
