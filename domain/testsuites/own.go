package testsuites

import (
	"encoding/json"

	"github.com/parley-platform/parley/domain/dsl"
)

// Own are the TESTS of an agent's source as cases.
func Own(p *dsl.Program) []Case {
	var out []Case
	for _, t := range p.Tests {
		c := Case{Name: t.Name, Context: Context{SkipOnStart: t.Context.SkipOnStart, StartAtStep: t.Context.StartAtStep,
			GatherValues: encoded(t.Context.GatherValues), SessionVariables: encoded(t.Context.SessionVariables),
			CallerContext: encoded(t.Context.CallerContext)}}
		for _, m := range t.Context.ToolMocks {
			c.Context.ToolMocks = append(c.Context.ToolMocks, ownMock(m))
		}
		for _, turn := range t.Turns {
			c.Turns = append(c.Turns, Turn{User: turn.User, Action: turn.Action, Value: raw(turn.Value), Expect: ownExpect(turn.Expect)})
		}
		out = append(out, c)
	}
	return out
}

func ownMock(m dsl.ToolMock) Mock {
	out := Mock{Tool: m.Tool, Result: raw(m.Result), Error: m.Error, DelayMs: m.DelayMs, Times: m.Times}
	if m.When != nil {
		out.When = m.When.String()
	}
	return out
}

// ownExpect is nil for an expectation that says nothing.
func ownExpect(e dsl.Expect) *Expect {
	out := Expect{Say: e.Say, Contains: e.Contains, Action: e.Action, Step: e.Step, Agent: e.Agent, ModelCalls: e.ModelCalls,
		Gathered: encoded(e.Gathered), Session: encoded(e.Session), Tools: e.Tools}
	if out.empty() {
		return nil
	}
	return &out
}

// raw is a constant of a source as JSON; nil: none was written.
func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	data, _ := json.Marshal(v) // constants of sources are JSON
	return data
}

func encoded(values map[string]any) map[string]json.RawMessage {
	if len(values) == 0 {
		return nil
	}
	out := make(map[string]json.RawMessage, len(values))
	for name, v := range values {
		out[name], _ = json.Marshal(v) // as above; null is a value here
	}
	return out
}
