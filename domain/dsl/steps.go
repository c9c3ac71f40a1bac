package dsl

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

func (c *compiler) onStart(o *object) {
	if n := o.get("ON_START"); n != nil {
		s := c.object(n, "ON_START", "SAY", "SET", "CALL", "WITH", "AS", "RICH")
		c.p.OnStart = &Start{Place: s.place(), Call: c.call(s)}
		env := c.after(c.p.OnStart.Call)
		c.p.OnStart.Say, c.p.OnStart.Set, c.p.OnStart.Rich = c.text(s, "SAY", env), c.set(s, "SET", env), c.rich(s)
	}
}

// after is what is seen once a call of the same step has answered: its result too.
func (c *compiler) after(call *Call) *expr.Environment {
	if call == nil {
		return c.general
	}
	result := expr.Dyn
	if schema := c.results[call.Tool]; schema != nil {
		result = c.typeOf("result of "+call.Tool, schema.raw, 0)
	}
	return c.general.With(map[string]*expr.Type{"result": result})
}

var (
	bothKeys = []string{"MODE", "WHEN", "SAY", "RICH", "ON_ACTION", "GATHER", "SET", "BRANCH", "NEXT",
		"MAX_VISITS", "ON_EXHAUSTED", "ON_ERROR", "ESCALATE", "END"}
	sayKeys   = []string{"CALL", "WITH", "AS", "CHECK", "ON_FAIL", "DELEGATE"}
	modelKeys = []string{"GOAL", "TOOLS", "EXIT_WHEN", "MAX_TURNS"}
)

func (c *compiler) flow(o *object) {
	n := o.get("FLOW")
	if n == nil {
		return
	}
	f := c.object(n, "FLOW", "START", "STEPS")
	c.p.Flow = &Flow{Place: f.place()}
	f.missing("START", "is required: the first step")
	f.missing("STEPS", "is required")
	if start := f.get("START"); start != nil {
		c.p.Flow.Start = c.step(start, "FLOW.START")
	}
	for _, e := range f.entries("STEPS", MaxSteps, true) {
		c.p.Flow.Steps = append(c.p.Flow.Steps, c.oneStep(e))
	}
	if all := f.get("STEPS"); all != nil && len(all.Content) == 0 {
		c.at(all, "FLOW.STEPS", "empty", "is empty: a flow has at least one step")
	}
	c.unreachable()
}

func (c *compiler) oneStep(e entry) *Step {
	o := c.object(e.value, e.field, slices.Concat(bothKeys, sayKeys, modelKeys)...)
	s := &Step{Place: Place{e.key.Line, e.key.Column}, Name: e.name, ByModel: o.choice("MODE", "script", "script", "model") == "model",
		When: c.condition(o, "WHEN", c.general), Say: c.text(o, "SAY", c.general), Rich: c.rich(o), Gather: c.slots(o, "GATHER"),
		MaxVisits: o.integer("MAX_VISITS", 1, 100, 0), Escalate: o.text("ESCALATE"), End: o.boolean("END", false)}
	if next := o.get("NEXT"); next != nil {
		s.Next = c.step(next, under(o.field, "NEXT"))
	}
	if s.End && s.Next != "" {
		c.at(o.get("NEXT"), under(o.field, "NEXT"), "either", "comes after END: true, and is never reached")
	}
	c.modeOf(o, s)
	c.runs(o, s)
	s.Call = c.call(o)
	env := c.after(s.Call)
	s.Set, s.Check = c.set(o, "SET", env), c.condition(o, "CHECK", env)
	if s.Check == nil {
		o.foreign("belongs to CHECK", "ON_FAIL")
	}
	s.OnFail = c.then(o, "ON_FAIL", env)
	s.OnExhausted, s.OnError = c.then(o, "ON_EXHAUSTED", c.general), c.onError(o, s)
	c.branches(o, s, env)
	c.actions(o, s)
	return s
}

func (c *compiler) modeOf(o *object, s *Step) {
	if !s.ByModel {
		o.foreign("belongs to a step of MODE model", modelKeys...)
		return
	}
	o.foreign("does not belong to a step of MODE model", sayKeys...)
	o.missing("GOAL", "is required in a step of MODE model")
	s.Goal, s.ExitWhen, s.MaxTurns = c.text(o, "GOAL", c.general), c.condition(o, "EXIT_WHEN", c.general), o.integer("MAX_TURNS", 1, 50, 10)
	if o.has("TOOLS") {
		s.Tools = []string{}
	}
	for _, i := range o.list("TOOLS", MaxTools) {
		if c.p.Tool(i.node.Value) == nil {
			c.at(i.node, i.field, "unknown_tool", "%s", c.missingName("tool", i.node.Value, c.toolNames()))
		}
		s.Tools = append(s.Tools, i.node.Value)
	}
}

// runs reads DELEGATE of a step: a group, or the id of one.
func (c *compiler) runs(o *object, s *Step) {
	n := o.get("DELEGATE")
	if n == nil {
		return
	}
	var names []string
	if g := c.p.Group(n.Value); g != nil {
		s.Group, s.Delegate = g.Name, g.Delegates
	} else if d := c.p.Delegate(n.Value); d != nil {
		s.Delegate = []string{d.ID}
	} else {
		for _, d := range c.p.Delegates {
			names = append(names, d.ID)
		}
		for _, g := range c.p.Groups {
			names = append(names, g.Name)
		}
		c.at(n, under(o.field, "DELEGATE"), "unknown_delegate", "%s", c.missingName("delegate or group", n.Value, names))
	}
	if o.has("CALL") {
		c.at(n, under(o.field, "DELEGATE"), "either", "does not go with CALL: have two steps")
	}
	for _, id := range s.Delegate { // what a step runs is not the model's to start
		c.p.Delegate(id).Offered = false
	}
}

func (c *compiler) branches(o *object, s *Step, env *expr.Environment) {
	all := o.list("BRANCH", maxList)
	for k, i := range all {
		b := c.object(i.node, i.field, append([]string{"IF", "ELSE"}, thenKeys...)...)
		c.triesNothing(b)
		arm := Branch{If: c.condition(b, "IF", env), Then: c.thenOf(b, env)}
		switch otherwise := b.boolean("ELSE", false); {
		case b.has("IF") == otherwise:
			c.at(i.node, i.field, "either", "must have IF, or ELSE: true")
		case otherwise && k < len(all)-1:
			c.at(i.node, i.field, "order", "ELSE comes last")
		}
		s.Branch = append(s.Branch, arm)
	}
}

func (c *compiler) actions(o *object, s *Step) {
	var ids []string
	for _, r := range s.Rich {
		ids = append(ids, r.ID)
		for _, option := range r.Options {
			ids = append(ids, option.ID)
		}
	}
	for _, e := range o.entries("ON_ACTION", maxList, false) {
		if !slices.Contains(ids, e.name) {
			c.at(e.key, e.field, "unknown_action", "%s", c.missingName("button, select or input", e.name, ids))
		}
		s.OnAction = append(s.OnAction, OnAction{e.name, c.thenNode(e.value, e.field, c.general)})
	}
}

func (c *compiler) rich(o *object) []*Rich {
	var out []*Rich
	for _, i := range o.list("RICH", 20) {
		r := c.object(i.node, i.field, "KIND", "ID", "LABEL", "VALUE", "OPTIONS", "INPUT_TYPE", "REQUIRED")
		for _, key := range []string{"KIND", "ID", "LABEL"} {
			r.missing(key, "is required")
		}
		one := &Rich{Place: r.place(), Kind: RichKind(r.choice("KIND", "button", "button", "select", "input")), ID: r.text("ID"),
			Label: c.text(r, "LABEL", c.general), Required: r.boolean("REQUIRED", false),
			InputType: r.choice("INPUT_TYPE", "text", "text", "number", "date", "email", "tel", "password")}
		if v := r.get("VALUE"); v != nil {
			value := c.value(v, under(r.field, "VALUE"), c.general, asTemplates)
			one.Value = &value
		}
		for _, x := range c.options(r) {
			one.Options = append(one.Options, RichOption(x))
		}
		if one.Kind == RichSelect {
			r.missing("OPTIONS", "is required for a select")
		} else {
			r.foreign("belongs to a select", "OPTIONS")
		}
		if one.Kind != RichInput {
			r.foreign("belongs to an input", "INPUT_TYPE", "REQUIRED")
		}
		if slices.ContainsFunc(out, func(x *Rich) bool { return x.ID == one.ID }) && one.ID != "" {
			c.at(i.node, under(i.field, "ID"), "duplicate", "is already the id of another")
		}
		out = append(out, one)
	}
	return out
}

var thenKeys = []string{"RETRY", "SAY", "SET", "ASK", "GOTO", "NEXT", "HANDOFF", "ESCALATE", "END", "CONTINUE", "STOP"}

// withoutEffect warns of members that have no effect. It is no more than that: agents are deployed with them.
func (c *compiler) withoutEffect(o *object, code, hint string, keys ...string) {
	for i := 0; i < len(o.node.Content); i += 2 {
		if n := o.node.Content[i]; slices.Contains(keys, n.Value) {
			c.warnings = append(c.warnings, Problem{under(o.field, n.Value), n.Line, n.Column, code, hint})
		}
	}
}

func (c *compiler) triesNothing(o *object) {
	c.withoutEffect(o, "no_retry", "belongs to ON_ERROR of a step with CALL or DELEGATE, or of MODE model: nothing is tried again here",
		"RETRY")
}

// then is a member that says what happens next: a map, or the name of a step.
func (c *compiler) then(o *object, key string, env *expr.Environment) *Then {
	n := o.get(key)
	if n == nil {
		return nil
	}
	t := c.thenNode(n, under(o.field, key), env)
	return &t
}

func (c *compiler) thenNode(n *yaml.Node, field string, env *expr.Environment) Then {
	if n.Kind == yaml.ScalarNode {
		return Then{Place: Place{n.Line, n.Column}, Goto: c.step(n, field)}
	}
	o := c.object(n, field, thenKeys...)
	c.triesNothing(o)
	return c.thenOf(o, env)
}

// onError reads ON_ERROR of a step, which tries again what the step has others do.
func (c *compiler) onError(o *object, s *Step) *Then {
	n := o.get("ON_ERROR")
	if n == nil || n.Kind == yaml.ScalarNode || s.Call == nil && len(s.Delegate) == 0 && !s.ByModel {
		return c.then(o, "ON_ERROR", c.general)
	}
	t := c.thenOf(c.object(n, under(o.field, "ON_ERROR"), thenKeys...), c.general)
	return &t
}

func (c *compiler) thenOf(o *object, env *expr.Environment) Then {
	t := Then{Place: o.place(), Retry: o.integer("RETRY", 1, 5, 0), Say: c.text(o, "SAY", env), Set: c.set(o, "SET", env),
		Ask: c.slots(o, "ASK"), Handoff: o.text("HANDOFF"), Escalate: o.text("ESCALATE"), End: o.boolean("END", false),
		Continue: o.boolean("CONTINUE", false), Stop: o.boolean("STOP", false)}
	if o.node.Kind == yaml.MappingNode && len(o.node.Content) == 0 {
		o.at(o.node, o.field, "empty", "is empty: say what happens")
	}
	ways := 0
	for _, key := range []string{"GOTO", "NEXT"} {
		if n := o.get(key); n != nil {
			t.Goto = c.step(n, under(o.field, key))
			ways++
		}
	}
	for _, way := range []bool{t.Handoff != "", t.End || t.Escalate != "", t.Continue, t.Stop} {
		if way {
			ways++
		}
	}
	if ways > 1 {
		o.at(o.node, o.field, "either", "goes several ways: GOTO, NEXT, HANDOFF, ESCALATE, END, CONTINUE and STOP exclude each other")
	}
	if len(t.Ask) > 0 {
		c.withoutEffect(o, "asks_instead", "is not followed beside ASK, whose question ends the turn: leave out one of the two",
			"GOTO", "NEXT", "HANDOFF", "ESCALATE", "END", "CONTINUE")
	}
	if t.Handoff != "" && !c.handoffs[t.Handoff] {
		o.at(o.get("HANDOFF"), under(o.field, "HANDOFF"), "unknown_agent", "%s", c.missingName("agent in HANDOFF", t.Handoff,
			known(c.handoffs)))
	}
	return t
}
