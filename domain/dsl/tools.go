package dsl

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

var (
	toolKeys = []string{"KIND", "USE", "DESCRIPTION", "PARAMS", "RESULT", "EFFECT", "IDEMPOTENT", "CONFIRM", "TIMEOUT",
		"RETRY", "CACHE", "MASK"}
	httpKeys = []string{"METHOD", "URL", "QUERY", "HEADERS", "BODY"}
	backKeys = []string{"EXPIRES", "ON_TIMEOUT", "SIGN_WITH"}
	mcpKeys  = []string{"SERVER", "TOOL"}
	codeKeys = []string{"LANG", "SOURCE", "MEMORY_MB", "STORES"}
	peerKeys = []string{"VERSION"}
	methods  = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}
)

// longestCall is how long one call of a tool may take.
const longestCall = 60 * time.Second

// longestAgent is how long an agent of others may take.
const longestAgent = 5 * time.Minute

func (c *compiler) tools(o *object) {
	c.results = map[string]*Schema{}
	for _, e := range o.entries("TOOLS", MaxTools, true) {
		c.tool(e)
	}
}

func (c *compiler) tool(e entry) {
	o := c.object(e.value, e.field, slices.Concat(toolKeys, httpKeys, backKeys, mcpKeys, codeKeys, peerKeys)...)
	t := &Tool{Place: Place{e.key.Line, e.key.Column}, Name: e.name}
	kind := o.choice("KIND", "", "http", "mcp", "callback", "code", "workflow", "a2a")
	switch t.Use = o.text("USE"); {
	case kind == "" && t.Use != "":
		t.Kind = ToolDeployed
	case kind == "":
		o.missing("KIND", "is required: http, mcp, callback, code, workflow or a2a; or USE with the id of a deployed tool")
		return
	default:
		t.Kind = ToolKind(kind)
	}
	t.Description = c.text(o, "DESCRIPTION", c.general)
	t.Params, t.Result = c.schema(o, "PARAMS"), c.schema(o, "RESULT")
	if t.Kind == ToolAgent && t.Params == nil {
		t.Params = said
	}
	env := c.argsOf(t)
	if t.Params != nil && rawType(t.Params.raw) != "object" {
		o.at(o.get("PARAMS"), under(o.field, "PARAMS"), "schema", "must be of type object: arguments have names")
	}
	longest, otherwise := longestCall, 10*time.Second
	if t.Kind == ToolAgent {
		longest, otherwise = longestAgent, time.Minute
	}
	t.Timeout = o.duration("TIMEOUT", 10*time.Millisecond, longest, otherwise)
	t.Cache = o.duration("CACHE", time.Second, 24*time.Hour, 0)
	t.Mask = o.texts("MASK")
	t.Idempotent = o.boolean("IDEMPOTENT", false)
	c.retries(o, t)
	c.kinds(o, t, env)
	reads := t.Kind == ToolCode && !c.writesStore(t) || t.Kind == ToolHTTP && (t.Request.Method == "GET" || t.Request.Method == "HEAD")
	t.Write = o.choice("EFFECT", map[bool]string{true: "read", false: "write"}[reads], "read", "write") == "write"
	confirm := o.choice("CONFIRM", "never", "never", "write", "always")
	t.Confirm = confirm == "always" || confirm == "write" && t.Write
	if t.Cache > 0 && t.Write {
		o.at(o.get("CACHE"), under(o.field, "CACHE"), "cache", "belongs to a tool with EFFECT read")
	}
	if t.Cache > 0 && len(t.Stores) > 0 {
		o.at(o.get("CACHE"), under(o.field, "CACHE"), "cache", "belongs to no tool with STORES: what is in them is not kept along")
	}
	c.p.Tools = append(c.p.Tools, t)
	c.results[t.Name] = t.Result
}

// writesStore is whether the code of a tool may change what is in a store.
func (c *compiler) writesStore(t *Tool) bool {
	return slices.ContainsFunc(t.Stores, func(name string) bool {
		s := c.p.Store(name)
		return s != nil && s.Write
	})
}

func rawType(schema any) string {
	s, _ := schema.(map[string]any)
	kind, _ := s["type"].(string)
	return kind
}

// argsOf is what a tool's own texts see.
func (c *compiler) argsOf(t *Tool) *expr.Environment {
	args := expr.Map(expr.String, expr.Dyn)
	if t.Params != nil {
		args = c.typeOf("arguments of "+t.Name, t.Params.raw, 0)
	}
	more := map[string]*expr.Type{"args": args, "message_metadata": expr.Map(expr.String, expr.Dyn)}
	if t.Kind == ToolCallback {
		more["callback"] = c.general.Record("this callback", map[string]*expr.Type{"url": expr.String, "id": expr.String})
	}
	return c.general.With(more)
}

func (c *compiler) retries(o *object, t *Tool) {
	n := o.get("RETRY")
	if n == nil {
		return
	}
	r := c.object(n, under(o.field, "RETRY"), "MAX", "BACKOFF")
	r.missing("MAX", "is required: how often it is tried again")
	t.Retry = r.integer("MAX", 0, 5, 0)
	t.Backoff = r.duration("BACKOFF", 10*time.Millisecond, 30*time.Second, 200*time.Millisecond)
}

func (c *compiler) kinds(o *object, t *Tool, env *expr.Environment) {
	o.foreign("belongs to a tool of kind a2a", foreignTo(t.Kind, ToolAgent, peerKeys)...)
	refuse := func(keys ...[]string) {
		o.foreign("does not belong to a tool of kind "+string(t.Kind), slices.Concat(keys...)...)
	}
	switch t.Kind {
	case ToolAgent:
		refuse(backKeys, mcpKeys, codeKeys, []string{"USE", "METHOD", "QUERY", "BODY", "CACHE", "RESULT"})
		c.request(o, t, env)
		t.Request.Method, t.Protocol = "POST", o.choice("VERSION", "0.3", "0.3", "1.0")
		return
	case ToolHTTP:
		refuse(backKeys, mcpKeys, codeKeys, []string{"USE"})
		c.request(o, t, env)
	case ToolCallback:
		refuse(mcpKeys, codeKeys, []string{"USE", "CACHE"})
		c.request(o, t, env)
		t.Expires = o.duration("EXPIRES", time.Second, 30*24*time.Hour, 24*time.Hour)
		t.OnTimeout = c.then(o, "ON_TIMEOUT", c.general)
		t.SignWith = o.text("SIGN_WITH")
	case ToolMCP:
		refuse(httpKeys, backKeys, codeKeys, []string{"USE"})
		o.missing("SERVER", "is required: the name of the MCP server")
		o.missing("TOOL", "is required: the tool's name on the server")
		t.Server, t.Remote = o.text("SERVER"), o.text("TOOL")
	case ToolCode:
		refuse(httpKeys, backKeys, mcpKeys, []string{"USE"})
		o.choice("LANG", "js", "js")
		o.missing("SOURCE", "is required: the body of a function of args")
		t.Source, t.MemoryMB = o.text("SOURCE"), o.integer("MEMORY_MB", 4, 128, 16)
		for _, name := range o.texts("STORES") {
			if c.p.Store(name) == nil {
				o.at(o.get("STORES"), under(o.field, "STORES"), "unknown_store", "there is no store %s in MEMORY", name)
			}
			t.Stores = append(t.Stores, name)
		}
	case ToolDeployed, ToolWorkflow:
		refuse(httpKeys, backKeys, mcpKeys, codeKeys)
		o.missing("USE", "is required: the id of the deployed workflow")
	}
}

// foreignTo are keys of another kind.
func foreignTo(is, of ToolKind, keys []string) []string {
	if is == of {
		return nil
	}
	return keys
}

func (c *compiler) request(o *object, t *Tool, env *expr.Environment) {
	otherwise := "GET"
	if o.has("BODY") || t.Kind == ToolCallback {
		otherwise = "POST"
	}
	t.Request = &Request{Method: o.choice("METHOD", otherwise, methods...), URL: c.text(o, "URL", env),
		Query: c.arguments(o, "QUERY", env, asRequest), Headers: c.arguments(o, "HEADERS", env, asRequest)}
	o.missing("URL", "is required")
	if n := o.get("URL"); n != nil && !t.Request.URL.Empty() {
		if problem := addressProblem(t.Request.URL); problem != "" {
			o.at(n, under(o.field, "URL"), "url", "%s", problem)
		}
	}
	for i, h := range t.Request.Headers {
		if problem := headerRefusal(h.Name, t.Request.Headers[:i]); problem != "" {
			o.at(o.get("HEADERS"), under(o.field, "HEADERS"), "header", "%s", problem)
		}
	}
	if n := o.get("BODY"); n != nil {
		if t.Request.Method == "GET" || t.Request.Method == "HEAD" {
			o.at(n, under(o.field, "BODY"), "not_here", "does not belong to %s", t.Request.Method)
		}
		body := c.value(n, under(o.field, "BODY"), env, asRequest)
		t.Request.Body = &body
	}
}

// call reads CALL, WITH and AS of a step or of ON_START.
func (c *compiler) call(o *object) *Call {
	n := o.get("CALL")
	if n == nil {
		o.foreign("belongs to CALL", "WITH", "AS")
		return nil
	}
	call := &Call{Place: Place{n.Line, n.Column}, Tool: n.Value, With: c.arguments(o, "WITH", c.general, asExpressions)}
	tool := c.p.Tool(n.Value)
	if tool == nil {
		c.at(n, under(o.field, "CALL"), "unknown_tool", "%s", c.missingName("tool", n.Value, c.toolNames()))
	} else {
		c.fit(o, call, tool)
	}
	if as := o.get("AS"); as != nil {
		t, ok := c.target(as, under(o.field, "AS"))
		if ok && t.Root != "session" {
			c.at(as, under(o.field, "AS"), "target", "must be session.<name>")
		}
		call.As = &t
	}
	return call
}

func (c *compiler) toolNames() []string {
	var names []string
	for _, t := range c.p.Tools {
		names = append(names, t.Name)
	}
	return names
}

// fit checks that WITH gives what PARAMS asks: names, and values as far as they are known.
func (c *compiler) fit(o *object, call *Call, tool *Tool) {
	if tool.Params == nil {
		return
	}
	field := under(o.field, "WITH")
	at := o.node
	if n := o.get("WITH"); n != nil {
		at = n
	}
	names, properties := tool.Params.properties()
	object, _ := tool.Params.raw.(map[string]any)
	_, open := object["additionalProperties"]
	given := map[string]bool{}
	for _, a := range call.With {
		given[a.Name] = true
		of, declared := properties[a.Name]
		if !declared && !open {
			c.at(at, under(field, a.Name), "unknown_argument", "%s", c.missingName("argument", a.Name, names))
			continue
		}
		if hint := misfit(a.Value, of); hint != "" {
			c.at(at, under(field, a.Name), "argument", "%s", hint)
		}
	}
	for _, name := range tool.Params.required() {
		if !given[name] {
			c.at(at, under(field, name), "argument", "is required by %s", tool.Name)
		}
	}
}

// misfit says why a value cannot fit a schema; empty: it may.
func misfit(v Value, of any) string {
	if fixed, ok := v.fixed(); ok {
		if schema, err := newSchema(of); err == nil {
			if err := schema.Check(fixed); err != nil {
				return err.Error()
			}
		}
		return ""
	}
	if v.kind != isTemplate || len(v.pieces) != 1 || v.pieces[0].expr == nil {
		return ""
	}
	is, wanted := v.pieces[0].expr.Type(), rawType(of)
	for kind, t := range map[string]*expr.Type{"string": expr.String, "boolean": expr.Bool} {
		isKind := is.IsExactType(t)
		anyKnown := is.IsExactType(expr.String) || is.IsExactType(expr.Bool) || is.IsExactType(expr.Int) || is.IsExactType(expr.Double)
		if wanted == kind && anyKnown && !isKind || isKind && (wanted == "integer" || wanted == "number") {
			return "is a " + is.String() + " and must be a " + wanted
		}
	}
	return ""
}
