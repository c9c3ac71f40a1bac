package dsl

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// RemoteVar begins the name of the session variable in which an agent that is elsewhere has what was
// answered last: in which context and task the conversation stands there.
const RemoteVar = "remote_"

// said is what a tool of kind a2a takes, where it does not say.
var said = mustSchema(map[string]any{"type": "object", "required": []any{"message"}, "properties": map[string]any{
	"message":   map[string]any{"type": "string", "minLength": 1, "description": "What the agent is told."},
	"data":      map[string]any{"type": "object", "description": "What goes with it, for programs."},
	"contextId": map[string]any{"type": "string", "description": "The conversation that goes on, as an answer named it."},
	"taskId":    map[string]any{"type": "string", "description": "The task that waits for this answer."},
	"seen":      map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}})

func mustSchema(raw any) *Schema {
	s, err := newSchema(raw)
	if err != nil {
		panic("dsl: " + err.Error())
	}
	return s
}

// remoteFlow is what an agent does that is elsewhere: it passes on what it hears, and says what is
// answered, until the work is done there. %[1]s is its tool, %[2]s its variable.
const remoteFlow = `
TOOLS: {%[1]s: {KIND: a2a}}
FLOW:
  START: ask
  STEPS:
    ask:
      CALL: %[1]s
      WITH:
        message: turn.text
        contextId: "has(session.%[2]s) && has(session.%[2]s.contextId) ? session.%[2]s.contextId : ''"
        taskId: "has(session.%[2]s) && has(session.%[2]s.taskId) ? session.%[2]s.taskId : ''"
        seen: "has(session.%[2]s) && has(session.%[2]s.artifacts) ? session.%[2]s.artifacts : []"
      AS: session.%[2]s
      BRANCH: [{IF: "session.%[2]s.text == ''", STOP: true}, {ELSE: true, SAY: "{{ session.%[2]s.text }}", STOP: true}]
`

// remoteDone ends its work with that of the other agent.
const remoteDone = `
COMPLETE:
  - WHEN: has(session.%[1]s) && session.%[1]s.state == "completed"
    RESULT: {state: "{{ session.%[1]s.state }}", answer: "{{ session.%[1]s }}"}
`

// remote is REMOTE: the agent is one of others, elsewhere. What it does follows from that, and is put
// beside it as if it had been written there.
func (c *compiler) remote(root *yaml.Node) {
	at := slices.IndexFunc(root.Content, func(n *yaml.Node) bool { return n.Value == "REMOTE" })
	if at < 0 || at%2 != 0 {
		return
	}
	key, own := root.Content[at], root.Content[at+1]
	for i := 0; i < len(root.Content); i += 2 {
		if k := root.Content[i]; !slices.Contains(besideRemote, k.Value) && slices.Contains(directives, k.Value) {
			c.at(k, k.Value, "not_here", "does not go with REMOTE: the agent is elsewhere")
		}
	}
	o := c.object(own, "REMOTE", slices.Concat(remoteKeys, []string{"STAYS", "ON_ERROR"})...)
	stays := o.boolean("STAYS", false)
	tool := toolOf(nameIn(root))
	text := fmt.Sprintf(remoteFlow, tool, RemoteVar+tool)
	if !stays {
		text += fmt.Sprintf(remoteDone, RemoteVar+tool)
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		c.at(key, "REMOTE", "defect", "cannot be written out: %s", err)
		return
	}
	made := document.Content[0]
	c.elsewhere = "TOOLS." + tool
	moved(made, key.Line, key.Column)
	add := func(to *yaml.Node, name string, value *yaml.Node) {
		at := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name, Line: value.Line, Column: value.Column}
		to.Content = append(to.Content, at, value)
	}
	settings, step := member(member(made, "TOOLS"), tool), member(member(member(made, "FLOW"), "STEPS"), "ask")
	for _, name := range remoteKeys {
		if value := o.get(name); value != nil {
			add(settings, name, value)
		}
	}
	if value := o.get("ON_ERROR"); value != nil {
		add(step, "ON_ERROR", value)
	}
	root.Content = slices.Concat(root.Content[:at], made.Content, root.Content[at+2:])
}

// writtenAs names fields as the author has written them.
func (c *compiler) writtenAs() {
	for i, p := range c.problems {
		if rest, is := strings.CutPrefix(p.Field, c.elsewhere); is && c.elsewhere != "" {
			c.problems[i].Field = "REMOTE" + rest
		}
	}
}

var (
	besideRemote = []string{"DSL", "AGENT", "DESCRIPTION", "GATHER", "GUARDRAILS", "REMOTE", "TESTS"}
	remoteKeys   = []string{"URL", "HEADERS", "VERSION", "TIMEOUT", "IDEMPOTENT", "RETRY"}
)

func nameIn(root *yaml.Node) string {
	if n := member(root, "AGENT"); n != nil {
		return n.Value
	}
	return ""
}

// toolOf is the name of the tool by which an agent that is elsewhere is asked; its secrets are kept by it.
func toolOf(agent string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, "agent_"+agent)
}

// member is the value of a key; nil: it is not there.
func member(of *yaml.Node, key string) *yaml.Node {
	if of == nil {
		return nil
	}
	for i := 0; i+1 < len(of.Content); i += 2 {
		if of.Content[i].Value == key {
			return of.Content[i+1]
		}
	}
	return nil
}

// moved puts what was made for a key in its place.
func moved(n *yaml.Node, line, column int) {
	n.Line, n.Column = line, column
	for _, below := range n.Content {
		moved(below, line, column)
	}
}
