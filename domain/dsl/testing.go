package dsl

import (
	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// tests reads TESTS, whose context is held to what the API takes: unknown tools, slots and
// steps are refused here as there.
func (c *compiler) tests(o *object) {
	seen := map[string]bool{}
	for _, i := range o.list("TESTS", maxList) {
		t := c.object(i.node, i.field, "NAME", "CONTEXT", "TURNS")
		t.missing("NAME", "is required")
		t.missing("TURNS", "is required: what the user says, and what is expected")
		one := &Test{Place: t.place(), Name: t.text("NAME"), Context: c.testContext(t)}
		if seen[one.Name] {
			c.at(i.node, under(i.field, "NAME"), "duplicate", "there is already a test %s", one.Name)
		}
		seen[one.Name] = true
		for _, k := range t.list("TURNS", maxList) {
			one.Turns = append(one.Turns, c.testTurn(k))
		}
		c.p.Tests = append(c.p.Tests, one)
	}
}

func (c *compiler) testContext(o *object) TestContext {
	n := o.get("CONTEXT")
	if n == nil {
		return TestContext{}
	}
	x := c.object(n, under(o.field, "CONTEXT"), "skipOnStart", "startAtStep", "gatherValues", "sessionVariables", "callerContext",
		"toolMocks")
	out := TestContext{SkipOnStart: x.boolean("skipOnStart", false), SessionVariables: c.constants(x, "sessionVariables"),
		CallerContext: c.constants(x, "callerContext"), GatherValues: c.slotValues(x, "gatherValues")}
	if step := x.get("startAtStep"); step != nil {
		out.StartAtStep = c.step(step, under(x.field, "startAtStep"))
	}
	for _, i := range x.list("toolMocks", 50) {
		out.ToolMocks = append(out.ToolMocks, c.mock(i))
	}
	return out
}

func (c *compiler) mock(i item) ToolMock {
	m := c.object(i.node, i.field, "tool", "when", "result", "error", "delayMs", "times")
	m.missing("tool", "is required")
	out := ToolMock{Tool: m.text("tool"), Error: m.text("error"),
		DelayMs: m.integer("delayMs", 0, 60_000, 0), Times: m.integer("times", 1, 1000, 0)}
	args := expr.Map(expr.String, expr.Dyn)
	if tool := c.p.Tool(out.Tool); tool == nil && out.Tool != "" {
		c.at(m.get("tool"), under(i.field, "tool"), "unknown_tool", "%s", c.missingName("tool", out.Tool, c.toolNames()))
	} else if tool != nil && tool.Params != nil {
		args = c.typeOf("arguments of "+tool.Name, tool.Params.raw, 0)
	}
	out.When = c.condition(m, "when", c.general.With(map[string]*expr.Type{"args": args}))
	if n := m.get("result"); n != nil {
		out.Result = c.constant(n, under(i.field, "result"))
	}
	if m.has("result") && m.has("error") {
		c.at(i.node, i.field, "either", "has result and error: take one of them away")
	}
	return out
}

func (c *compiler) constants(o *object, key string) map[string]any {
	var out map[string]any
	if n := o.get(key); n != nil {
		if n.Kind != yaml.MappingNode {
			c.at(n, under(o.field, key), "type", "must be a map")
			return nil
		}
		out, _ = c.constant(n, under(o.field, key)).(map[string]any)
	}
	return out
}

// slotValues are values by slot, each of which must be declared.
func (c *compiler) slotValues(o *object, key string) map[string]any {
	var names []string
	for _, s := range c.p.Slots {
		names = append(names, s.Name)
	}
	for _, e := range o.entries(key, maxList, false) {
		if c.p.Slot(e.name) == nil {
			c.at(e.key, e.field, "unknown_slot", "%s", c.missingName("slot", e.name, names))
		}
	}
	return c.constants(o, key)
}

func (c *compiler) testTurn(i item) TestTurn {
	t := c.object(i.node, i.field, "USER", "ACTION", "VALUE", "EXPECT")
	out := TestTurn{Place: t.place(), User: t.text("USER"), Action: t.text("ACTION")}
	if t.has("USER") == t.has("ACTION") {
		c.at(i.node, i.field, "either", "must have USER or ACTION: one of them")
	}
	if n := t.get("VALUE"); n != nil {
		out.Value = c.constant(n, under(i.field, "VALUE"))
	}
	n := t.get("EXPECT")
	if n == nil {
		return out
	}
	e := c.object(n, under(i.field, "EXPECT"), "SAY", "CONTAINS", "ACTION", "STEP", "AGENT", "MODEL_CALLS", "GATHERED", "SESSION", "TOOLS")
	out.Expect = Expect{Contains: e.texts("CONTAINS"), Action: e.choice("ACTION", "", "continue", "suspended", "escalated", "end"),
		Agent: e.text("AGENT"), Gathered: c.slotValues(e, "GATHERED"), Session: c.constants(e, "SESSION")}
	if e.has("SAY") {
		say := e.text("SAY")
		out.Expect.Say = &say
	}
	if step := e.get("STEP"); step != nil {
		out.Expect.Step = c.step(step, under(e.field, "STEP"))
	}
	if e.has("MODEL_CALLS") {
		calls := e.integer("MODEL_CALLS", 0, 100, 0)
		out.Expect.ModelCalls = &calls
	}
	for _, k := range e.list("TOOLS", maxList) {
		if c.p.Tool(k.node.Value) == nil {
			c.at(k.node, k.field, "unknown_tool", "%s", c.missingName("tool", k.node.Value, c.toolNames()))
		}
		out.Expect.Tools = append(out.Expect.Tools, k.node.Value)
	}
	return out
}
