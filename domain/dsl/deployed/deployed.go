// Package deployed reads tools and workflows that are deployed for all agents of a project as the
// language has them: what is checked, escaped and kept secret of an agent's own tools is so of
// these.
package deployed

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/plainjson"
)

// Tool is what a tool is defined by.
type Tool struct {
	Kind       dsl.ToolKind // http, mcp or code
	URL        string       // of http and mcp; {name} in it is that argument
	Method     string       // of http
	Headers    map[string]string
	Remote     string // of mcp: the tool's name at the server
	Code       string
	Parameters json.RawMessage // JSON Schema of the arguments; nil: any
}

// placeholder is an argument in a URL.
var placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// name is what the tool is called in the source that is made for it.
const name = "it"

// Compile is the tool as agents call it. What an agent says of it (EFFECT, TIMEOUT, RETRY) is not
// in it. A problem names the part of the definition: url, method, headers, code or parameters.
func (t Tool) Compile() (*dsl.Tool, dsl.Problems) {
	of := map[string]any{"KIND": dsl.ToolHTTP}
	if len(t.Parameters) > 0 {
		of["PARAMS"] = ofObjects(t.Parameters)
	}
	if t.Kind == dsl.ToolCode {
		of["KIND"], of["SOURCE"] = dsl.ToolCode, t.Code
	} else {
		t.request(of)
	}
	program, problems := dsl.Compile("", source(of))
	if program == nil {
		return nil, inDefinition(problems)
	}
	made := program.Tool(name)
	if made.Name = ""; t.Kind == dsl.ToolMCP {
		made.Kind, made.Remote = dsl.ToolMCP, t.Remote
	}
	return made, nil
}

// ofObjects is a schema of arguments that says so.
func ofObjects(schema json.RawMessage) any {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil || members["type"] != nil {
		return schema
	}
	members["type"] = json.RawMessage(`"object"`)
	return members
}

// request is how arguments are sent that no template places: with GET in the query, as far as
// they are declared, else all of them as JSON.
func (t Tool) request(of map[string]any) {
	of["URL"], of["METHOD"] = placeholder.ReplaceAllString(t.URL, "{{ args.$1 }}"), "POST"
	if len(t.Headers) > 0 {
		of["HEADERS"] = t.Headers
	}
	switch {
	case t.Kind == dsl.ToolMCP:
	case t.Method == "GET":
		of["METHOD"] = "GET"
		if query := t.query(); len(query) > 0 {
			of["QUERY"] = query
		}
	default:
		of["METHOD"], of["BODY"] = t.Method, "{{ args }}"
	}
}

// query are the declared arguments that do not stand in the URL.
func (t Tool) query() map[string]string {
	var inURL []string
	for _, found := range placeholder.FindAllStringSubmatch(t.URL, -1) {
		inURL = append(inURL, found[1])
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(t.Parameters, &schema)
	query := map[string]string{}
	for argument := range schema.Properties {
		if !slices.Contains(inURL, argument) && placeholder.MatchString("{"+argument+"}") {
			query[argument] = "{{ args." + argument + " }}"
		}
	}
	return query
}

// source is an agent with one tool.
func source(tool any) string {
	text, _ := plainjson.Of(map[string]any{"DSL": 1, "AGENT": "deployed", "GOAL": "-", "TOOLS": map[string]any{name: tool}})
	return string(text) // empty where it has none, which does not compile
}

// parts are those of a definition, by the keys of the language.
var parts = map[string]string{"URL": "url", "METHOD": "method", "HEADERS": "headers", "SOURCE": "code", "PARAMS": "parameters",
	"QUERY": "parameters", "BODY": "steps"}

var inTool = regexp.MustCompile(`^TOOLS\.` + name + `\.([A-Z]+)(.*)$`)

// inDefinition names the parts of a definition in place of those of the source.
func inDefinition(problems dsl.Problems) (out dsl.Problems) {
	for _, p := range problems {
		if found := inTool.FindStringSubmatch(p.Field); found != nil && parts[found[1]] != "" {
			p.Field = parts[found[1]] + found[2]
		}
		p.Line, p.Column = 0, 0
		out = append(out, p)
	}
	return out
}
