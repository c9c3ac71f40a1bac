package dsl

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

func (c *compiler) handoff(o *object) {
	for _, i := range o.list("HANDOFF", MaxHandoffs) {
		h := c.object(i.node, i.field, "TO", "WHEN", "INTENT", "PRIORITY", "REASON", "CONTEXT", "RETURN", "ON_RETURN", "ON_FAIL")
		h.missing("TO", "is required: the agent's name")
		out := &Handoff{Place: h.place(), To: c.other(h, "TO"), When: c.condition(h, "WHEN", c.general), Intent: h.text("INTENT"),
			Priority: h.integer("PRIORITY", 0, 1000, 0), Reason: c.text(h, "REASON", c.general), Return: h.boolean("RETURN", false),
			OnFail: c.then(h, "ON_FAIL", c.general), History: All}
		out.Offered = !h.has("WHEN")
		c.context(h, out)
		c.onReturn(h, out)
		c.p.Handoffs = append(c.p.Handoffs, out)
	}
	slices.SortStableFunc(c.p.Handoffs, func(a, b *Handoff) int { return b.Priority - a.Priority })
}

// other is a member that names another agent, which this one is not.
func (c *compiler) other(o *object, key string) string {
	name := o.text(key)
	if name != "" && name == c.p.Agent {
		o.at(o.get(key), under(o.field, key), "itself", "an agent cannot give work to itself")
	}
	return name
}

func (c *compiler) context(o *object, h *Handoff) {
	n := o.get("CONTEXT")
	if n == nil {
		return
	}
	x := c.object(n, under(o.field, "CONTEXT"), "PASS", "SUMMARY", "HISTORY", "MEMORY")
	h.Pass, h.Summary = c.pass(x, "PASS"), c.text(x, "SUMMARY", c.general)
	for _, name := range x.texts("MEMORY") {
		if c.p.Store(name) == nil {
			x.at(x.get("MEMORY"), under(x.field, "MEMORY"), "unknown_store", "there is no store %s in MEMORY", name)
		}
		h.Memory = append(h.Memory, name)
	}
	if v := x.get("HISTORY"); v != nil {
		switch count, err := strconv.Atoi(v.Value); {
		case v.Value == "none":
			h.History = 0
		case v.Value == "all":
		case err == nil && count >= 1 && count <= 100:
			h.History = count
		default:
			x.at(v, under(x.field, "HISTORY"), "choice", "must be none, all, or a number of messages from 1 to 100")
		}
	}
}

// pass is a list of what goes along: each a path such as gather.email, which is its name too.
func (c *compiler) pass(o *object, key string) []Argument {
	var out []Argument
	for _, i := range o.list(key, maxList) {
		if i.node.Kind != yaml.ScalarNode || !targetForm.MatchString(i.node.Value) {
			c.at(i.node, i.field, "path", "must be a path such as gather.email or session.customer_id")
			continue
		}
		out = append(out, Argument{i.node.Value, c.value(i.node, i.field, c.general, asExpressions)})
	}
	return out
}

func (c *compiler) onReturn(o *object, h *Handoff) {
	n := o.get("ON_RETURN")
	if n == nil {
		return
	}
	if !h.Return {
		o.foreign("belongs to RETURN: true", "ON_RETURN")
	}
	r := c.object(n, under(o.field, "ON_RETURN"), "SET", "NEXT")
	env := c.general.With(map[string]*expr.Type{"result": expr.Map(expr.String, expr.Dyn)})
	h.OnReturn = &OnReturn{Set: c.set(r, "SET", env)}
	if next := r.get("NEXT"); next != nil {
		h.OnReturn.Next = c.step(next, under(r.field, "NEXT"))
	}
}

func (c *compiler) delegates(o *object) {
	for _, i := range o.list("DELEGATE", MaxDelegates) {
		d := c.object(i.node, i.field, "ID", "GROUP", "AGENT", "WHEN", "PURPOSE", "INPUT", "RETURNS", "TIMEOUT", "ON_FAIL")
		d.missing("AGENT", "is required: the agent's name")
		out := &Delegate{Place: d.place(), ID: d.named("ID"), Group: d.named("GROUP"), Agent: c.other(d, "AGENT"),
			When: c.condition(d, "WHEN", c.general), Purpose: c.text(d, "PURPOSE", c.general),
			Input:   c.arguments(d, "INPUT", c.general, asExpressions),
			Timeout: d.duration("TIMEOUT", 100*time.Millisecond, 5*time.Minute, 30*time.Second)}
		if out.ID == "" {
			out.ID = out.Agent
		}
		if c.p.Delegate(out.ID) != nil {
			c.at(i.node, under(i.field, "ID"), "duplicate", "there is already a delegate %s: give this one an ID of its own", out.ID)
		}
		out.Offered = !d.has("WHEN")
		c.returns(d, out)
		c.failing(d, out)
		c.p.Delegates = append(c.p.Delegates, out)
	}
}

func (c *compiler) returns(o *object, d *Delegate) {
	for _, e := range o.entries("RETURNS", maxList, false) {
		t, ok := c.target(e.value, e.field)
		if !ok {
			continue
		}
		for _, other := range append(slices.Clone(c.p.Delegates), d) {
			if other != d && (d.Group == "" || other.Group != d.Group) {
				continue
			}
			for _, r := range other.Returns {
				if r.Target.overlaps(t) {
					c.at(e.value, e.field, "same_variable", "%s is already returned by delegate %s, which runs at once", t, other.ID)
				}
			}
		}
		d.Returns = append(d.Returns, Return{e.name, t})
	}
}

func (c *compiler) failing(o *object, d *Delegate) {
	n := o.get("ON_FAIL")
	if n == nil {
		return
	}
	if n.Kind == yaml.MappingNode {
		d.Retry = c.object(n, under(o.field, "ON_FAIL"), "RETRY").integer("RETRY", 1, 5, 1)
		return
	}
	d.Continue = o.choice("ON_FAIL", "stop", "stop", "continue") == "continue"
}

// Figures of a group that FAN_OUT says nothing of.
const (
	groupTimeout = 60 * time.Second
	mostParallel = 8
)

func (c *compiler) fanOut(o *object) {
	for _, d := range c.p.Delegates {
		if d.Group == "" {
			continue
		}
		g := c.p.Group(d.Group)
		if g == nil {
			g = &Group{Place: d.Place, Name: d.Group, Join: All, Timeout: groupTimeout, MaxParallel: mostParallel}
			c.p.Groups = append(c.p.Groups, g)
		}
		g.Delegates = append(g.Delegates, d.ID)
	}
	for _, e := range o.entries("FAN_OUT", MaxDelegates, true) {
		f := c.object(e.value, e.field, "JOIN", "TIMEOUT", "MAX_PARALLEL")
		g := c.p.Group(e.name)
		if g == nil {
			c.at(e.key, e.field, "unknown_group", "no DELEGATE is of group %s", e.name)
			continue
		}
		g.Place = Place{e.key.Line, e.key.Column}
		g.Timeout = f.duration("TIMEOUT", 100*time.Millisecond, 5*time.Minute, groupTimeout)
		g.MaxParallel = f.integer("MAX_PARALLEL", 1, mostParallel, mostParallel)
		if n := f.get("JOIN"); n != nil && n.Value != "all" {
			count, err := strconv.Atoi(n.Value)
			if n.Value == "any" {
				count, err = 1, nil
			}
			if g.Join = count; err != nil || count < 1 || count > len(g.Delegates) {
				c.at(n, under(e.field, "JOIN"), "choice", "must be all, any, or a number from 1 to %d, as many as the group has",
					len(g.Delegates))
			}
		}
	}
}

func (c *compiler) escalates(o *object) {
	for _, i := range o.list("ESCALATE", maxList) {
		e := c.object(i.node, i.field, "WHEN", "QUEUE", "PRIORITY", "REASON", "SKILLS", "CONTEXT", "ON_FAIL")
		e.missing("QUEUE", "is required: the queue of the people")
		c.p.Escalates = append(c.p.Escalates, &Escalate{Place: e.place(), When: c.condition(e, "WHEN", c.general), Offered: !e.has("WHEN"),
			Queue: e.text("QUEUE"), Priority: e.choice("PRIORITY", "normal", "low", "normal", "high", "urgent"),
			Reason: c.text(e, "REASON", c.general), Skills: e.texts("SKILLS"), OnFail: c.then(e, "ON_FAIL", c.general),
			Context: c.arguments(e, "CONTEXT", c.general, asExpressions)})
	}
}

func (c *compiler) completes(o *object) {
	for _, i := range o.list("COMPLETE", maxList) {
		x := c.object(i.node, i.field, "WHEN", "SAY", "RESULT")
		x.missing("WHEN", "is required: a condition; one that always holds would end each conversation at once")
		c.p.Completes = append(c.p.Completes, &Complete{Place: x.place(), When: c.condition(x, "WHEN", c.general),
			Say: c.text(x, "SAY", c.general), Result: c.arguments(x, "RESULT", c.general, asTemplates)})
	}
}

func (c *compiler) constraints(o *object) {
	for _, i := range o.list("CONSTRAINTS", maxList) {
		x := c.object(i.node, i.field, "REQUIRE", "FORBID", "WARN", "WHEN", "BEFORE", "ON_FAIL")
		out := &Constraint{Place: x.place(), When: c.condition(x, "WHEN", c.general), OnFail: c.then(x, "ON_FAIL", c.general)}
		found := 0
		for _, kind := range []string{"REQUIRE", "FORBID", "WARN"} {
			if x.has(kind) {
				found++
				out.Kind = map[string]ConstraintKind{"REQUIRE": Require, "FORBID": Forbid, "WARN": Warn}[kind]
				out.Check = c.condition(x, kind, c.general)
			}
		}
		if found != 1 {
			c.at(i.node, i.field, "either", "has %d of REQUIRE, FORBID and WARN: one is needed", found)
		}
		c.before(x, out)
		c.p.Constraints = append(c.p.Constraints, out)
	}
}

func (c *compiler) before(o *object, out *Constraint) {
	out.Before = o.text("BEFORE")
	if out.Before == "" || out.Before == BeforeReply {
		return
	}
	for _, name := range c.toolNames() {
		if out.Before == "call:"+name {
			return
		}
	}
	o.at(o.get("BEFORE"), under(o.field, "BEFORE"), "unknown_tool", "must be reply, or call:<tool> of a tool in TOOLS")
}

func (c *compiler) guardrails(o *object) {
	env := c.general.With(map[string]*expr.Type{"text": expr.String})
	for _, e := range o.entries("GUARDRAILS", maxList, true) {
		g := c.object(e.value, e.field, "ON", "CHECK", "ACTION", "MESSAGE", "QUEUE", "PATTERN")
		for _, key := range []string{"ON", "CHECK", "ACTION"} {
			g.missing(key, fmt.Sprintf("is required: a guardrail has ON, CHECK and ACTION, and %s is not there", key))
		}
		out := &Guardrail{Place: Place{e.key.Line, e.key.Column}, Name: e.name,
			On:    g.choice("ON", "input", "input", "output", "tool_input", "tool_output", "handoff"),
			Check: c.condition(g, "CHECK", env), Message: c.text(g, "MESSAGE", c.general), Queue: g.text("QUEUE"),
			Pattern: c.pattern(g, "PATTERN"),
			Action:  GuardrailAction(g.choice("ACTION", "block", "block", "redact", "warn", "escalate"))}
		if out.Action == EscalateGuard && !g.has("QUEUE") && len(c.p.Escalates) == 0 {
			c.at(e.key, e.field, "required", "escalates: name a QUEUE, or have an ESCALATE")
		}
		c.p.Guardrails = append(c.p.Guardrails, out)
	}
}
