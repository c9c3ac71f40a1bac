package dsl

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// namesOfSteps and namesOfHandoffs are read before all else, because what stands above
// names them.
func (c *compiler) namesOfSteps(o *object) map[string]bool {
	all := map[string]bool{}
	for _, n := range keys(child(child(o.node, "FLOW"), "STEPS")) {
		all[n] = true
	}
	return all
}

func (c *compiler) namesOfHandoffs(o *object) map[string]bool {
	all := map[string]bool{}
	if list := child(o.node, "HANDOFF"); list != nil && list.Kind == yaml.SequenceNode {
		for _, n := range list.Content {
			if to := child(n, "TO"); to != nil {
				all[to.Value] = true
			}
		}
	}
	return all
}

func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func keys(n *yaml.Node) []string {
	var all []string
	if n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			all = append(all, n.Content[i].Value)
		}
	}
	return all
}

// environment declares what expressions see everywhere: gather with its slots, memory with
// its stores, the turn; session and caller are open.
func (c *compiler) environment(o *object) {
	c.general = expr.NewEnvironment()
	c.p.general = c.general
	slots := map[string]*expr.Type{}
	if all := child(o.node, "GATHER"); all != nil {
		for _, name := range keys(all) {
			slots[name] = expr.String
			if t := child(child(all, name), "TYPE"); t != nil {
				slots[name] = slotType(SlotType(t.Value))
			}
		}
	}
	stores := map[string]*expr.Type{}
	all := child(o.node, "MEMORY")
	for _, name := range keys(all) {
		stores[name] = expr.Map(expr.String, expr.Dyn)
		if schema := child(child(all, name), "SCHEMA"); schema != nil {
			stores[name] = c.typeOf("memory "+name, (&compiler{reader: &reader{}}).constant(schema, ""), 0)
		}
	}
	c.general.Declare("gather", c.general.Record("gather slots", slots))
	c.general.Declare("memory", c.general.Record("memory stores", stores))
	c.general.Declare("session", expr.Map(expr.String, expr.Dyn))
	c.general.Declare("caller", expr.Map(expr.String, expr.Dyn))
	c.general.Declare("context", expr.Map(expr.String, expr.Dyn))
	c.general.Declare("turn", c.general.Record("this turn", map[string]*expr.Type{"text": expr.String, "language": expr.String,
		"number": expr.Int, "channel": expr.String, "action": expr.String, "value": expr.Dyn, "metadata": expr.Map(expr.String, expr.Dyn)}))
	c.general.Declare("call", c.general.Record("this call", map[string]*expr.Type{"id": expr.String}))
}

func slotType(t SlotType) *expr.Type {
	switch t {
	case SlotInteger:
		return expr.Int
	case SlotNumber:
		return expr.Double
	case SlotBoolean:
		return expr.Bool
	case SlotList:
		return expr.List(expr.String)
	}
	return expr.String
}

// typeOf is the type of what fits a JSON Schema. Objects that declare their members have
// no others in expressions, so that a slip of the pen is found.
func (c *compiler) typeOf(name string, schema any, depth int) *expr.Type {
	s, _ := schema.(map[string]any)
	kind, _ := s["type"].(string)
	members, declared := s["properties"].(map[string]any)
	switch {
	case kind == "string":
		return expr.String
	case kind == "integer":
		return expr.Int
	case kind == "number":
		return expr.Double
	case kind == "boolean":
		return expr.Bool
	case kind == "array":
		return expr.List(c.typeOf(name+" item", s["items"], depth+1))
	case declared && depth < MaxDepth:
		fields := map[string]*expr.Type{}
		for member, of := range members {
			fields[member] = c.typeOf(name+" "+member, of, depth+1)
		}
		return c.general.Record(name, fields)
	case kind == "object":
		return expr.Map(expr.String, expr.Dyn)
	}
	return expr.Dyn
}

var targetForm = regexp.MustCompile(`^(session|gather|memory)(\.[A-Za-z_][A-Za-z0-9_]{0,63}){1,5}$`)

// kept are members of the session that nobody but the engine sets.
var kept = []string{"id", "turns", "channel", "messageMetadata", "startedAt"}

// language is another one, which sources could name before it was noticed.
const language = "language"

// OfSession reports whether a member of session is the session's own: a variable of that name is never seen.
func OfSession(name string) bool { return name == language || slices.Contains(kept, name) }

// target reads where something is put.
func (c *compiler) target(n *yaml.Node, field string) (Target, bool) {
	if n.Kind != yaml.ScalarNode || !targetForm.MatchString(n.Value) {
		c.at(n, field, "target", "must be session.<name>, gather.<slot> or memory.<store>.<member>")
		return Target{}, false
	}
	path := strings.Split(n.Value, ".")
	t := Target{path[0], path[1:]}
	switch t.Root {
	case "session":
		if slices.Contains(kept, t.Path[0]) {
			c.at(n, field, "target", "session.%s is not the agent's to set", t.Path[0])
			return t, false
		}
		if t.Path[0] == language { // no error: sources that say it were compiled, and run
			c.warnings = append(c.warnings, Problem{field, n.Line, n.Column, "target",
				"session.language is what the session began with: this changes nothing"})
		}
	case "gather":
		if c.p.Slot(t.Path[0]) == nil || len(t.Path) > 1 {
			c.at(n, field, "unknown_slot", "there is no slot %s in GATHER", strings.Join(t.Path, "."))
			return t, false
		}
	case "memory":
		store := c.p.Store(t.Path[0])
		switch {
		case store == nil:
			c.at(n, field, "unknown_store", "there is no store %s in MEMORY", t.Path[0])
		case !store.Write:
			c.at(n, field, "access", "store %s has ACCESS read", t.Path[0])
		case len(t.Path) < 2:
			c.at(n, field, "target", "must name a member: memory.%s.<member>", t.Path[0])
		default:
			return t, true
		}
		return t, false
	}
	return t, true
}

// String is the target as it is written.
func (t Target) String() string { return t.Root + "." + strings.Join(t.Path, ".") }

// overlaps says whether setting both would have one of them lost.
func (t Target) overlaps(other Target) bool {
	a, b := t.String()+".", other.String()+"."
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// set reads a SET.
func (c *compiler) set(o *object, key string, env *expr.Environment) []Assignment {
	var out []Assignment
	for _, e := range o.entries(key, maxList, false) {
		if t, ok := c.target(e.key, e.field); ok {
			out = append(out, Assignment{t, c.value(e.value, e.field, env, asExpressions)})
		}
	}
	return out
}

// step checks the name of a step.
func (c *compiler) step(n *yaml.Node, field string) string {
	if n.Kind != yaml.ScalarNode || !c.steps[n.Value] {
		c.at(n, field, "unknown_step", "%s", c.missingName("step", n.Value, known(c.steps)))
		return ""
	}
	return n.Value
}

func known(all map[string]bool) []string {
	var names []string
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func (c *compiler) missingName(what, name string, all []string) string {
	if c.full() { // nobody would read it, and thousands of names are not to be compared with hundreds
		return ""
	}
	if near := expr.Nearest(name, all); near != "" {
		return "there is no " + what + " " + name + ": did you mean " + near + "?"
	}
	if len(all) == 0 {
		return "there is no " + what + " " + name + ", and none at all"
	}
	return "there is no " + what + " " + name + "; there are " + some(all)
}

// slots reads a list of slots.
func (c *compiler) slots(o *object, key string) []string {
	var names, out []string
	for _, s := range c.p.Slots {
		names = append(names, s.Name)
	}
	for _, i := range o.list(key, maxList) {
		if i.node.Kind != yaml.ScalarNode || !slices.Contains(names, i.node.Value) {
			c.at(i.node, i.field, "unknown_slot", "%s", c.missingName("slot", i.node.Value, names))
			continue
		}
		out = append(out, i.node.Value)
	}
	return out
}
